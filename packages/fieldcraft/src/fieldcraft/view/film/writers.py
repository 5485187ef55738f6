"""The writers of each kind of film, by Pillow and PyAV."""

from __future__ import annotations

import importlib
import tempfile
import zlib
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from fieldcraft.base.errors import FieldcraftError, InvalidValue, needs

if TYPE_CHECKING:
    from av import VideoStream
    from PIL import Image

RGBA = NDArray[np.uint8]

_MOST_COLORS = 256
_FEW_PIXELS = 60_000  # Sorting fewer takes less time than a search of 2**24 flags.
FASTEST_GIF = 50
SLOWEST_GIF = Fraction(1, 500)
"""Frames per second of a GIF."""


class _Spool:
    """A list of equal-sized uint8 arrays of `shape` that lives on disk until it is closed."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the spool
        self._ends = [0]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: int) -> NDArray[np.uint8]:
        self.file.seek(self._ends[index])
        squeezed = self.file.read(self._ends[index + 1] - self._ends[index])
        return np.frombuffer(zlib.decompress(squeezed), dtype=np.uint8).reshape(self._shape)

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        return (self[index] for index in range(len(self)))

    def add(self, frame: NDArray[np.uint8]) -> None:
        """Append a frame."""
        self.file.seek(self._ends[-1])
        self._ends.append(self._ends[-1] + self.file.write(zlib.compress(frame.tobytes(), 1)))

    def close(self) -> None:
        """Delete all frames."""
        self.file.close()


def _packed(rgb: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Return colors of shape (..., 3), or (..., 4) without their alpha, as one number each:
    0xrrggbb.
    """
    red = rgb[..., 0].astype(np.uint32)
    green = rgb[..., 1].astype(np.uint32)
    blue = rgb[..., 2].astype(np.uint32)
    return red << np.uint32(16) | green << np.uint32(8) | blue


