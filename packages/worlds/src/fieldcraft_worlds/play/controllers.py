"""Gamepads as pygame reports them: those that SDL has a layout for, and other joysticks by the
numbers of their parts.
"""

from __future__ import annotations

from typing import Any

from fieldcraft_worlds.play.bindings import PAD_BUTTONS
from fieldcraft_worlds.play.pads import Pads

__all__ = ["Controllers"]

_STICKS = {0: ("left", "x"), 1: ("left", "y"), 2: ("right", "x"), 3: ("right", "y")}
_TRIGGERS = {4: "left", 5: "right"}
_FULL = 32767


class Controllers:
    """Opens gamepads as they come and tells `Pads` what they do.

    Without SDL's support for gamepads there are none, which `pads` is not told.
    """

    def __init__(self, pygame: Any, pads: Pads) -> None:
        self._pygame, self._pads = pygame, pads
        self._known: dict[int, Any] = {}  # what SDL has a layout for
        self._plain: dict[int, Any] = {}  # joysticks that it has none for
        from pygame._sdl2 import controller

        self._controller = controller
        pygame.joystick.init()
        controller.init()
        for index in range(pygame.joystick.get_count()):
            self._open(index)

    def close(self) -> None:
        """No gamepads any more."""
        self._known.clear()
        self._plain.clear()
        self._controller.quit()
        self._pygame.joystick.quit()

    def take(self, event: Any) -> None:
        """Follow an event if it is of a gamepad."""
        pygame, kind = self._pygame, event.type
        if kind == pygame.JOYDEVICEADDED:
            self._open(event.device_index)
        elif kind == pygame.JOYDEVICEREMOVED:
            self._gone(event.instance_id)
        elif kind in (pygame.CONTROLLERBUTTONDOWN, pygame.CONTROLLERBUTTONUP):
            if event.instance_id in self._known and event.button < len(PAD_BUTTONS):
                self._pads.button(
                    event.instance_id,
                    PAD_BUTTONS[event.button],
                    kind == pygame.CONTROLLERBUTTONDOWN,
                )
        elif kind == pygame.CONTROLLERAXISMOTION:
            if event.instance_id in self._known:
                self._axis(event.instance_id, event.axis, event.value / _FULL)
        elif event.dict.get("instance_id") in self._plain:
            self._plain_event(event)

    def _plain_event(self, event: Any) -> None:
        """A joystick without a layout: the first two axes are the left stick, its hat is the
        cross.
        """
        pygame, key = self._pygame, event.instance_id
        if event.type in (pygame.JOYBUTTONDOWN, pygame.JOYBUTTONUP):
            self._pads.button(key, f"button {event.button + 1}", event.type == pygame.JOYBUTTONDOWN)
        elif event.type == pygame.JOYAXISMOTION and event.axis in _STICKS:
            self._axis(key, event.axis, event.value)
        elif event.type == pygame.JOYHATMOTION and event.hat == 0:
            x, y = event.value
            for way, is_down in (("left", x < 0), ("right", x > 0), ("down", y < 0), ("up", y > 0)):
                self._pads.button(key, way, is_down)

    def _axis(self, key: int, axis: int, value: float) -> None:
        if axis in _STICKS:
            self._pads.stick(key, *_STICKS[axis], value)
        elif axis in _TRIGGERS:
            self._pads.trigger(key, _TRIGGERS[axis], value)

    def _open(self, index: int) -> None:
        """Open a device by its place in SDL's list; one that is gone again by now is passed
        over.
        """
        pygame = self._pygame
        try:
            if self._controller.is_controller(index):
                opened = self._controller.Controller(index)
                key, name = opened.as_joystick().get_instance_id(), opened.name
                self._known[key] = opened
            else:
                opened = pygame.joystick.Joystick(index)
                key, name = (
                    opened.get_instance_id(),
                    f"{opened.get_name()}, which SDL has no layout for",
                )
                self._plain[key] = opened
        except pygame.error:
            return
        self._pads.plug(key, name)

    def _gone(self, key: int) -> None:
        self._known.pop(key, None)
        self._plain.pop(key, None)
        self._pads.unplug(key)
