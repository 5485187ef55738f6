"""The type of layers whose kind is known only when a program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fieldcraft.layers.layer import Layer

if TYPE_CHECKING:

    class AnyLayer(Layer):
        """A layer by its name, `imap["threat"]`: type checkers accept the methods of all kinds."""

        # Any in place of the types that classes of layers narrow: with `isinstance` checkers look
        # for a type that is both.
        propagation: Any
        steps: Any

        def __getattr__(self, name: str) -> Any: ...

else:
    AnyLayer = Layer
