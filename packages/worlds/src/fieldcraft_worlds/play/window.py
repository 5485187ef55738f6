"""A window with pygame: it shows pictures and passes keys, mouse and gamepad to a player. No other
module uses pygame.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from fieldcraft.base.errors import FieldcraftError, MissingLibrary
from fieldcraft_worlds.play.player import Player

_BUTTONS = {
    1: "mouse left",
    2: "mouse middle",
    3: "mouse right",
    6: "mouse back",
    7: "mouse forward",
}
_NAMES = {
    "equals": "=",
    "plus": "+",
    "minus": "-",
    "period": ".",
    "[+]": "+",
    "[-]": "-",
    "[.]": ".",
}
_STICK = {0: ("key left", "key right"), 1: ("key up", "key down")}
_PUSHED = 0.5  # how far, of 1, a stick is pushed that presses an arrow key
_FARTHEST = 32767  # the value of a stick of a gamepad that is pushed all the way
_PAD = {
    "A": "mouse left",
    "B": "mouse right",
    "X": "key left shift",
    "Y": "key m",
    "START": "key space",
    "BACK": "key h",
    "DPAD_LEFT": "key left",
    "DPAD_RIGHT": "key right",
    "DPAD_UP": "key up",
    "DPAD_DOWN": "key down",
}
"""The inputs that the buttons of a gamepad press, by SDL's names, which are those of an Xbox
gamepad."""
_FRAMES = 60
_LEAST = (160, 120)


def show(player: Player, title: str) -> None:
    """Run a match in a window until it is closed or over.

    Raises
    ------
    MissingLibrary
        Without pygame.
    FieldcraftError
        If no window can be opened.
    """
    pygame, screen = _opened(player.stage.size, title)
    try:
        pygame.key.set_repeat()
        if screen.get_size() != player.stage.size:
            player.resize(*screen.get_size())
        _run(pygame, player)
    finally:
        pygame.display.quit()


def _opened(size: tuple[int, int], title: str) -> tuple[Any, Any]:
    """Return pygame and its window of about that size."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError:
        raise MissingLibrary("pygame-ce", "view", "Playing in a window") from None

    _refuse_without_display()
    try:
        pygame.display.init()
        pygame.display.set_caption(title)  # before the window appears
        screen = pygame.display.set_mode(_fitting(pygame, size), pygame.RESIZABLE)
    except pygame.error as error:
        pygame.display.quit()
        raise FieldcraftError(
            "Playing in a window needs a display",
            got=f"none that pygame can open ({error})",
            remedy="Use --headless --steps 5000, with --record out.mp4 to see it",
        ) from None
    return pygame, screen


def _refuse_without_display() -> None:
    """Raise an error without a display, where SDL would draw into nothing."""
    if sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    ):
        raise FieldcraftError(
            "Playing in a window needs a display",
            got="neither DISPLAY nor WAYLAND_DISPLAY is set",
            remedy="Use --headless --steps 5000, with --record out.mp4 to see it",
        )
    if os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        # Otherwise SDL tries Wayland first, which prints errors.
        os.environ.setdefault("SDL_VIDEODRIVER", "x11")


def _run(pygame: Any, player: Player) -> None:
    from pygame._sdl2 import controller

    clock = pygame.time.Clock()
    opened: list[Any] = []
    pygame.joystick.init()
    controller.init()
    try:
        while not player.is_over:
            for event in pygame.event.get():
                if event.type == pygame.JOYDEVICEADDED:
                    index = event.device_index
                    has_mapping = controller.is_controller(index)
                    kind = controller.Controller if has_mapping else pygame.joystick.Joystick
                    opened.append(kind(index))
                _pass_on(pygame, player, event)
            player.advance(clock.get_time() / 1000)
            _draw(pygame, player)
            clock.tick(_FRAMES)
    finally:
        controller.quit()
        pygame.joystick.quit()


def _pass_on(pygame: Any, player: Player, event: Any) -> None:
    """Pass an event to the player. The left stick of a gamepad and its directional pad press the
    arrow keys; its buttons press what `_PAD` says.
    """
    kind = event.type
    if kind == pygame.QUIT:
        player.quit()
    elif kind == pygame.VIDEORESIZE:
        player.resize(event.w, event.h)
    elif kind == pygame.KEYDOWN:
        player.press(_key(pygame, event))
    elif kind == pygame.KEYUP:
        player.release(_key(pygame, event))
    elif kind == pygame.MOUSEMOTION:
        player.point(*event.pos)
    elif kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP) and event.button in _BUTTONS:
        player.point(*event.pos)
        if kind == pygame.MOUSEBUTTONDOWN:
            player.press(_BUTTONS[event.button])
        else:
            player.release(_BUTTONS[event.button])
    elif kind == pygame.MOUSEWHEEL:
        player.wheel(event.precise_y if event.precise_y else event.y)
    elif kind in (pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP):
        name = _pad_input(pygame, event.button)
        if name is not None and kind == pygame.CONTROLLERBUTTONDOWN:
            player.press(name)
        elif name is not None:
            player.release(name)
    elif kind == pygame.CONTROLLERAXISMOTION and event.axis in _STICK:
        _push(player, event.axis, event.value / _FARTHEST)
    elif kind == pygame.JOYAXISMOTION and event.axis in _STICK:
        _push(player, event.axis, event.value)
    elif kind == pygame.WINDOWLEAVE:
        player.leave()
    elif kind == pygame.WINDOWFOCUSLOST:
        player.release_all()


def _push(player: Player, axis: int, value: float) -> None:
    """Press or release the arrow keys of an axis of a stick, pushed from -1 to 1."""
    for key, push in zip(_STICK[axis], (-value, value), strict=True):
        if push > _PUSHED:
            player.press(key)
        else:
            player.release(key)


def _pad_input(pygame: Any, button: int) -> str | None:
    """Return the input that a button of a gamepad presses, None for none."""
    for name, pressed in _PAD.items():
        if getattr(pygame, f"CONTROLLER_BUTTON_{name}") == button:
            return pressed
    return None


def _key(pygame: Any, event: Any) -> str:
    """Return the name of a key; plus and minus by their character, on any keyboard."""
    written = getattr(event, "unicode", "")
    if written in ("+", "-", "=", "."):
        name = written
    else:
        name = pygame.key.name(event.key).lower()
    return f"key {_NAMES.get(name, name)}"


def _draw(pygame: Any, player: Player) -> None:
    screen = pygame.display.get_surface()
    if screen is None or 0 in screen.get_size():  # minimized
        return
    if screen.get_size() != player.stage.size:
        player.resize(*screen.get_size())
    picture = player.picture()
    high, wide = picture.shape[:2]
    screen.blit(pygame.image.frombuffer(picture, (wide, high), "RGBX"), (0, 0))
    pygame.display.flip()


def _fitting(pygame: Any, size: tuple[int, int]) -> tuple[int, int]:
    """Return a size that fits on the desktop."""
    with suppress(pygame.error, IndexError):
        wide, high = pygame.display.get_desktop_sizes()[0]
        return max(min(size[0], int(wide * 0.95)), _LEAST[0]), max(
            min(size[1], int(high * 0.88)), _LEAST[1]
        )
    return size
