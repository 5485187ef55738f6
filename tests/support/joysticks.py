"""Joysticks that SDL makes up, for tests of real gamepad events where there is no gamepad."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

GAMEPAD, PLAIN = 1, 0


class VirtualJoysticks:
    """SDL's virtual joysticks, through the very library that pygame has loaded."""

    def __init__(self) -> None:
        maps = Path("/proc/self/maps")
        loaded = (
            {line.split()[-1] for line in maps.read_text().splitlines() if "libSDL2-" in line}
            if maps.exists()
            else set()
        )
        if not loaded:
            pytest.skip("the SDL library of pygame was not found")
        sdl = ctypes.CDLL(loaded.pop())
        if not hasattr(sdl, "SDL_JoystickAttachVirtual"):
            pytest.skip("this SDL has no virtual joysticks")
        sdl.SDL_JoystickOpen.restype = ctypes.c_void_p
        sdl.SDL_JoystickSetVirtualAxis.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int16]
        sdl.SDL_JoystickSetVirtualButton.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint8]
        sdl.SDL_JoystickSetVirtualHat.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint8]
        sdl.SDL_JoystickClose.argtypes = [ctypes.c_void_p]
        self._sdl: Any = sdl
        self._opened: list[int] = []

    def attach(self, kind: int = GAMEPAD) -> int:
        """Plug one in; answers its place in SDL's list."""
        index = int(self._sdl.SDL_JoystickAttachVirtual(kind, 6, 15, 0 if kind == GAMEPAD else 1))
        if index < 0:
            pytest.skip("SDL cannot make up a joystick here")
        self._opened.append(self._sdl.SDL_JoystickOpen(index))
        return index

    def axis(self, number: int, value: float) -> None:
        """Move an axis of the one that was plugged in last, -1 to 1."""
        self._sdl.SDL_JoystickSetVirtualAxis(self._opened[-1], number, round(value * 32767))

    def button(self, number: int, is_down: bool) -> None:
        """Press or release one of its buttons."""
        self._sdl.SDL_JoystickSetVirtualButton(self._opened[-1], number, is_down)

    def hat(self, value: int) -> None:
        """Turn its hat: 1 up, 2 right, 4 down, 8 left."""
        self._sdl.SDL_JoystickSetVirtualHat(self._opened[-1], 0, value)

    def detach(self, index: int) -> None:
        """Pull one out."""
        self._sdl.SDL_JoystickDetachVirtual(index)

    def close(self) -> None:
        """Let go of all."""
        for opened in self._opened:
            self._sdl.SDL_JoystickClose(opened)
