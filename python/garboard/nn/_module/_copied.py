"""Copies of modules whose class says itself what is copied, as for pickles."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard.nn._module._hooked import TABLES
from garboard.nn._module._registered import lend_views
from garboard.nn._module._tree import Tree

__all__ = ["copied_by_its_state", "says_its_state"]

_METHODS = (
    *("__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"),
    *("__getnewargs__", "__getnewargs_ex__"),
)


def says_its_state(kind: type, base: type) -> bool:
    """Tell whether a class has methods of its own for pickles, which copies ask in Python, too.

    Those of a class with `_copies_its_dict` are for pickles alone.
    """
    plain = next((it for it in kind.__mro__ if "_copies_its_dict" in vars(it)), base)
    return any(getattr(kind, it, None) is not getattr(plain, it, None) for it in _METHODS)


def copied_by_its_state(module: Tree, memo: dict[int, Any] | None, of_one: tuple[str, ...]) -> Any:
    """Make another module of what a module's `__reduce_ex__` says.

    Args:
        module: The module.
        memo: Of a copy in depth; None for a copy over the same tensors.
        of_one: Names of its `__dict__` that are of this module alone.
    """
    if memo is not None:
        check.of_type(dict, "deepcopy", "memo", memo)
    told: Any = module.__reduce_ex__(4)
    if isinstance(told, str):  # a name: there is one of it
        return module
    make, arguments, state = (*told, None)[:3]
    taken: Callable[[Any], Any] = (lambda it: it) if memo is None else lambda it: deepcopy(it, memo)
    made = make(*map(taken, arguments))
    if memo is not None:
        memo[id(module)] = made
    if state is not None:
        if isinstance(state, dict):
            state = {
                name: it for name, it in state.items() if name not in of_one or type(it) is dict
            }
        made.__setstate__(taken(state))
    own = vars(made)
    own["_home"] = _engine.current_dispose_scope()
    if memo is None:  # what is registered on one is not on the other
        own.update({name: copy(own[name]) for name in ("_roles", *TABLES) if name in own})
    lend_views(made)
    return made
