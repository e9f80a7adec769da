"""Makes findings of groups, graphs and cycles: text, while the objects are at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from garboard._engine import human_bytes
from garboard._site import site_of
from garboard.leaks._cycles import Cycle
from garboard.leaks._fixes import fix_for_graph, fix_for_tensors
from garboard.leaks._graphs import Chain
from garboard.leaks._groups import Group, cohorts_of
from garboard.leaks._holders import chain_text, expression, holder_site, holder_text
from garboard.leaks._hops import Link
from garboard.leaks._kind import FAMILIES, Kind
from garboard.leaks._leak import Leak, Rate, Verdict, fingerprint_of
from garboard.leaks._survivors import Node, Survivor

__all__ = ["counted", "leak_of_cycles", "leak_of_graph", "leak_of_group", "leak_of_unreached"]


def leak_of_group(group: Group, kind: str, verdict: Verdict, now: int, weight: int = 1) -> Leak:
    """Describe tensors behind one holder."""
    survivors = group.survivors
    site = site_of(survivors[-1].site)
    place = holder_site(group.named, site)
    count = len(survivors) * weight
    nbytes = sum(it.nbytes for it in survivors) * weight
    behind = ""
    if group.nodes:
        behind = f", {counted(group.nodes, 'graph node')} behind them"
        if group.saved_bytes:
            behind += f" with {human_bytes(group.saved_bytes)} saved"
    if kind == Kind.VIEW_PINS_STORAGE:
        behind = f", {human_bytes(nbytes)} of views pin {human_bytes(group.pinned_bytes)}"
        nbytes = group.pinned_bytes
    if kind == Kind.DUPLICATE_NETS:
        behind = f" of {counted(group.size(), 'net')}"
    cohorts = cohorts_of(survivors)
    return Leak(
        kind=kind,
        verdict=verdict,
        count=count,
        bytes=nbytes + group.saved_bytes,
        site=site,
        holder=holder_text(group.named, site),
        chain=chain_text(group.chain),
        since_step=min(cohorts),
        rate=_rate(cohorts, now, nbytes + group.saved_bytes, tensors=count, nodes=group.nodes),
        fix=fix_for_tensors(kind, group),
        fingerprint=fingerprint_of(FAMILIES[kind], kind, site, _edges(group.chain[group.at :])),
        evidence=f"{_of_steps(cohorts, now)}: {counted(count, 'tensor')}{behind}",
        holder_site=place,
    )


def leak_of_graph(chain: Chain, owner: Group | None, kind: str, verdict: Verdict, now: int) -> Leak:
    """Describe the graphs of many steps behind one head."""
    newest, cohorts = chain.newest, chain.steps
    site = site_of(newest.site)
    name = expression(owner.chain) if owner else ""
    count = len(chain.nodes)
    saved = f", {human_bytes(chain.saved_bytes)} saved" if chain.saved_bytes else ""
    steps = f"steps {min(cohorts)} to {max(cohorts)}"
    head = f".grad_fn: {newest.name}, once a step"
    tail = f"graphs of {steps}: {counted(count, 'node')}{saved}"
    return Leak(
        kind=kind,
        verdict=verdict,
        count=count,
        bytes=chain.saved_bytes,
        site=site,
        holder=holder_text(owner.chain, site) if owner else "no variable",
        chain=(*(chain_text(owner.chain) if owner else ()), head, tail),
        since_step=min(cohorts),
        rate=_rate(cohorts, now, chain.saved_bytes, nodes=count),
        fix=fix_for_graph(kind, site, name, chain.head.shape == ()),
        fingerprint=fingerprint_of(
            FAMILIES[kind], kind, site, _edges(owner.chain[1:]) if owner else []
        ),
        evidence=f"{_of_steps(cohorts, now)} in one graph: {counted(count, 'node')}{saved}",
        holder_site=holder_site(owner.chain, site) if owner else None,
    )


def leak_of_cycles(cycles: Sequence[Cycle], count: int, nbytes: int, now: int) -> Leak:
    """Describe tensors that died in the garbage collector alone."""
    newest = cycles[-1]
    site = site_of(newest.site)
    cohorts = {cycle.step: 1 for cycle in cycles}
    holder = newest.holder + (f" ({newest.place})" if newest.place else "")
    return Leak(
        kind=Kind.PY_CYCLE,
        verdict="CYCLE",
        count=count,
        bytes=nbytes,
        site=site,
        holder=holder,
        chain=newest.chain,
        since_step=min(cohorts),
        rate=_rate(cohorts, now, nbytes, tensors=count),
        fix="break the cycle in a close(), or hold one side by weakref (WeakMethod for a method)",
        fingerprint=fingerprint_of(FAMILIES[Kind.PY_CYCLE], Kind.PY_CYCLE, site, newest.edges),
        evidence=f"{human_bytes(nbytes)} in {counted(count, 'tensor')} waited for the collector",
    )


def leak_of_unreached(
    survivors: Sequence[Survivor | Node], kind: str, verdict: Verdict, now: int
) -> Leak:
    """Describe what lives although no root that can be seen leads to it."""
    site = site_of(survivors[-1].site)
    nbytes = sum(it.nbytes for it in survivors if isinstance(it, Survivor))
    cohorts: dict[int, int] = {}
    for it in survivors:
        cohorts[it.step] = cohorts.get(it.step, 0) + 1
    tensors = sum(isinstance(it, Survivor) for it in survivors)
    holder = "an array, capsule or buffer" if kind == Kind.EXPORT_PIN else "a holder outside Python"
    fix = (
        "drop the array, capsule or buffer after use, or keep a copy of it"
        if kind == Kind.EXPORT_PIN
        else "look for a C extension or a graph node that Python keeps"
    )
    return Leak(
        kind=kind,
        verdict=verdict,
        count=len(survivors),
        bytes=nbytes,
        site=site,
        holder=holder,
        chain=(holder, f"born at {site}"),
        since_step=min(cohorts),
        rate=_rate(cohorts, now, nbytes, tensors=tensors, nodes=len(survivors) - tensors),
        fix=fix,
        fingerprint=fingerprint_of(FAMILIES[kind], kind, site, []),
        evidence=f"{_of_steps(cohorts, now)}: {len(survivors)} without a visible holder",
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


def _edges(chain: Sequence[Link]) -> list[str]:
    """The kinds and names of edges, indexes and keys masked."""
    return ["item" if it.edge.kind == "item" else str(it.edge) for it in chain if it.edge.name]
