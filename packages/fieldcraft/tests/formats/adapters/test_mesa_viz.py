"""SolaraViz, rendered without a browser, shows a live layer."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import fieldcraft as fc
from fieldcraft.formats.adapters import mesa as adapter

mesa = pytest.importorskip("mesa", reason="needs Mesa")
spaces = pytest.importorskip("mesa.discrete_space", reason="needs Mesa 3")
pytest.importorskip("altair", reason="needs altair")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    solara = pytest.importorskip("solara", reason="needs solara")
    matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib")
    matplotlib.use("Agg")
    visualization = pytest.importorskip("mesa.visualization", reason="needs Mesa's visualization")
    if not hasattr(visualization, "SpaceRenderer"):
        pytest.skip("needs Mesa 3.3", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore")  # of Mesa, Solara and what they stand on


class Scented(mesa.Model):  # type: ignore[misc]
    """A model with a scent at one place."""

    def __init__(self) -> None:
        super().__init__()
        self.grid = spaces.OrthogonalMooreGrid((12, 8), random=self.random)
        self.imap = fc.InfluenceMap(adapter.space_of(self.grid))
        self.scent = self.imap.add_layer("scent", fc.Trail(keep=0.9))
        adapter.attach(self.grid, self.scent)
        spaces.CellAgent(self).cell = self.grid[(3, 4)]

    def step(self) -> None:
        self.scent.deposit((3, 4))
        self.imap.step()


def test_solara_shows_a_live_layer() -> None:
    from matplotlib import pyplot
    from mesa.visualization.components import PropertyLayerStyle

    model = Scented()
    style = PropertyLayerStyle(colormap="magma", colorbar=False)
    drawn = []
    for steps in (1, 3):
        for _ in range(steps):
            model.step()
        renderer: Any = visualization.SpaceRenderer(model, backend="matplotlib")
        draw = getattr(renderer, "draw_property_layer", None) or renderer.draw_propertylayer
        draw(lambda layer: style if getattr(layer, "name", layer) == "scent" else None)
        (image,) = renderer.canvas.get_images()
        drawn.append(np.asarray(image.get_array()))
        assert np.array_equal(drawn[-1], model.scent.values)
    assert drawn[1].max() > drawn[0].max() > 0
    box, context = solara.render(
        visualization.SolaraViz(model, renderer=renderer), handle_error=False
    )
    assert box.children
    model.step()
    context.close()
    pyplot.close("all")
