"""The types of calls, remembered while kernels are compiled.

Numba asks for the signature of every call in a function again in each round of its type inference,
and each time goes through all
templates that the called function has: some hundred for an operator such as `+`. Within
`remembered` what was found once is found at once from then on, for the same types and the same
options of the compiler.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

__all__ = ["remembered"]

_Function: Any = importlib.import_module("numba.core.types.functions").BaseFunction
_Options: Any = importlib.import_module("numba.core.targetconfig").ConfigStack
_search = _Function.get_call_type
_signatures: dict[Any, Any] = {}
_options: dict[
    int, tuple[Any, Any]
] = {}  # by the identity of what is kept alive beside its value: hashing it anew takes longer


@contextlib.contextmanager
def remembered() -> Iterator[None]:
    """Within, no signature is searched for twice. The compiler's lock is held by the caller."""
    _Function.get_call_type = _recall
    try:
        yield
    finally:
        _Function.get_call_type = _search
        _options.clear()


def _recall(self: Any, context: Any, arguments: Any, named: Any) -> Any:
    # A function type that gains templates is a new object: the old one's signatures are never asked
    # for again.
    key = (id(self), _options_now(), tuple(arguments), tuple(sorted(named.items())))
    found = _signatures.get(key)
    if found is None:
        signature = _search(self, context, arguments, named)
        _signatures[key] = (
            self,
            signature,
        )  # the function type is kept alive, or its identity would be another's
        return signature
    return found[1]


def _options_now() -> Any:
    options = _Options.top_or_none()
    if options is None:
        return None
    known = _options.get(id(options))
    if known is None:
        known = _options[id(options)] = (
            options,
            tuple(sorted((name, repr(value)) for name, value in options.values().items())),
        )
    return known[1]
