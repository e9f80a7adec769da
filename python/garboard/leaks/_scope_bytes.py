"""What an open scope is expected to have alive at most: the work of `DisposeScope.expect`."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Sequence

from garboard import _engine
from garboard._arguments.texts import told
from garboard._engine import DisposeScope, human_bytes
from garboard._shown.site import Site, line_of, site_of
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
    said = (
        f"expect: {human_bytes(nbytes)} born in scope {told(scope.name or 'without a name')} live; "
        f"{human_bytes(most)} are expected"
    )
    if scope.is_disposed:
        raise LeakError(LeakReport((_after_the_close(nbytes, said),), (said,)))
    # By storages: what is counted may have left the scope meanwhile.
    born = scope._births
    serials = {it.serial for it in EVIDENCE.survivors(storages=born)}

    def is_of_another(it: Survivor) -> bool:
        return it.serial not in serials

    now = EVIDENCE.now()
    since = now._replace(alias=min(serials, default=now.alias))
    leaks, notes, checked = judged(since, is_exempt=is_of_another)
    if nbytes - sum(leak.bytes for leak in leaks) > most and (rest := _by_line(born, leaks, said)):
        leaks = (*leaks, rest)
    if leaks:  # else it has ended meanwhile, in another thread
        raise LeakError(LeakReport(leaks, (said, *notes), checked))


def _live(scope: DisposeScope) -> int:
    return sum(scope.live_bytes.values())


def _by_line(born: Sequence[int], leaks: Sequence[Leak], said: str) -> Leak | None:
    """Name the line that most of what has no holder to blame comes from."""
    named = {leak.site for leak in leaks}
    seen = {it.storage for it in EVIDENCE.survivors(storages=born)}
    lines = defaultdict[Site, list[int]](list)
    sizes = defaultdict[Site, int](int)
    for row in _engine._storages(0, born):
        site = site_of(line_of(row["site"]))
        if row["serial"] not in seen or site not in named:
            lines[site].append(row["serial"])
            sizes[site] += row["bytes"]
    if not sizes:
        return None
    site = max(sizes, key=sizes.__getitem__)
    return _leak(site, len(lines[site]), sizes[site], said, *_keeper_of(lines[site]))


def _after_the_close(nbytes: int, said: str) -> Leak:
    """Say that who holds it can no more be told: the storages of a closed scope are not known."""
    return _leak(
        site_of(_engine._birth_now()[0]),
        1,
        nbytes,
        said,
        "not known any more: the scope has closed, and they lived then",
        "expect it before the scope's block ends, where the report can say who holds them",
    )


def _leak(site: Site, count: int, nbytes: int, said: str, holder: str, fix: str) -> Leak:
    return Leak(
        kind=UNKNOWN.name,
        verdict="LEAK",
        count=count,
        bytes=nbytes,
        site=site,
        holder=holder,
        chain=(f"born at {site}",),
        since_step=0,
        rate=Rate(),
        fix=fix,
        fingerprint=fingerprint_of(UNKNOWN.family, UNKNOWN.name, site, ["scope"]),
        evidence=said,
    )


def _keeper_of(storages: list[int]) -> tuple[str, str]:
    """Return what keeps storages that no variable and no container has, and what lets them go."""
    own = set(storages)
    nodes = _engine._nodes()
    node = next((it for it in nodes if not own.isdisjoint(it["saved_storages"])), None)
    if node is None and any(True for _ in EVIDENCE.survivors(storages=storages)):
        return (
            "a module that lives on, or a container with a bound",
            "make it before the scope opens, or expect its bytes, too",
        )
    node = node or next((it for it in nodes if not own.isdisjoint(it["leaf_storages"])), None)
    if node is not None:
        recorded = f"graph node {node['name']}, recorded at {site_of(node['site'])}"
        return recorded, "end its graph before, or detach() what is kept of its result"
    return (
        "a gradient, the state of an optimizer, or a holder outside Python",
        "zero_grad() or dispose() what is done with, or expect its bytes, too",
    )
