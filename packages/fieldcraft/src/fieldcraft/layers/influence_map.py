"""The layers on one space."""

from __future__ import annotations

import os
from typing import Any

from fieldcraft.base import packages, pictured
from fieldcraft.base.errors import InvalidValue
from fieldcraft.base.synonyms import Suggesting
from fieldcraft.layers import Layer, SingleThreadLock
from fieldcraft.layers.adding import Adding, carrier
from fieldcraft.layers.propagation.propagation import Device
from fieldcraft.space import Space, checked_space


class InfluenceMap(Adding, Suggesting):
    """Layers of influence on one space, for which time passes together.

    One thread uses a map at a time; calls of a second one raise `ConcurrentUse`.

    Parameters
    ----------
    space : Space
        The grid, hexagons, graph or mesh of the layers.
    device : Device or str, optional
        Where the values of layers are, see `add_layer`; by default on the CPU.

    Examples
    --------
    >>> import fieldcraft as fc
    >>> imap = fc.InfluenceMap(fc.Grid(5, 3))
    >>> threat = imap.add_layer("threat", fc.Spread(decay=0.5, momentum=1.0))
    >>> guard = threat.add_source((1.5, 1.5), strength=8.0)
    >>> imap.step(4)
    >>> threat.values.round(1)
    array([[2.9, 4.9, 2.9, 1.8, 1.1],
           [4.9, 8. , 4.9, 2.9, 1.8],
           [2.9, 4.9, 2.9, 1.8, 1.1]], dtype=float32)
    >>> print(imap)
    <InfluenceMap on <Grid 5 x 3, cell_size 1, 15 open cells>: threat>
    """

    _watch: Any = None

    def __init__(self, space: Space, *, device: Device | str | None = None) -> None:
        self.space: Space = checked_space(space, "An influence map is on")
        self.device = carrier(device)
        self._layers: dict[str, Layer] = {}
        self._ticks = 0
        self._next = ""
        self._lock = SingleThreadLock()

    def _repr_html_(self) -> str:
        return pictured.html_of(self)

    def __repr__(self) -> str:
        return f"<InfluenceMap on {self.space!r}: {', '.join(self._layers) or 'no layers'}>"

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            held = {
                "_lock": self._lock,
                "_ticks": self._ticks,
                "_next": self._next,
                "_layers": self._layers,
                "_timed": self._timed,
            }
            return InfluenceMap, (self.space,), held | {"device": self.device}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for layer in list(self._layers.values()):
            self._take(layer)

    def copy(self) -> InfluenceMap:
        """Return an independent copy that continues with the same bits, on the same space: both
        follow its walls.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> gas = imap.add_layer("gas", values=[[0, 4, 0]])
        >>> plan = imap.copy()
        >>> plan["gas"].write([[1, 1, 1]])
        >>> gas.values
        array([[0., 4., 0.]], dtype=float32)
        """
        with self._lock:
            twin = InfluenceMap(self.space, device=self.device)
            twin._ticks = self._ticks
            twin._next = self._next
            for layer in self._layers.values():
                state = layer.state()
                twin._take(layer.restored(state, layer.space, twin._lock, layer._device))
            return twin

    def recover(self, *, device: Device | str | None = None) -> dict[str, int]:
        """Continue without a device that was lost: each layer on it from the values that were last
        read from it, or written.

        The layers stay the same objects, with their sources, on the CPU or on `device`.

        Parameters
        ----------
        device : Device or str, optional
            Where to continue; by default on the CPU.

        Returns
        -------
        dict of str to int
            How many steps of each of these layers are lost: their `time` goes back by as much, and
            deposits since then are lost too. None are lost if values were read after the last step.

        Raises
        ------
        InvalidValue
            If no layer was on a device that is lost; then nothing has changed.
        """
        with self._lock:
            lost = {
                name: layer
                for name, layer in self._layers.items()
                if getattr(getattr(layer.steps.field, "device", None), "lost", False)
            }
            is_lost = getattr(getattr(self.device, "device", self.device), "lost", False)
            if not lost and not is_lost:
                raise InvalidValue(
                    "A map recovers from a device that was lost",
                    got="no such device",
                    remedy="Continue; nothing is lost",
                )
            target = carrier(device)
            gone = {name: layer._recovered(target) for name, layer in lost.items()}
            if is_lost:
                self.device = target
            return gone

    def watch(self, *, port: int = 0, browser: bool = False) -> Any:
        """Show the map on a page in the browser while the program runs; to be called each frame.

        The first call starts the page and prints its address. Each call applies changes from the
        page (settings, sources, walls) and sends it a picture; without an open page a call costs
        almost nothing.

        Parameters
        ----------
        port : int, optional
            A port of this machine; 0 for any free one.
        browser : bool, optional
            Whether to open the page.

        Returns
        -------
        object
            With `url` and `close()`.

        Raises
        ------
        MissingLibrary
            Without the extra `lab`.
        """
        return packages.package("lab").watch(self, port=port, browser=browser)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all layers, sources and walls to one file.

        The file is replaced at once: an interruption leaves the old file or the new one.

        Examples
        --------
        >>> import fieldcraft as fc
        >>> imap = fc.InfluenceMap(fc.Grid(3, 1))
        >>> _ = imap.add_layer("gas", values=[[0, 4, 0]])
        >>> imap.save("level.fieldcraft")
        >>> fc.InfluenceMap.load("level.fieldcraft")["gas"].values
        array([[0., 4., 0.]], dtype=float32)
        """
        from fieldcraft.layers import saves as archive

        with self._lock:
            archive.save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], *, most_bytes: int = 1 << 30) -> InfluenceMap:
        """Return the influence map of a file that `save` wrote; it continues with the same bits.

        Parameters
        ----------
        path : str or path
            The file. It is safe to load one from a stranger: nothing in it is run.
        most_bytes : int, optional
            The most that its arrays may take in memory together; checked before any is unpacked.

        Raises
        ------
        BadSaveFile
            If the file is missing, damaged, not a save, of a newer version, or too large.
        """
        from fieldcraft.layers import saves as archive

        return archive.load(InfluenceMap, path, most_bytes)
