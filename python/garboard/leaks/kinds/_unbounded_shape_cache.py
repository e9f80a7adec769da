"""A cache by shape gets a new key at almost every step.

    plans[x.shape] = plan(x)                    # leaks while lengths vary freely
    plans[bucket(x.shape)] = plan(pad(x))       # a dozen keys

Evidence: a dict keyed by tuples of integers. GROWING: the keys may yet repeat themselves.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._unasked import is_a, keys_of

__all__ = ["KIND"]


def _is_shape(key: object) -> bool:
    if type(key) is not tuple or not key:
        return False
    return all(is_a(it, int) for it in key) or (
        any(_is_shape(it) for it in key) and not any(is_a(it, str) for it in key)
    )


def _fits(group: Group) -> bool:
    keys = keys_of(group.holder) if is_a(group.holder, dict) else []
    return len(keys) > 1 and all(map(_is_shape, keys))


KIND = Kind(
    name="unbounded-shape-cache",
    family="SHAPE",
    text=__doc__ or "",
    rank=130,
    fits=_fits,
    is_settled=lambda group: False,
    fix="bucket the shapes, or bound {name}",
)
