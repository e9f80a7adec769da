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
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from logging import LogRecord
from types import FunctionType, MappingProxyType, MethodType

from garboard._shown.site import site_of
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.findings._fixes import (
    called,
    ending_of,
    filled_bounded,
    is_by_key,
    is_kept_once,
    keyed_small,
    patch_bounding,
    patch_keyed_small,
    patch_stored_small,
    stored_small,
)
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_emptied_by_code, is_lookup, leads_to_its_key
from garboard.leaks.holders._groups import Group, cohorts_of, is_container
from garboard.leaks.holders._holders import expression, joining_of
from garboard.leaks.holders._patches import NO_PATCH, Patch
from garboard.leaks.holders._tees import TEE
from garboard.leaks.holders._unasked import is_a

__all__ = ["KIND"]


def _is_settled(group: Group) -> bool:
    """What the program takes items out of, it may yet take them out of; except that unfreed graphs
    are never meant."""
    survivors = group.survivors
    if is_emptied_by_code(group) and not group.saved_bytes:
        return False
    if all(it.requires_grad or it.node for it in survivors):
        return True
    return all(it.shape == () for it in survivors) and not is_lookup(group.holder)


def _joined(group: Group) -> str:
    """Return what needs the items as tensors although each has one element: `stack`."""
    newest = group.survivors[-1]
    return joining_of(group.named, site_of(newest.site)) if newest.shape == () else ""


_ELSE = {"item": "store numbers: .item()", "detach": "store .detach(), or compute inside no_grad()"}


def _fix(group: Group) -> str:
    name = expression(group.named) or "it"
    if group.is_string:
        return _cut(group, name)
    if any(is_a(link.object, TEE) for link in group.named):
        return f"read {name} as far as its twin: what lies between them is kept"
    if is_by_key(group):
        if statement := keyed_small(group):
            return statement
        return f"let the keys of {called(group)} be numbers or names: a key keeps its tensor"
    if is_container(group.holder) and (joined := _joined(group)):
        if joined == "backward":
            return f"clear {called(group)} when backward() has gone through it"
        return f"clear {name} when {joined}() has made one tensor of it, or keep numbers alone"
    ending = ending_of(group.survivors[-1])
    if ending == "detach" and is_kept_once(group):
        return f"take it out of {name} when it is done, or make it inside a dispose_scope()"
    if ending and (statement := stored_small(group)):
        return statement
    if in_words := _of_holder(group, name) or _of_item(group):
        return in_words
    if ending and _is_one_of_several(group):
        bound = f"bound {called(group)}{_bounding(group)}"
        return f"store what is needed of each item alone, or {bound}"
    if ending:
        return _ELSE[ending]
    if is_kept_once(group):
        return f"take it out of {name} when it is done, or {_elsewhere(group)}"
    if group.has_ever_more_holders():
        return f"cut what {name} is part of where it is done with: there are ever more like it"
    if group.slots() is not None:
        name = called(group)
        return f"let the index into {name} come round, for instance by % len({name})"
    if statement := filled_bounded(group):
        return statement
    return f"bound {called(group)}{_bounding(group)}, or clear it at the end of each epoch"


def _elsewhere(group: Group) -> str:
    """Say where to make what a single pass leaves. A scope would end a network that is cached."""
    is_net = any(is_one("module", link.object) for link in group.chain[group.at + 1 :])
    return "build it before the check begins" if is_net else "make it inside a dispose_scope()"


def _is_one_of_several(group: Group) -> bool:
    """Tell whether items of a container have several tensors each, such as `locals()`."""
    is_whole = is_container(group.holder) and group.chain[group.at + 1 :] != group.chain[-1:]
    return is_whole and len(group.survivors) >= 2 * len(cohorts_of(group.survivors))


def _cut(group: Group, name: str) -> str:
    is_called = is_a(group.holder, FunctionType)
    if is_called:
        return f"{name} calls all that came before: keep what the first one replaced, and call that"
    if ending := ending_of(group.survivors[-1]):
        return _ELSE[ending]
    return f"{name} leads to all that came before: cut it, or use a deque(maxlen=...)"


def _of_holder(group: Group, name: str) -> str:
    """What to do with a holder that is no container of the program's own; empty of one that is."""
    holder = group.named[-1].object
    if is_a(holder, MappingProxyType):
        owner = name.rpartition(".")[0] or name
        return f"register with {owner} once, before the loop: it keeps each for good"
    if leads_to_its_key(group):
        return f"let no value of {name} lead to its key, which then never dies"
    if is_a(holder, (ExitStack, AsyncExitStack)):
        return f"open a stack for each step, or call {name}.close() when it is over"
    if is_container(group.holder):
        return ""
    if is_a(holder, tuple):
        return f"bound {name}, for instance {name} = {name}[-100:], or begin it anew at each epoch"
    return f"{name} gains a name for each: let one name be overwritten, or bound a container"


def _of_item(group: Group) -> str:
    """What to do with items that are no tensors and keep one each; empty of others."""
    at = group.at + 1
    item = group.chain[at].object if at < len(group.chain) else None
    if is_a(item, LogRecord):
        return "store record.getMessage(), a text: a record keeps the arguments it was given"
    if is_a(item, (FunctionType, MethodType, partial)):
        done = "take each function out when it is done: it keeps what it uses"
        if statement := filled_bounded(group, done):
            return statement
        return f"take each function out of {called(group)} when it is done: it keeps what it uses"
    return ""


def _patch(group: Group) -> Patch:
    """What is only detached still piles up: it is bounded, too."""
    if is_by_key(group):
        return patch_keyed_small(group)
    if not is_container(group.holder) or _joined(group):
        return NO_PATCH
    ending = ending_of(group.survivors[-1])
    if is_kept_once(group) and ending != "item":
        return NO_PATCH  # of what one pass leaves nothing is to be kept
    small = patch_stored_small(group) if ending else NO_PATCH
    return small if small.edits or not _may_be_bounded(group, ending) else patch_bounding(group)


def _may_be_bounded(group: Group, ending: str) -> bool:
    return not ending or _is_one_of_several(group)


def _bounding(group: Group) -> str:
    holder = group.holder
    if group.named[-1].object is not holder:
        return ""  # something around it has the name, with methods of its own
    name = called(group)
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
