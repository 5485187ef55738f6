"""The model of main.py in Mesa's page: solara run app.py."""

from main import Ants
from mesa.visualization import SolaraViz, make_space_component


def draw_ant(ant):
    return {"color": "#e4572e" if ant.has_food else "#30343f", "size": 12}


model = Ants()
space = make_space_component(
    draw_ant, propertylayer_portrayal={"scent": {"colormap": "YlOrBr", "colorbar": False}}
)
page = SolaraViz(
    model,
    components=[space],
    model_params={
        "count": {"type": "SliderInt", "value": 100, "label": "ants", "min": 10, "max": 400},
        "keep": {
            "type": "SliderFloat",
            "value": 0.97,
            "label": "part of the scent kept in a step",
            "min": 0.8,
            "max": 0.999,
            "step": 0.001,
        },
    },
    name="Ants",
)
page  # noqa: B018 - Solara shows this
