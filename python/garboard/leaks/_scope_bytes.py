"""What an open scope is expected to have alive at most: the work of `DisposeScope.expect`."""

from __future__ import annotations

import gc
from collections import Counter

from garboard import _engine
from garboard._arguments.texts import told
from garboard._engine import DisposeScope, human_bytes
from garboard._scopes import tensors_in
from garboard._shown.site import site_of
from garboard.leaks._errors import LeakError
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.findings._leak import Leak, Rate, fingerprint_of
from garboard.leaks.judging._exact import judged
from garboard.leaks.kinds._unknown import KIND as UNKNOWN
from garboard.leaks.reports._report import LeakReport

__all__ = ["expect_bytes"]


def expect_bytes(scope: DisposeScope, most: int) -> None:
    """Raise LeakError if what was born in the scope and lives has more bytes."""
    if _live(scope) <= most:
        return
    gc.collect()
    nbytes = _live(scope)
    if nbytes <= most:
        return
    members = {id(it): it for it in tensors_in(list(scope.disposables))}
    births = [EVIDENCE.birth(it)[0] for it in members.values()]

    def is_of_another(it: Survivor) -> bool:
        return id(it.tensor) not in members

    now = EVIDENCE.now()
    since = now._replace(alias=min(births, default=now.alias))
    sites = Counter[int]()
    for it in members.values():
        sites[EVIDENCE.birth(it)[1]] += it.nbytes
    # Our own hold on them would be one more holder.
    leaks, notes, checked = judged(since, is_exempt=is_of_another, spared=(members,))
    said = (
        f"expect: {human_bytes(nbytes)} born in scope {told(scope.name or 'without a name')} live; "
        f"{human_bytes(most)} are expected"
    )
    if not leaks:
        leaks = (_by_line(sites, nbytes, said),)
    raise LeakError(LeakReport(leaks, (said, *notes), checked))


def _live(scope: DisposeScope) -> int:
    return sum(scope.live_bytes.values())


def _by_line(sites: Counter[int], nbytes: int, said: str) -> Leak:
    """Name the line that most of it comes from, where no holder is to blame."""
    site = site_of(sites.most_common(1)[0][0] if sites else _engine._birth_now()[0])
    return Leak(
        kind=UNKNOWN.name,
        verdict="LEAK",
        count=max(len(sites), 1),
        bytes=nbytes,
        site=site,
        holder="a graph, a gradient or a module that the scope does not end",
        chain=(f"born at {site}",),
        since_step=0,
        rate=Rate(),
        fix="detach what is kept, or end the graph before",
        fingerprint=fingerprint_of(UNKNOWN.family, UNKNOWN.name, site, ["scope"]),
        evidence=said,
    )
