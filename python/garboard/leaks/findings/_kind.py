"""What a kind of leak is, as data: a name, the rules that recognise it, and what to change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from garboard.leaks.evidence._graphs import Chain
from garboard.leaks.findings._fixes import Accumulating
from garboard.leaks.findings._leak import Verdict
from garboard.leaks.holders._cycles import Cycle
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._look import Look
from garboard.leaks.holders._patches import Patch

__all__ = ["Kind"]


def _no_group(group: Group) -> bool:
    return False


def _no_graph(chain: Chain, owner: Group | None) -> bool:
    return False


def _no_cycle(cycle: Cycle) -> bool:
    return False


def _always(group: Group) -> bool:
    return True


def _never_alone(group: Group) -> Verdict | None:
    return None


def _nothing(group: Group) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One way to leak. Each has a file of its own in `kinds/`, which the watcher finds there.

    A rule looks at objects on the way to a tensor, never at counts: whether something grows is
    settled elsewhere, before or afterwards.

    Attributes:
        name: As reports say it; the file is named for it.
        family: What fingerprints begin with.
        text: The explanation: what leaks, why, and what to write instead.
        rank: Of the kinds that fit, the one with the lowest wins: the rarest evidence comes first.
        fix: What to change; `{name}` is the holder as the program calls it, `{owner}` what it is an
            attribute of. For graphs `{name}` is what accumulates.
        fits: Tells whether tensors behind one holder are of this kind.
        fits_graph: Tells whether a graph over many steps is, behind the holder of its head.
        fits_cycle: Tells whether a cycle that only the collector breaks is of this kind.
        fix_group: Writes the fix for one group; `fix`, filled in, by default.
        fix_graph: Likewise for a graph.
        patch_group: Writes the fix into the user's file, where that can be done.
        patch_graph: Likewise for a graph.
        is_settled: Tells whether growth is a leak, and not perhaps a buffer that still fills.
        may_settle: False where even endless growth is no leak for certain.
        is_of_one_epoch: True where all items should end with the epoch that made them.
        standing: The verdict on what has not grown; None where a single one is no word worth.
        nbytes: What would come back, where that is not what the tensors have.
        figures: What the evidence says besides.
        search: Finds more groups in a look at everything; each is RETAINED, once.
        holder: The holder in words, where no object is one.
    """

    name: str
    family: str
    text: str
    rank: int = 0
    fix: str = ""
    fits: Callable[[Group], bool] = _no_group
    fits_graph: Callable[[Chain, Group | None], bool] = _no_graph
    fits_cycle: Callable[[Cycle], bool] = _no_cycle
    fix_group: Callable[[Group], str] | None = None
    fix_graph: Callable[[Accumulating], str] | None = None
    patch_group: Callable[[Group], Patch] | None = None
    patch_graph: Callable[[Accumulating], Patch] | None = None
    is_settled: Callable[[Group], bool] = _always
    may_settle: bool = True
    is_of_one_epoch: bool = False
    standing: Callable[[Group], Verdict | None] = _never_alone
    nbytes: Callable[[Group], int] | None = None
    figures: Callable[[Group], str] = _nothing
    search: Callable[[Look], list[Group]] | None = None
    holder: str = "a holder outside Python"

    @property
    def may_stand(self) -> bool:
        """True where this kind can be worth a word although it does not grow."""
        return self.standing is not _never_alone

    @property
    def is_of_tensors(self) -> bool:
        """True where it is recognised by what holds tensors."""
        return self.fits is not _no_group

    @property
    def is_of_graphs(self) -> bool:
        """True where it is recognised by a graph."""
        return self.fits_graph is not _no_graph

    @property
    def title(self) -> str:
        """The first sentence of the explanation."""
        return self.text.partition("\n")[0]
