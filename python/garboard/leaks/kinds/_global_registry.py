"""A class, a default argument, a finalizer or another module keeps everything it was shown.

    class Run:
        all = []                    # leaks: every run that ever was
        all = weakref.WeakSet()     # the runs that live

Evidence: the way leads by a class attribute, a default argument, `weakref.finalize`, `atexit`, or
a variable of another module than the loop's.
"""

from __future__ import annotations

from types import ModuleType

from garboard._site import site_of
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._describe import file_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import may_be_emptied
from garboard.leaks.holders._unasked import is_a

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    if not group.is_contained:
        return False
    for link in group.named:
        if link.edge.kind in ("class attribute", "default argument", "callback"):
            return True
        if link.edge.name == "_registry":
            return True
    root = group.chain[0].object
    if not is_a(root, ModuleType) or group.chain[1].edge.kind != "global":
        return False
    return file_of(root) != group.loop_file


def _is_settled(group: Group) -> bool:
    """What the program takes items out of, it may yet take them out of."""
    site = site_of(group.survivors[-1].site)
    return bool(group.saved_bytes) or not may_be_emptied(group.named, site)


KIND = Kind(
    name="global-registry",
    family="REG",
    text=__doc__ or "",
    rank=140,
    fits=_fits,
    is_settled=_is_settled,
    fix="use weakref.WeakSet for {name}, or take items out of it when they are done",
)