def _unpacked(colors: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Return numbers 0xrrggbb as colors of shape (..., 3)."""
    return np.stack([colors >> 16 & 255, colors >> 8 & 255, colors & 255], axis=-1).astype(np.uint8)


def _palette(colors: NDArray[np.uint32], most: int) -> NDArray[np.uint32]:
    """Return for each of some packed colors the one that replaces it, at most `most` different
    ones.

    Each color counts once, so that a large background does not take colors from thin lines.
    """
    from PIL import Image

    image = Image.fromarray(_unpacked(colors)[np.newaxis])
    few = image.quantize(most, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
    return _packed(np.asarray(few.convert("RGB"))[0])


class Writer:
    """Writes frames of one size into a file. Made with the file, the frames per second, the quality
    and the first frame.
    """

    def __init__(self, file: IO[bytes], fps: Fraction, quality: int | None, first: RGBA) -> None:
        self.file = file
        self.fps = fps
        self.quality = quality
        self.size = first.shape[:2]

    def add(self, frame: RGBA) -> None:
        """Append a frame."""
        raise NotImplementedError

    def finish(self) -> None:
        """Write what is still missing."""

    def drop(self) -> None:
        """Release everything; the film is not wanted."""


class _Png(Writer):
    def add(self, frame: RGBA) -> None:
        if self.file.tell():
            raise InvalidValue(
                "A PNG holds one frame",
                got="a second one",
                remedy="Write .gif, .webp or .mp4 for a film",
            )
        _image(frame).save(self.file, "PNG", optimize=True)


class _Gif(Writer):
    def __init__(self, file: IO[bytes], fps: Fraction, quality: int | None, first: RGBA) -> None:
        super().__init__(file, fps, quality, first)
        self._spool = _Spool((*self.size, 3))
        self._rich = np.zeros(2**24, dtype=np.bool_)  # colors of frames with more than 256
        self._seen = np.zeros(2**24, dtype=np.bool_)

    def add(self, frame: RGBA) -> None:
        _refuse_transparent(frame, ".gif")
        pixels = _packed(frame)
        if len(self._colors_in(pixels)) > _MOST_COLORS:
            self._rich[pixels] = True
        self._spool.add(frame[..., :3])

    def finish(self) -> None:
        height, width = self.size
        sides = width.to_bytes(2, "little") + height.to_bytes(2, "little")
        self.file.write(b"GIF89a" + sides + bytes(3))
        self.file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        # One color less than a palette holds, which leaves a place for "as before".
        rich = np.flatnonzero(self._rich).astype(np.uint32)
        replacements = np.zeros(0, dtype=np.uint32)
        if len(rich):
            replacements = np.zeros(2**24, dtype=np.uint32)
            replacements[rich] = _palette(rich, _MOST_COLORS - 1)
        before = None
        for i, frame in enumerate(self._spool):
            shown = _packed(frame)
            if len(self._colors_in(shown)) > _MOST_COLORS:
                shown = replacements[shown]
            # Players count in hundredths of a second: the rounding must not add up.
            duration = round(100 * (i + 1) / self.fps) - round(100 * i / self.fps)
            self._write(shown, before, duration)
            before = shown
        self.file.write(b";")
        self._spool.close()

    def drop(self) -> None:
        self._spool.close()

    def _write(
        self, shown: NDArray[np.uint32], before: NDArray[np.uint32] | None, hundredths: int
    ) -> None:
        """Write the box that differs from the frame before; pixels inside of it that don't are left
        transparent.
        """
        from PIL import GifImagePlugin, Image

        rows = slice(0, shown.shape[0])
        columns = slice(0, shown.shape[1])
        same = np.zeros(shown.shape, dtype=np.bool_)
        if before is not None:
            same = shown == before
            rows = _extent(~same.all(axis=1))
            columns = _extent(~same.all(axis=0))
        part = shown[rows, columns]
        same = same[rows, columns]
        colors = self._colors_in(part[~same])
        options: dict[str, Any] = {}
        if len(colors) < _MOST_COLORS:
            options["transparency"] = len(colors)
        else:
            same = np.zeros_like(same)
            colors = self._colors_in(part)
        first = colors[0] if len(colors) else 0
        index = np.searchsorted(colors, np.where(same, first, part)).astype(np.uint8)
        index[same] = len(colors) % _MOST_COLORS
        image = Image.fromarray(index)
        image.putpalette(_unpacked(np.append(colors, [0])[:_MOST_COLORS]).tobytes())
        blocks = GifImagePlugin.getdata(
            image,
            (columns.start, rows.start),
            duration=10 * hundredths,
            disposal=1,
            include_color_table=True,
            **options,
        )
        self.file.writelines(blocks)

    def _colors_in(self, pixels: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the packed colors that occur, rising."""
        if pixels.size < _FEW_PIXELS:
            return np.unique(pixels)
        self._seen[pixels] = True
        colors = np.flatnonzero(self._seen).astype(np.uint32)
        self._seen[colors] = False
        return colors


class _WebP(Writer):
    def __init__(self, file: IO[bytes], fps: Fraction, quality: int | None, first: RGBA) -> None:
        super().__init__(file, fps, quality, first)
        self._spool = _Spool(first.shape)

    def add(self, frame: RGBA) -> None:
        self._spool.add(frame)

    def finish(self) -> None:
        ends = [round(1000 * i / self.fps) for i in range(len(self._spool) + 1)]
        durations = [end - start for start, end in pairwise(ends)]
        options: dict[str, Any] = {"duration": durations, "loop": 0, "method": 2}
        if self.quality is None:
            options["lossless"] = True
            options["exact"] = True
        else:
            options["quality"] = self.quality
        _reel(self._spool).save(self.file, "WEBP", save_all=True, **options)
        self._spool.close()

    def drop(self) -> None:
        self._spool.close()


class _Failing:
    """A file for a library that prints the errors of files: it remembers the first one and writes
    nothing more, so that the caller raises it.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.name = file.name  # it is read again by this name, to move its index to the beginning
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write data, or do nothing after an error."""
        if self.error is None:
            try:
                self._file.write(data)
            except OSError as error:
                self.error = error
        return len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place."""
        if self.error is None:
            try:
                return self._file.seek(place, whence)
            except OSError as error:
                self.error = error
        return place

    def tell(self) -> int:
        """Return the place in the file."""
        if self.error is None:
            return self._file.tell()
        return 0


class _Mp4(Writer):
    def __init__(self, file: IO[bytes], fps: Fraction, quality: int | None, first: RGBA) -> None:
        import av

        super().__init__(file, fps, quality, first)
        try:
            codec = av.codec.Codec("h264", "w")
        except ValueError:
            raise FieldcraftError(
                "MP4 needs an H.264 encoder",
                got="a PyAV without one",
                remedy="Install PyAV's own wheel (pip install av), or write .webp or .gif",
            ) from None
        self._failing = _Failing(file)
        self._make_frame = av.VideoFrame.from_ndarray
        self._even = ((0, self.size[0] % 2), (0, self.size[1] % 2), (0, 0))
        self._container = av.open(
            self._failing, "w", format="mp4", options={"movflags": "faststart"}
        )
        if quality is None:
            quality = 90
        options = {
            # From near lossless (8) to rough (40), as x264 counts.
            "crf": str(40 - round(0.32 * quality)),
            "preset": "veryfast",
            "color_primaries": "bt709",
            "color_trc": "bt709",
            "colorspace": "bt709",
            "color_range": "tv",
        }
        added = self._container.add_stream(codec.name, rate=fps, options=options)
        self._stream = cast("VideoStream", added)
        height, width = self.size
        self._stream.height = height + height % 2
        self._stream.width = width + width % 2
        self._stream.pix_fmt = "yuv420p"

    def add(self, frame: RGBA) -> None:
        _refuse_transparent(frame, ".mp4")
        even = np.ascontiguousarray(np.pad(frame[..., :3], self._even, mode="edge"))
        picture = self._make_frame(even, format="rgb24").reformat(
            format="yuv420p",
            src_colorspace="ITU709",
            dst_colorspace="ITU709",
            dst_color_range="MPEG",
        )
        self._container.mux(self._stream.encode(picture))
        self._raise_error()

    def finish(self) -> None:
        self._container.mux(self._stream.encode(None))
        self._container.close()
        self._raise_error()

    def _raise_error(self) -> None:
        """Raise the error of the file."""
        if self._failing.error is not None:
            raise self._failing.error

    def drop(self) -> None:
        self._container.close()


WRITERS: dict[str, type[Writer]] = {
    ".png": _Png,
    ".gif": _Gif,
    ".webp": _WebP,
    ".mp4": _Mp4,
}


def need(suffix: str) -> None:
    """Raise for a suffix if its library is not installed, before any work."""
    module = "PIL.Image"
    library = "Pillow"
    if suffix == ".mp4":
        module = "av"
        library = "PyAV"
    with needs(library, "view", f"Writing {suffix[1:].upper()} files"):
        importlib.import_module(module)


def _refuse_transparent(frame: RGBA, suffix: str) -> None:
    if frame.shape[2] == 4 and frame[..., 3].min() < 255:
        raise InvalidValue(
            f"Frames for {suffix} are opaque",
            got=f"alpha down to {frame[..., 3].min()}",
            remedy="Draw them with a ground, or write .webp or .png",
        )


def _image(frame: RGBA) -> Image.Image:
    from PIL import Image

    return Image.fromarray(np.ascontiguousarray(frame))


def _reel(spool: _Spool) -> Image.Image:
    """Return the spooled frames as one Pillow image of many frames, each read when it is sought."""
    from PIL import Image

    class Reel(Image.Image):
        n_frames = len(spool)

        def seek(self, frame: int) -> None:
            self.im = _image(spool[frame]).im

        def tell(self) -> int:
            return 0

    first = _image(spool[0])
    reel = Reel()
    reel.im = first.im
    reel._mode = first.mode
    reel._size = first.size
    return reel


def _extent(changed: NDArray[np.bool_]) -> slice:
    """Return the slice from the first entry that changed to the last; the first alone if none did,
    since no box is empty.
    """
    found = np.flatnonzero(changed)
    if len(found):
        return slice(int(found[0]), int(found[-1]) + 1)
    return slice(0, 1)
