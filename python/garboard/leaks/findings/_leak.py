"""One finding: what leaks, where it was born, who holds it, how fast it grows, what to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha1
from typing import Any, Literal, NamedTuple

from garboard._engine import human_bytes
from garboard._site import Site

__all__ = ["Leak", "Rate", "Verdict", "fingerprint_of"]

Verdict = Literal["LEAK", "GROWING", "RETAINED", "CYCLE", "PINNED"]
GRAVITY: tuple[Verdict, ...] = ("LEAK", "GROWING", "CYCLE", "PINNED", "RETAINED")


class Rate(NamedTuple):
    """Growth per step, since the first survivor.

    Attributes:
        tensors: Tensors a step.
        bytes: Bytes a step.
        nodes: Graph nodes a step.
    """

    tensors: float = 0.0
    bytes: float = 0.0
    nodes: float = 0.0

    def __str__(self) -> str:
        parts = [
            f"+{value:.3g} {name}{'' if value == 1 else 's'}"
            for name, value in (("tensor", self.tensors), ("graph node", self.nodes))
            if value
        ]
        if self.bytes >= 1:
            parts.append(f"+{human_bytes(round(self.bytes))}")
        return ", ".join(parts) + " per step" if parts else ""


@dataclass(frozen=True)
class Leak:
    """A finding.

    Attributes:
        kind: What it is, such as "accumulated-graph"; "unknown" where no rule fits.
        verdict: LEAK is certain; GROWING may yet be a buffer that fills; RETAINED is kept once;
            CYCLE waits for the garbage collector; PINNED is a small view of a large storage.
        count: Tensors, or graph nodes of a kind that is about graphs.
        bytes: What would come back: of the tensors, or saved by the nodes.
        site: Where the newest was born.
        holder: What holds it: the name, and the line that stores into it.
        chain: From a root to the tensor, a line each.
        since_step: The first birth step with survivors.
        rate: Growth per step.
        fix: What to change.
        fingerprint: The same from run to run; for `gb.leaks.ignore`.
        evidence: What the verdict stands on, such as "53 of 53 steps survived".
        holder_site: The line that stores into the holder, where it is known.
    """

    kind: str
    verdict: Verdict
    count: int
    bytes: int
    site: Site
    holder: str
    chain: tuple[str, ...]
    since_step: int
    rate: Rate
    fix: str
    fingerprint: str
    evidence: str
    holder_site: Site | None = field(default=None, repr=False)

    @property
    def gravity(self) -> tuple[int, int, int]:
        """What sorts the gravest first: verdict, bytes, count."""
        return GRAVITY.index(self.verdict), -self.bytes, -self.count

    @property
    def cause(self) -> str:
        """What several looks at one leak agree on, whichever of its tensors they met."""
        return f"{self.kind} {self.holder}"

    @property
    def summary(self) -> str:
        """One line of at most 100 characters or so: kind, amount, fingerprint."""
        return f"{self.kind}: {self.figures} [{self.fingerprint}]"

    @property
    def figures(self) -> str:
        """The rate and the evidence."""
        return "; ".join(filter(None, (str(self.rate), self.evidence)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, dicts, strings and numbers.

        >>> with gb.leaks.watch() as watch:
        ...     watch.step()
        >>> [leak.to_dict()["verdict"] for leak in watch.report().leaks]
        []
        """
        found = asdict(self)
        found["site"] = self.site._asdict()
        found["rate"] = self.rate._asdict()
        found["chain"] = list(self.chain)
        found["holder_site"] = self.holder_site._asdict() if self.holder_site else None
        return found


def fingerprint_of(family: str, kind: str, site: Site, edges: Sequence[str]) -> str:
    """Name a finding by kind, birth function and suspect edges; lines and indexes are masked."""
    file = site.file.rpartition("/")[2]
    text = "\n".join([kind, file, site.function, *edges])
    return f"{family}-{sha1(text.encode(), usedforsecurity=False).hexdigest()[:6]}"
