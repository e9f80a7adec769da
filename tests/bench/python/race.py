"""Rows of the benchmark: contestants take turns, so that the machine's drift hits all alike."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns, sleep
from timeit import Timer

import peers

BLOCKS = 9
SETTLING_S = (
    0.05  # a peer's threads look for work that long after its turn, on cores that ours need
)


@dataclass
class Result:
    """A figure of each contestant, medians of times, and what was asked of ours.

    A row whose value is known without a race is a result from the start.
    """

    name: str
    figures: dict[str, float]
    must: str
    value: float
    reached: bool
    unit: str = "ns"

    def measure(self) -> "Result":
        return self


def at_least(
    name: str, figures: dict[str, float], ratio: float, must: float, unit: str = "ns"
) -> Result:
    """Ours against a peer: `ratio` says how many times better ours is."""
    return Result(name, figures, f">= {must:g}x", ratio, ratio >= must, unit)


def at_most(name: str, figures: dict[str, float], most: float, unit: str = "ns") -> Result:
    """Ours against a bar."""
    ours = figures["garboard"]
    return Result(name, figures, f"<= {most:g} {unit}".rstrip(), ours, ours <= most, unit)


def at_most_a_share(name: str, figures: dict[str, float], share: float, unit: str) -> Result:
    """Ours against a share of the best peer's, where less is better and there is a peer."""
    rivals = [figure for peer, figure in figures.items() if peer != "garboard"]
    ratio = figures["garboard"] / min(rivals) if rivals else float("nan")
    return Result(name, figures, f"<= {share:g}x", ratio, ratio <= share, unit)


@dataclass
class Race:
    """Ours against the peers. `must` is the smallest ratio of the best peer's time to ours."""

    name: str
    contestants: dict[str, Callable[[], object]]
    must: float
    calls: int = 1  # in one block
    against: tuple[str, ...] = peers.NAMES
    baseline: str | None = None  # a contestant whose time is what calling costs, taken off all
    runs: int = 1  # of what is measured, in one call

    def measure(self) -> Result:
        ns = take_turns(self.contestants, self.calls)
        if self.baseline:
            cost = ns.pop(self.baseline)
            ns = {name: time - cost for name, time in ns.items()}
        ns = {name: time / self.runs for name, time in ns.items()}
        rivals = [time for name, time in ns.items() if name in self.against]
        ratio = min(rivals) / ns["garboard"] if rivals else float("nan")
        return at_least(self.name, ns, ratio, self.must)


def looped(
    statement: str, calls: int, setup: str = "pass", **names: object
) -> Callable[[], object]:
    """`calls` runs of a statement, in a loop without function calls, as a user's code does it."""
    timer = Timer(statement, setup, globals=names)
    return lambda: timer.timeit(calls)


def of_loops(
    name: str,
    contestants: dict[str, Callable[[], object]],
    must: float,
    calls: int,
    against: tuple[str, ...] = peers.NAMES,
) -> Race:
    """A race of loops of `calls` statements; what the loop itself costs is taken off."""
    loop = {"loop": looped("x", calls, x=None)}
    return Race(name, contestants | loop, must, 1, against, "loop", calls)


@dataclass
class Budget:
    """Ours against a number of nanoseconds. `cost` makes one figure of the contestants' times."""

    name: str
    contestants: dict[str, Callable[[], object]]
    cost: Callable[[dict[str, float]], float]
    most_ns: float
    calls: int = 1

    def measure(self) -> Result:
        ns = self.cost(take_turns(self.contestants, self.calls))
        return at_most(self.name, {"garboard": ns}, self.most_ns)


def take_turns(contestants: dict[str, Callable[[], object]], calls: int) -> dict[str, float]:
    """Median nanoseconds a call, of blocks by turns; the first block of each is warm-up."""
    blocks: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(1 + BLOCKS):
        for name, call in contestants.items():
            if peers.THREADS > 1:
                sleep(SETTLING_S)
            start = perf_counter_ns()
            for _ in range(calls):
                call()
            blocks[name].append((perf_counter_ns() - start) / calls)
    return {name: median(times[1:]) for name, times in blocks.items()}


def ratios_by_turns(costs: dict[str, Callable[[], float]], turns: int = 25) -> dict[str, float]:
    """What each costs as a ratio to the first, medians of turns; the first turn is warm-up."""
    found: dict[str, list[float]] = {name: [] for name in costs}
    for turn in range(1 + turns):
        each = {name: cost() for name, cost in costs.items()}
        base = next(iter(each.values()))
        for name, cost in each.items() if turn else ():
            found[name].append(cost / base)
    return {name: median(ratios) for name, ratios in found.items()}


def ns_of(step: Callable[[], object], steps: int) -> float:
    """Nanoseconds a call; the first is not counted."""
    step()
    start = perf_counter_ns()
    for _ in range(steps):
        step()
    return (perf_counter_ns() - start) / steps
