"""Objects whose end of life was declared."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import printable
from garboard._shown.site import Site, site_of
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.findings._leak import Leak, Rate, fingerprint_of
from garboard.leaks.holders._describe import described, place_of
from garboard.leaks.holders._groups import is_container
from garboard.leaks.holders._holders import chain_places, chain_text, holder_site, holder_text
from garboard.leaks.holders._hops import links
from garboard.leaks.holders._roots import paths_to
from garboard.leaks.holders._unasked import has_method, is_disposed, type_name
from garboard.leaks.kinds._not_freed import KIND

__all__ = ["Expected"]


class Expected:
    """One object that should be gone; held weakly."""

    def __init__(
        self, thing: object, reason: str, step: int, evidence: Evidence = EVIDENCE
    ) -> None:
        told = printable(check.text("expect_freed", "reason", reason))
        try:
            self._weak = ref(thing)
        except TypeError:
            raise TypeError(
                f"expect_freed: a {type_name(type(thing))}, which cannot be referred to weakly; "
                "give a tensor, a module or another object"
            ) from None
        self._reason, self._step, self._evidence = told, step, evidence
        self._here = site_of(_engine._birth_now()[0])

    def leak(self, now: int) -> Leak | None:
        """Return a finding if the object still lives, and something holds it."""
        if self._weak() is None:
            return None
        gc.collect()
        thing: Any = self._weak()
        if thing is None or is_disposed(thing):
            return None
        path = paths_to(self._evidence, [thing])[0]
        tensors = [thing] if is_one("tensor", thing) else _tensors_of(thing)
        born = _birth_of(thing, tensors)
        site = born or self._here
        chain = links(path) if path is not None else []
        last = len(chain) - 2
        at = next((i for i in range(last, 0, -1) if is_container(chain[i].object)), len(chain) - 1)
        named = chain[: at + 1]
        because = f" ({self._reason})" if self._reason else ""
        edges = [str(it.edge) for it in chain[1:] if it.edge.kind != "item"]
        return Leak(
            kind=KIND.name,
            verdict="LEAK",
            count=max(len(tensors), 1),
            bytes=sum(tensor.nbytes for tensor in tensors),
            site=site,
            holder=holder_text(named, site) if named else "a holder outside Python",
            chain=chain_text(chain),
            since_step=self._step,
            rate=Rate(),
            fix=KIND.fix.format(name=holder_text(named, site)) if named else "find its holder",
            fingerprint=fingerprint_of(KIND.family, KIND.name, site, edges),
            evidence=f"{described(thing)} was expected to be freed{because}{_UNBORN * (not born)}",
            holder_site=holder_site(named, site) if named else None,
            places=chain_places(chain),
        )


_UNBORN = "; the line is where that is said, for nothing tells of its birth"


def _birth_of(thing: Any, tensors: list[Any]) -> Site | None:
    """Return the line of a thing's birth, as far as that of its first tensor tells."""
    return next(filter(None, map(place_of, [thing, *tensors[:1]])), None)


def _tensors_of(thing: Any) -> list[Any]:
    if not is_one("module", thing):
        return []
    if has_method(thing, "_owned_tensors"):
        return [it for it in thing._owned_tensors() if not it.is_disposed]
    return [*thing.parameters(), *thing.buffers()]
