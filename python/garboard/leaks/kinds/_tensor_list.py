"""A container gains a tensor at every step.

    losses.append(loss)           # leaks: a tensor, and the graph behind it
    losses.append(loss.item())    # keeps a number

Where tensors are wanted, detach them, bound the container, or empty it at the end of each epoch.
Objects that each refer to the one before are a list, too, and so are functions that do.

Evidence: a list, dict, set or deque without a bound, or a string of objects of one class, with
survivors of nearly every step. LEAK where nobody keeps such things on purpose: one-element tensors,
and tensors with graphs behind them; else GROWING, for a buffer that still fills looks the same.
"""

from __future__ import annotations

from collections import deque
from itertools import tee

from garboard._shown.site import site_of
from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.findings._fixes import patch_bounding, patch_stored, stored_as
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_emptied_by_code, is_lookup
from garboard.leaks.holders._groups import Group, is_container
from garboard.leaks.holders._holders import expression, joining_of
from garboard.leaks.holders._patches import NO_PATCH, Patch
from garboard.leaks.holders._unasked import is_a

__all__ = ["KIND"]


_TEE: type = type(tee(())[0])


def _is_settled(group: Group) -> bool:
    """What the program takes items out of, it may yet take them out of; except that unfreed graphs
    are never meant."""
    survivors = group.survivors
    if is_emptied_by_code(group) and not group.saved_bytes:
        return False
    if all(it.requires_grad or it.node for it in survivors):
        return True
    return all(it.shape == () for it in survivors) and not is_lookup(group.holder)


def _ending(stored: Survivor) -> str:
    """Return the method that makes something small of what is stored; empty where none does."""
    if stored.shape == ():
        return "item"
    return "detach" if stored.requires_grad or stored.node else ""


def _joined(group: Group) -> str:
    """Return what needs the items as tensors although each has one element: `stack`."""
    newest = group.survivors[-1]
    return joining_of(group.named, site_of(newest.site)) if newest.shape == () else ""


_ELSE = {"item": "store numbers: .item()", "detach": "store .detach(), or compute inside no_grad()"}


def _fix(group: Group) -> str:
    name = expression(group.named) or "it"
    if group.is_string:
        if ending := _ending(group.survivors[-1]):
            return _ELSE[ending]
        return f"{name} leads to all that came before: cut it, or use a deque(maxlen=...)"
    if any(is_a(link.object, _TEE) for link in group.named):
        return f"read {name} as far as its twin: what lies between them is kept"
    if not is_container(group.holder):
        return f"{name} gains a name for each: let one name be overwritten, or bound a container"
    if joined := _joined(group):
        return f"clear {name} when {joined}() has made one tensor of it, or keep numbers alone"
    if ending := _ending(group.survivors[-1]):
        return stored_as(group, _ending) or _ELSE[ending]
    if len({it.step for it in group.survivors}) == 1:
        return f"take it out of {name} when it is done, or make it inside a dispose_scope()"
    if group.has_ever_more_holders():
        return f"cut what {name} is part of where it is done with: there are ever more like it"
    bounding = _bounding(group, name)
    return f"bound {name}{bounding}, or clear it at the end of each epoch"


def _patch(group: Group) -> Patch:
    """What is only detached still piles up: it is bounded, too."""
    if not is_container(group.holder):
        return NO_PATCH
    ending = _ending(group.survivors[-1])
    if _joined(group):
        return NO_PATCH
    if ending == "item":
        return patch_stored(group, _ending)
    if len({it.step for it in group.survivors}) == 1:
        return NO_PATCH
    bounding = patch_bounding(group)
    detaching = patch_stored(group, _ending) if ending else NO_PATCH
    if ending and not (detaching.edits and bounding.edits):
        return detaching
    return Patch(bounding.file, (*detaching.edits, *bounding.edits))


def _bounding(group: Group, name: str) -> str:
    holder = group.holder
    if group.named[-1].object is not holder:
        return ""  # something around it has the name, with methods of its own
    if is_a(holder, dict):
        return f", for instance if len({name}) > 100: {name}.pop(next(iter({name})))"
    if is_a(holder, set):
        return f", for instance if len({name}) > 100: {name}.pop()"
    return ", for instance deque(maxlen=...)" if is_a(holder, (list, deque)) else ""


KIND = Kind(
    name="tensor-list",
    family="LIST",
    text=__doc__ or "",
    rank=200,
    fits=lambda group: group.is_contained,
    is_settled=_is_settled,
    fix_group=_fix,
    patch_group=_patch,
)
