"""A cache by shape gets a new key at almost every step.

    plans[x.shape] = plan(x)                    # leaks while lengths vary freely
    plans[bucket(x.shape)] = plan(pad(x))       # a dozen keys

Evidence: a dict keyed by lengths, or by integers together in tuples, dataclasses or texts such as
"2x17", which are sizes of what it has. GROWING, for the keys may yet repeat themselves; LEAK after
a hundred steps that each brought a new one.
"""

from __future__ import annotations

import re
from typing import Any

from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._tensors import shape_of
from garboard.leaks.findings._fixes import called, filled_bounded, patch_bounding
from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    is_plain_tuple,
    items_of,
    keys_of,
    space_of,
)

__all__ = ["KIND"]


_WRITTEN = re.compile(r"\d+([^\w.]|[xX_])+\d+(([^\w.]|[xX_])+\d+)*")  # 2x17, (2, 17)


def _parts_of(key: object) -> tuple[Any, ...]:
    """Return what a key is made of: a tuple, the fields of a dataclass, numbers in a text."""
    if is_plain_tuple(key):
        return key
    if is_a(key, tuple):
        return tuple(items_of(key))
    if "__dataclass_fields__" in space_of(type(key)):
        return tuple(attributes_of(key).values())
    if type(key) is str and _WRITTEN.fullmatch(key.strip("()[] ")):
        return tuple(int(it) for it in re.findall(r"\d{1,18}", key))
    return ()


def _is_shape(given: object) -> bool:
    if type(given) is int:
        return given > 0
    key = _parts_of(given)
    if not key:
        return False
    return all(is_a(it, int) for it in key) or (
        any(_is_shape(it) for it in key) and not any(is_a(it, str) for it in key)
    )


def _fits(group: Group) -> bool:
    if not is_a(group.holder, dict):
        return False
    keys, values = keys_of(group.holder), items_of(group.holder)
    if len(keys) < 2 or not all(map(_is_shape, keys)):
        return False
    pairs = [pair for pair in zip(keys, values, strict=True) if is_one("tensor", pair[1])]
    known = sum(_sizes_of(key) <= {*shape_of(value)} for key, value in pairs)
    if any(type(key) is int for key in keys):  # a counter may be a size once in a while
        return known == len(pairs) > 0
    return 2 * known >= len(pairs)


def _sizes_of(key: object) -> set[int]:
    """Return the largest size that a key names: the workspace has it, too; a step counter does
    not."""
    parts = (key,) if type(key) is int else _parts_of(key)
    sizes = [it for it in parts if type(it) is int]
    sizes += [size for it in parts if type(it) is not int for size in _sizes_of(it)]
    return {max(sizes)} if sizes else set()


def _fix(group: Group) -> str:
    return (
        filled_bounded(group, "bucket the shapes") or f"bucket the shapes, or bound {called(group)}"
    )


KIND = Kind(
    name="unbounded-shape-cache",
    family="SHAPE",
    text=__doc__ or "",
    rank=130,
    fits=_fits,
    is_settled=lambda group: False,
    fix="bucket the shapes, or bound {name}",
    fix_group=_fix,
    patch_group=patch_bounding,
)
