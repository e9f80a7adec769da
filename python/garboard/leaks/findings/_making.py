"""Makes findings of groups, graphs and cycles: text, while the objects are at hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from garboard._engine import human_bytes
from garboard._shown.site import site_of
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.evidence._rows import Born, Survivor
from garboard.leaks.findings._fixes import accumulating
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._leak import Births, Leak, Rate, Verdict, fingerprint_of
from garboard.leaks.holders._cycles import Cycle
from garboard.leaks.holders._groups import Group, age, cohorts_of
from garboard.leaks.holders._holders import (
    chain_places,
    chain_text,
    expression,
    holder_site,
    holder_text,
)
from garboard.leaks.holders._hops import Link
from garboard.leaks.holders._public import public

__all__ = [
    "counted",
    "leak_of_cycles",
    "leak_of_graph",
    "leak_of_group",
    "leak_of_scattered",
    "leak_of_swelling",
    "leak_of_unreached",
]


_NOUNS = {
    "tensor": "tensor",
    "export": "tensor",
    "node": "graph node",
    "storage": "optimizer",
    "hook": "hook",
}


def leak_of_group(group: Group, kind: Kind, verdict: Verdict, now: int) -> Leak:
    """Describe tensors behind one holder."""
    survivors = group.survivors
    site = site_of(survivors[-1].born_at)
    count = sum(it.weight for it in survivors)
    of_tensors = sum(it.nbytes * it.weight for it in survivors)
    nbytes = (kind.nbytes(group) if kind.nbytes else of_tensors) + group.saved_bytes
    cohorts = cohorts_of(survivors)
    noun = "tensor" if is_one("tensor", survivors[-1].tensor) else _NOUNS[group.what]
    # What registers a hook is the user's line; what fills the table is ours.
    place = site if group.what == "hook" else holder_site(group.named, site)
    is_held = noun == "tensor"
    return Leak(
        kind=kind.name,
        verdict=verdict,
        count=count,
        bytes=nbytes,
        site=site,
        holder=holder_text(group.named, site, place, _others_text(group)),
        chain=chain_text(group.chain),
        since_step=min(cohorts),
        rate=_rate(cohorts, now, nbytes, tensors=count * is_held, nodes=group.behind.count),
        fix=_fix_for_group(kind, group),
        fingerprint=fingerprint_of(kind.family, kind.name, site, _edges(group.chain[group.at :])),
        evidence=f"{_of_steps(cohorts, now)}: {counted(count, noun)}{_besides(kind, group)}",
        holder_site=place,
        places=chain_places(group.chain),
        births=Births.of(cohorts),
        device=_device(survivors),
        moved_site=site_of(survivors[-1].moved_at) if survivors[-1].moved_at else None,
        diff=str(kind.patch_group(group)) if kind.patch_group else "",
    )


def _others_text(group: Group) -> str:
    """Return " and 1 more of `history`" where other items of a fixed set grow in the same way."""
    if not group.siblings or group.set_at is None:
        return ""
    name = expression(group.chain[: group.set_at + 1])
    of_which = f" of `{name}`" if name else ""
    return f" and {len(group.siblings)} more{of_which}"


def _besides(kind: Kind, group: Group) -> str:
    """What a kind has to say of a group; else what hangs behind it."""
    if figures := kind.figures(group):
        return f", {figures}"
    if not group.behind.count:
        return ""
    saved = f" with {human_bytes(group.saved_bytes)} saved" if group.saved_bytes else ""
    return f", {counted(group.behind.count, 'graph node')} behind them{saved}"


def _fix_for_group(kind: Kind, group: Group) -> str:
    if kind.fix_group:
        return kind.fix_group(group)
    name = expression(group.named) or "it"
    return kind.fix.format(name=name, owner=name.rpartition(".")[0] or "it")


def leak_of_graph(
    chain: Chain, owner: Group | None, kind: Kind, verdict: Verdict, now: int
) -> Leak:
    """Describe the graphs of many steps behind one head."""
    cohorts = chain.steps
    site = site_of(chain.site)
    head, name = chain.head, f"{chain.name}, "
    if owner is not None and owner.survivors[-1].serial != head.serial:
        head, name = owner.survivors[-1], ""
        site = site_of(head.site)
    held = public(owner.chain, site) if owner else []
    sum_ = accumulating(site, held, head.shape == ())
    place = (sum_.site if sum_.statement else holder_site(held, site)) if held else None
    count = chain.count
    saved = f", {human_bytes(chain.saved_bytes)} saved" if chain.saved_bytes else ""
    steps = f"steps {min(cohorts)} to {max(cohorts)}"
    first = f".grad_fn: {name}once a step"
    tail = f"graphs of {steps}: {counted(count, 'node')}{saved}"
    return Leak(
        kind=kind.name,
        verdict=verdict,
        count=count,
        bytes=chain.saved_bytes,
        site=site,
        holder=holder_text(held, site, place) if held else "no variable",
        chain=(*(chain_text(owner.chain) if owner else ()), first, tail),
        since_step=min(cohorts),
        rate=_rate(cohorts, now, chain.saved_bytes, nodes=count),
        fix=kind.fix_graph(sum_) if kind.fix_graph else kind.fix.format(**sum_._asdict()),
        fingerprint=fingerprint_of(
            kind.family, kind.name, site, _edges(owner.chain[1:]) if owner else []
        ),
        evidence=f"{_of_steps(cohorts, now)} in one graph: {counted(count, 'node')}{saved}",
        holder_site=place,
        places=(*(chain_places(owner.chain) if owner else ()), site, None),
        births=Births.of(cohorts),
        device=head.device,
        diff=str(kind.patch_graph(sum_)) if kind.patch_graph else "",
    )


def leak_of_cycles(cycles: Sequence[Cycle], kind: Kind, count: int, nbytes: int, now: int) -> Leak:
    """Describe tensors that died in the garbage collector alone."""
    newest = cycles[-1]
    site = site_of(newest.site)
    cohorts = {cycle.step: 1 for cycle in cycles}
    holder = newest.holder + (f" ({newest.place})" if newest.place else "")
    return Leak(
        kind=kind.name,
        verdict="CYCLE",
        count=count,
        bytes=nbytes,
        site=site,
        holder=holder,
        chain=newest.chain,
        since_step=min(cohorts),
        rate=_rate(cohorts, now, nbytes, tensors=count),
        fix=kind.fix,
        fingerprint=fingerprint_of(kind.family, kind.name, site, newest.edges),
        evidence=(
            f"{human_bytes(nbytes)} waited for the collector, {counted(count, 'tensor')} of it "
            f"just now for up to {counted(max(now - min(cohorts), 1), 'step')}"
        ),
        births=Births.of(cohorts),
    )


def leak_of_unreached(
    survivors: Sequence[Survivor | Born], kind: Kind, verdict: Verdict, now: int
) -> Leak:
    """Describe what lives although no root that can be seen leads to it."""
    newest = survivors[-1]
    site = site_of(newest.born_at if isinstance(newest, Survivor) else newest.site)
    nbytes = sum(it.nbytes for it in survivors)
    count = sum(it.weight for it in survivors)
    cohorts: dict[int, int] = {}
    for it in survivors:
        cohorts[it.step] = cohorts.get(it.step, 0) + it.weight
    tensors = sum(it.weight for it in survivors if it.what != "node")
    return Leak(
        kind=kind.name,
        verdict=verdict,
        count=count,
        bytes=nbytes,
        site=site,
        holder=kind.holder,
        chain=(kind.holder, f"born at {site}"),
        since_step=min(cohorts),
        rate=_rate(cohorts, now, nbytes, tensors=tensors, nodes=count - tensors),
        fix=kind.fix,
        fingerprint=fingerprint_of(kind.family, kind.name, site, []),
        evidence=f"{_of_steps(cohorts, now)}: {count} without a visible holder",
        places=(None, site),
        births=Births.of(cohorts),
        device=_device([it for it in survivors if isinstance(it, Survivor)]),
    )


def leak_of_scattered(
    groups: Sequence[Group],
    survivors: Sequence[Survivor],
    kind: Kind,
    verdict: Verdict,
    now: int,
) -> Leak:
    """Describe tensors of one line with many holders: a chain of objects, say."""
    ordered = sorted(survivors, key=age)
    found = leak_of_unreached(ordered, kind, verdict, now)
    newest = max(groups, key=lambda it: age(it.survivors[-1]))
    return replace(
        found,
        holder=holder_text(newest.named, found.site),
        chain=chain_text(newest.chain),
        places=chain_places(newest.chain),
        holder_site=holder_site(newest.named, found.site),
        fix="see who holds the newest; open a dispose_scope() around the step to end it there",
        evidence=found.evidence.replace("without a visible holder", "with a holder each"),
    )


def leak_of_swelling(
    group: Group, kind: Kind, since: int, sizes: tuple[int, int], now: int
) -> Leak:
    """Describe what has grown from one size to another, in bytes, since a step."""
    first, last = sizes
    found = leak_of_group(group, kind, "GROWING", now)
    return replace(
        found,
        bytes=last,
        since_step=since,
        rate=Rate(bytes=(last - first) / max(now - since, 1)),
        evidence=f"from {human_bytes(first)} after step {since} to {human_bytes(last)}, "
        f"and no more tensors than there were",
    )


def counted(number: int, noun: str) -> str:
    """Return `1 tensor`, `2 tensors`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}".replace(",", " ")


def _of_steps(cohorts: Mapping[int, int], now: int) -> str:
    since = min(cohorts)
    if len(cohorts) == 1:
        return f"kept since step {since}" if since else "kept"
    return f"{len(cohorts)} of {counted(max(now - since + 1, len(cohorts)), 'step')} survived"


def _rate(
    cohorts: Mapping[int, int], now: int, nbytes: int, tensors: int = 0, nodes: int = 0
) -> Rate:
    steps = max(cohorts) - min(cohorts) + 1
    return Rate(tensors / steps, nbytes / steps, nodes / steps) if steps > 1 else Rate()


def _device(survivors: Sequence[Survivor]) -> str:
    """Return where they all are."""
    devices = {it.device for it in survivors}
    return devices.pop() if len(devices) == 1 else ""


def _edges(chain: Sequence[Link]) -> list[str]:
    """The kinds and names of edges; indexes, keys and numbers are masked, which run on."""
    return [
        "item" if it.edge.kind == "item" else _NUMBER.sub("#", str(it.edge))
        for it in chain
        if it.edge.name
    ]


_NUMBER = re.compile(r"\d+")
