"""A class, a default argument, a finalizer or another module keeps everything it was shown.

    class Run:
        all = []                    # leaks: every run that ever was
        all = weakref.WeakSet()     # the runs that live

Evidence: the way leads by a class attribute, a default argument, `weakref.finalize`, `atexit`, or
a variable of another module than the loop's.
"""

from __future__ import annotations

import weakref
from types import ModuleType

from garboard._shown.notebook import cell_of
from garboard._shown.site import site_of
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.findings._fixes import (
    ending_of,
    filled_bounded,
    patch_bounding,
    patch_stored_small,
    stored_small,
)
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_emptied_by_code
from garboard.leaks.holders._describe import file_of
from garboard.leaks.holders._groups import Group, is_container
from garboard.leaks.holders._holders import expression, way_in
from garboard.leaks.holders._patches import NO_PATCH, Patch
from garboard.leaks.holders._roots import ExitCallbacks
from garboard.leaks.holders._unasked import is_a, length_of, module_name_of

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    if not group.is_contained or any(it.edge.kind == "fixture" for it in group.named):
        return False
    for link in group.named:
        if link.edge.kind in ("class attribute", "default argument", "callback"):
            return True
        if link.edge.name == "_registry":
            return True
    root = group.chain[0].object
    if type(root) is ExitCallbacks:
        return True
    if not is_a(root, ModuleType) or group.chain[1].edge.kind != "global":
        return False
    if module_name_of(root) == "__main__" and (cell_of(group.loop_file) or not file_of(root)):
        return False  # the cells of a notebook are one module; `python -c` has no file
    return file_of(root) != group.loop_file


def _is_settled(group: Group) -> bool:
    """What the program takes items out of, it may yet take them out of."""
    return bool(group.saved_bytes) or _is_finalizer(group) or not is_emptied_by_code(group)


def _is_finalizer(group: Group) -> bool:
    """Tell whether `weakref.finalize` has it: until the object dies, and many never do."""
    return any(link.object is weakref.finalize for link in group.named)


def _patch(group: Group) -> Patch:
    is_small = bool(ending_of(group.survivors[-1])) and is_container(group.holder)
    if is_small or _is_finalizer(group) or type(group.holder) is ExitCallbacks:
        return patch_stored_small(group) if is_small else NO_PATCH
    at = group.at + 1
    item = group.chain[at].object if at < len(group.chain) else None
    is_plain = is_one("tensor", item) or length_of(item) is not None
    return patch_bounding(group) if is_plain and is_container(group.holder) else NO_PATCH


_OPPOSITES = (
    ("add", "remove"), ("append", "remove"), ("attach", "detach"), ("connect", "disconnect"),
    ("register", "unregister"), ("subscribe", "unsubscribe"),
)  # fmt: skip


def _opposite(way: str) -> str:
    """Return `log.removeHandler()` of `log.addHandler()`; of others what is to be done."""
    before, dot, name = way.rpartition(".")
    for it, other in _OPPOSITES:
        if name.startswith(it):
            return f"{before}{dot}{name.replace(it, other, 1)}"
    return "take it out again"


def _fix(group: Group) -> str:
    if _is_finalizer(group):
        return "give weakref.finalize() no tensors, or detach() the finalizer when it is done"
    if type(group.holder) is ExitCallbacks:
        return "register one function, without tensors, or atexit.unregister() it when it is done"
    name = expression(group.named)
    if way := way_in(group.named, site_of(group.survivors[-1].site)):
        return f"call {way} once, before the loop, or {_opposite(way)} when it is done"
    if group.named[-1].edge.kind == "default argument":
        return f"{name} is made once, with the function: let it be None, and make it inside"
    if ending_of(group.survivors[-1]) and (statement := stored_small(group)):
        return statement
    item = group.chain[group.at + 1].object
    if is_one("tensor", item) or length_of(item) is not None:
        if statement := filled_bounded(group, "take items out when they are done"):
            return statement
        return f"take items out of {name} when they are done, or bound it"
    kind = "WeakValueDictionary" if is_a(group.holder, dict) else "WeakSet"
    return f"use weakref.{kind} for {name}, or take items out of it when they are done"


KIND = Kind(
    name="global-registry",
    family="REG",
    text=__doc__ or "",
    rank=140,
    fits=_fits,
    is_settled=_is_settled,
    fix_group=_fix,
    patch_group=_patch,
)
