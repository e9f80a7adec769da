"""What a test may leave alive: its markers, then what the run was told, then the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from garboard.leaks import LeakReport

__all__ = ["MARKERS", "Rules", "add_options", "is_marked", "read_settings", "rules_of"]

MARKERS = (
    "no_leaks(limit='0 B', iterations=None, warmup=3, kinds=None, reason=''): fail the test if "
    "tensors, graphs or exports outlive it; `limit` lets that many bytes live on; with "
    "`iterations` the test is repeated, and what every measured run leaves alive is a leak; "
    "`kinds` are the only ones that fail it; `reason` is printed where it fails.",
    "limit_leaks(limit, iterations=None, warmup=3, kinds=None, reason=''): the same, where the "
    "limit is the point.",
    "allow_leaks(*kinds, reason=''): let findings of these kinds pass in the test; all, without "
    "kinds.",
)
_JUDGING = ("no_leaks", "limit_leaks")
_WORDS = ("limit", "iterations", "warmup", "kinds", "reason")
_defaults = pytest.StashKey["Rules"]()


@dataclass(frozen=True)
class Rules:
    """What one test is judged by.

    Attributes:
        limit: Bytes that may live on, of each run where it is repeated.
        iterations: Measured runs; None for one run, which is judged when all is torn down.
        warmup: Runs before them.
        kinds: The only kinds that count; all, if empty.
        allowed: Kinds that do not.
        allows_all: Whether none counts.
        reason: Why it is judged, in the author's words.
    """

    limit: int = 0
    iterations: int | None = None
    warmup: int = 3
    kinds: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    allows_all: bool = False
    reason: str = ""

    def applied(self, found: LeakReport) -> LeakReport:
        """Return the report without what the test may leave; without any finding if it passes."""
        counted = tuple(
            leak
            for leak in found.leaks
            if (not self.kinds or leak.kind in self.kinds) and leak.kind not in self.allowed
        )
        nbytes = sum(leak.bytes for leak in counted) / (self.iterations or 1)
        is_within = self.allows_all or 0 < nbytes <= self.limit
        return replace(found, leaks=() if is_within else counted)

    @property
    def summary(self) -> str:
        """What may live on, in words."""
        from garboard.memory import human_bytes

        parts = [human_bytes(self.limit)] if self.limit else []
        parts += [f"{kind}" for kind in self.allowed]
        told = ", ".join(parts) or "nothing"
        if self.kinds:
            told += f" of {', '.join(self.kinds)}, anything else"
        return told + (f" ({self.reason})" if self.reason else "")


def add_options(parser: pytest.Parser, group: Any) -> None:
    """Add what holds for all tests."""
    group.addoption(
        "--leaks-limit",
        metavar="BYTES",
        help="let each judged test leave that much alive, such as '1 KiB'; its marker may differ",
    )
    group.addoption(
        "--leaks-repeat",
        metavar="WARMUP:RUNS",
        help="run each judged test that often, such as 3:5: what each of the last runs leaves "
        "alive is a leak, and what is made once is none",
    )
    parser.addini("garboard_leaks_limit", "what --leaks-limit says where it is not given")
    parser.addini("garboard_leaks_repeat", "what --leaks-repeat says where it is not given")


def read_settings(config: pytest.Config) -> None:
    """Keep what was said for all tests; nonsense ends the run."""
    limit = config.getoption("leaks_limit") or config.getini("garboard_leaks_limit")
    repeat = config.getoption("leaks_repeat") or config.getini("garboard_leaks_repeat")
    rules = Rules()
    if limit:
        from garboard import GarboardError

        try:
            rules = replace(rules, limit=_bytes_of(limit))
        except GarboardError as error:
            raise pytest.UsageError(f"--leaks-limit: {error}") from None
    if repeat:
        warmup, _, runs = repeat.partition(":")
        if not (_is_count(warmup) and _is_count(runs) and int(runs)):
            from garboard._arguments.texts import shown

            raise pytest.UsageError(
                f"--leaks-repeat {shown(repeat)}: WARMUP:RUNS is needed, as 3:5"
            )
        rules = replace(rules, warmup=int(warmup), iterations=int(runs))
    config.stash[_defaults] = rules


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def is_marked(item: pytest.Item) -> bool:
    """Tell whether a test asks for itself to be judged."""
    has_fixture = "no_leaks" in getattr(item, "fixturenames", ())
    return has_fixture or _marker(item) is not None


def _marker(item: pytest.Item) -> pytest.Mark | None:
    found = (item.get_closest_marker(name) for name in _JUDGING)
    return next((marker for marker in found if marker is not None), None)


def rules_of(item: pytest.Item) -> Rules:
    """Return what a test is judged by.

    Raises:
        TypeError: A marker says what is of another type.
        ValueError: Or what cannot be.
    """
    rules = item.config.stash[_defaults]
    marker = _marker(item)
    if marker is not None:
        rules = _with_marker(rules, marker)
    for allowing in item.iter_markers("allow_leaks"):
        allowed = _kinds("allow_leaks", allowing.args)
        rules = replace(
            rules,
            allowed=(*rules.allowed, *allowed),
            allows_all=rules.allows_all or not allowed,
        )
    return rules


def _with_marker(rules: Rules, marker: pytest.Mark) -> Rules:
    from difflib import get_close_matches

    from garboard._arguments import check

    name, said = marker.name, dict(marker.kwargs)
    for word in said.keys() - set(_WORDS):  # another plugin's marker of that name has its own
        if meant := get_close_matches(word, _WORDS, n=1, cutoff=0.75):
            raise TypeError(f"{name}: {word} is given; {meant[0]} is meant")
    if name == "limit_leaks" and "limit" not in said:
        if not marker.args:
            raise TypeError("limit_leaks: a limit is needed, such as limit_leaks('1 MiB')")
        said["limit"] = marker.args[0]
    if "limit" in said:
        limit = said["limit"]
        is_text = isinstance(limit, str)
        found = _limit_of(name, limit) if is_text else check.count(name, "limit", limit)
        rules = replace(rules, limit=found)
    if (runs := said.get("iterations")) is not None:
        rules = replace(rules, iterations=check.count(name, "iterations", runs, least=1))
    if "warmup" in said:
        rules = replace(rules, warmup=check.count(name, "warmup", said["warmup"]))
    if (kinds := said.get("kinds")) is not None:
        given = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        rules = replace(rules, kinds=_kinds(name, given))
    if "reason" in said:
        rules = replace(rules, reason=check.text(name, "reason", said["reason"]))
    return rules


def _kinds(name: str, given: tuple[Any, ...]) -> tuple[str, ...]:
    from garboard._arguments import check
    from garboard.leaks.kinds import all_kinds

    known = [kind.name for kind in all_kinds()]
    return tuple(check.choice(name, "kinds", kind, *known) for kind in given)


def _limit_of(name: str, text: str) -> int:
    from garboard import GarboardError
    from garboard._arguments.texts import shown

    try:
        return _bytes_of(text)
    except GarboardError:
        raise ValueError(f"{name}: limit {shown(text)}; bytes are needed, as '1 KiB'") from None


def _bytes_of(text: str) -> int:
    from garboard.memory import parse_bytes

    return parse_bytes(text)
