"""One finding: what leaks, where it was born, who holds it, how fast it grows, what to change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha1
from typing import Any, Literal, NamedTuple

from garboard._engine import human_bytes
from garboard._shown.site import Site
from garboard.leaks.holders._mending import mended_together

__all__ = ["GRAVITY", "Births", "Leak", "Rate", "Verdict", "fingerprint_of"]

Verdict = Literal["LEAK", "GROWING", "RETAINED", "CYCLE", "PINNED"]
_FAR = 1_000_000  # steps; nobody waits for these
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


_MOST_NAMED = 4  # holders of one finding
_MOST_RUNS = 120  # as many as a picture has room for


class Births(NamedTuple):
    """In which steps was born what lives on.

    Attributes:
        first: The first step.
        width: Steps that one count stands for.
        counts: Survivors of each `width` steps from `first` on.
    """

    first: int = 0
    width: int = 1
    counts: tuple[int, ...] = ()

    @classmethod
    def of(cls, cohorts: Mapping[int, int]) -> Births:
        """Count survivors by birth step, in at most 120 runs of steps of equal length."""
        if not cohorts:
            return cls()
        first, last = min(cohorts), max(cohorts)
        width = (last - first) // _MOST_RUNS + 1
        counts = [0] * ((last - first) // width + 1)
        for step, count in cohorts.items():
            counts[(step - first) // width] += count
        return cls(first, width, tuple(counts))


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
        places: For each hop of the chain its line, or None.
        births: In which steps was born what survives.
        device: Where its bytes are, such as "cpu"; empty where they may be on several.
        steps_left: Steps until that device's memory limit at this rate; None where nobody can tell.
        moved_site: Where the newest left its scope or entered another, where it did.
        diff: What to change as a unified diff of the program's own lines, for `patch -p1`; empty
            where they cannot be read, or no single change is right.
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
    places: tuple[Site | None, ...] = field(default=(), repr=False)
    births: Births = field(default_factory=Births, repr=False)
    device: str = field(default="", repr=False)
    steps_left: int | None = field(default=None, repr=False)
    moved_site: Site | None = field(default=None, repr=False)
    diff: str = field(default="", repr=False)

    @property
    def gravity(self) -> tuple[int, int, int]:
        """What sorts the gravest first: verdict, bytes, count."""
        return GRAVITY.index(self.verdict), -self.bytes, -self.count

    @property
    def cause(self) -> str:
        """What several looks at one leak agree on, whichever of its tensors they met."""
        return f"{self.kind} {self.holder}"

    @property
    def statements(self) -> tuple[object, ...]:
        """What the findings of one statement share, one or the other: the line that stores with
        that of birth, or with the kind; none where it is not known."""
        place = self.holder_site
        return ((self.site, place), (self.kind, place)) if place else ()

    def with_more(self, others: Sequence[Leak]) -> Leak:
        """Return the same with the amounts of others, the names of what holds them, and what their
        fixes change in the same statement.

        Args:
            others: Of the same kind and statement.

        >>> with gb.leaks.watch() as watch:
        ...     watch.step()
        >>> [leak.with_more([]) for leak in watch.report().leaks]
        []
        """
        if not others:
            return self
        rates = zip(*(it.rate for it in (self, *others)), strict=True)
        return replace(
            self,
            count=self.count + sum(it.count for it in others),
            bytes=self.bytes + sum(it.bytes for it in others),
            rate=Rate(*map(sum, rates)),
            holder=self._held_with(others),
            fix=mended_together(self.fix, *(it.fix for it in others)),
        )

    def _held_with(self, others: Sequence[Leak]) -> str:
        """Return "list `a`, `b` and `c` (train.py:12)"; of many, or of those with one name, their
        number."""
        where = f" ({self.holder_site.place})" if self.holder_site else ""
        named = self.holder.removesuffix(where)
        rest = [it.holder.removesuffix(where).partition(" ")[2] for it in others]
        are_apart = len({named.partition(" ")[2], *rest}) == len(rest) + 1
        if are_apart and len(rest) < _MOST_NAMED and all(it[:1] + it[-1:] == "``" for it in rest):
            *some, last = rest
            return f"{', '.join([named, *some])} and {last}{where}"
        return f"{named} and {len(rest)} more{where}"

    @property
    def summary(self) -> str:
        """One line of at most 100 characters or so: kind, amount, fingerprint."""
        return f"{self.kind}: {self.figures} [{self.fingerprint}]"

    @property
    def figures(self) -> str:
        """The rate and the evidence."""
        return "; ".join(filter(None, (str(self.rate), self.evidence)))

    @property
    def forecast(self) -> str:
        """When memory will be out, in words; empty where that is far off or nobody can tell."""
        if self.steps_left is None or self.steps_left > _FAR:
            return ""
        if not self.steps_left:
            return f"{self.device} is at its limit now"
        about = round(self.steps_left, 2 - len(str(self.steps_left)))  # two digits
        steps = f"{about:,}".replace(",", " ")
        return f"out of memory on {self.device} in about {steps} steps at this limit"

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
        found["places"] = [place._asdict() if place else None for place in self.places]
        found["births"] = {**self.births._asdict(), "counts": list(self.births.counts)}
        found["moved_site"] = self.moved_site._asdict() if self.moved_site else None
        found["holder_site"] = self.holder_site._asdict() if self.holder_site else None
        return found


def fingerprint_of(family: str, kind: str, site: Site, edges: Sequence[str]) -> str:
    """Name a finding by kind, birth function and suspect edges; lines and indexes are masked."""
    file = site.file.rpartition("/")[2]
    text = "\n".join([kind, file, site.function, *edges])
    return f"{family}-{sha1(text.encode(), usedforsecurity=False).hexdigest()[:6]}"
