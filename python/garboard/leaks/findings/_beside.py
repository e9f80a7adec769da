"""What several statements store into containers of their own: one cause, told once.

losses.append(loss)
by_step[step] = loss                # the list lets go of it, and the dict does not
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from garboard._shown.site import site_of
from garboard.leaks.findings._leak import Leak
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import storing_of
from garboard.leaks.holders._mending import End, is_by_name, is_statement, with_ends
from garboard.leaks.holders._patches import Patch, together
from garboard.leaks.holders._source import Storing
from garboard.leaks.holders._statements import block_of, statement_like

__all__ = ["with_beside"]

_Told = tuple[Leak, Group]


def with_beside(own: _Told, others: Sequence[_Told], patches: Sequence[Patch]) -> Leak:
    """Return a finding that names the other containers of the same tensors, too.

    Args:
        own: The finding, and what it is made of.
        others: The same of each other container.
        patches: What mends each of them, the finding's first.
    """
    told = sorted((own, *others), key=_line)
    (first, _), *rest = told
    is_all = len(patches) == len(told) and all(it.edits for it in patches)
    holders = [it.holder for it, _ in told]
    return replace(
        own[0],
        holder=", and ".join(holders),
        holder_site=first.holder_site,
        fix=_made_small(told) or _one_by_one(first, [it for it, _ in rest]),
        diff=str(together(patches)) if is_all else own[0].diff,
    )


def _line(told: _Told) -> tuple[str, int]:
    place = told[0].holder_site
    return (place.file, place.line) if place else ("", 0)


def _one_by_one(first: Leak, rest: Sequence[Leak]) -> str:
    fixes = [it for it in rest if it.fix != first.fix]
    more = [f"{it.fix} ({it.holder_site.place})" if it.holder_site else it.fix for it in fixes]
    link = "  # and " if is_statement(first.fix) else ", and "
    return link.join([first.fix, *filter(None, [", and ".join(more)])])


def _made_small(told: Sequence[_Told]) -> str:
    """Return `loss = loss.item()` before the first of statements that all store `loss`; empty
    where it is used in another way behind that, or numbers would not do."""
    found = [storing_of(it.named, site_of(it.survivors[-1].site)) for _, it in told]
    known = [it for it in found if it is not None]
    if len(known) < len(told) or len({(file, it.value) for file, it in known}) > 1:
        return ""
    if len({it.line for _, it in known}) == 1:  # a loop over the containers
        return ""
    (file, first), name = known[0], known[0][1].value
    fixes = [with_ends(it.statement, it.value, [End((), "item")]) for _, it in known]
    is_small = all(leak.fix == fix for (leak, _), fix in zip(told, fixes, strict=True))
    if not is_small or not is_by_name(name) or _is_read_behind(file, name, known):
        return ""
    return f"{name} = {name}.item(); {first.statement}"


def _is_read_behind(file: str, name: str, known: Sequence[tuple[str, Storing]]) -> bool:
    """Tell whether the block of the first statement reads `name` behind it, but for the others; or
    has not all of them."""
    nodes = [statement_like(file, it.line, it.statement) for _, it in known]
    block = block_of(file, nodes[0])
    at = next((i for i, it in enumerate(block) if it is nodes[0]), len(block))
    behind = [it for it in block[at + 1 :] if not any(it is node for node in nodes)]
    is_apart = any(not any(it is node for it in block) for node in nodes)
    return is_apart or any(
        ast.unparse(it) == name
        for statement in behind
        for it in ast.walk(statement)
        if isinstance(it, ast.Name | ast.Attribute)
    )
