"""Copies of a whole model pile up.

    best.append(copy.deepcopy(net.state_dict()))    # leaks a model each time
    best = copy.deepcopy(net.state_dict())          # replaces the one before

Evidence: a container gains, at a line that copies, tensors of the shapes of a living model's. LEAK,
unless the program takes copies out again.
"""

from __future__ import annotations

import re
from collections import Counter

from garboard._shown.site import site_of
from garboard.leaks.evidence._tensors import living_parameters
from garboard.leaks.findings._fixes import filled_bounded, patch_bounding
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_emptied_by_code
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression
from garboard.leaks.holders._source import calls_at, text_at

__all__ = ["KIND"]

_GRADIENT = re.compile(r"\.grad\b")  # which has a parameter's shape, and is none
_MOST_OF_EACH = 4  # tensors of a parameter's shape: itself, and what Adam remembers of it
_COPYING = {"clone", "copy", "deepcopy", "load_state_dict", "state_dict"}


def _fits(group: Group) -> bool:
    if not group.is_contained:
        return False
    newest = group.survivors[-1]
    site = site_of(newest.site)
    calls = calls_at(site.file, site.line)
    if not _COPYING & calls:
        return False
    if _GRADIENT.search(text_at(site.file, site.line)):
        return False
    copied = Counter(it.shape for it in group.survivors if it.step == newest.step)
    shapes = _shapes_of_models(group)
    if copied <= shapes:
        return True
    del copied[()], shapes[()]  # an optimizer's state has its steps
    is_state = {"state_dict", "deepcopy"} <= calls or ("deepcopy" in calls and copied >= shapes)
    return is_state and all(n <= _MOST_OF_EACH * shapes[it] for it, n in copied.items())


def _shapes_of_models(group: Group) -> Counter[tuple[int, ...]]:
    """Count the shapes of living parameters and buffers that are none of the copies."""
    copies = {id(it.tensor) for it in group.survivors}
    found: Counter[tuple[int, ...]] = Counter()
    for it in living_parameters():
        if id(it) not in copies:
            found[tuple(it.shape)] += 1
    return found


_ELSE = "save each to a file"


def _fix(group: Group) -> str:
    name = expression(group.named) or "it"
    return filled_bounded(group, _ELSE, 1) or f"keep one copy instead of {name}, or {_ELSE}"


KIND = Kind(
    name="checkpoint-hoard",
    family="COPY",
    text=__doc__ or "",
    rank=95,
    fits=_fits,
    is_settled=lambda group: not is_emptied_by_code(group),
    figures=lambda group: f"in {group.size()} copies of a model",
    fix_group=_fix,
    patch_group=lambda group: patch_bounding(group, 1),
)
