"""One program: some values, some calls of them, chosen while it runs, by a seed and a number."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import cache
from random import Random
from types import CodeType
from typing import Any

from tests.fuzz import targets, values
from tests.fuzz.judge import fault_of
from tests.fuzz.targets import Target

__all__ = ["Program", "Run"]

#: How a whole program may be run, mostly in no way at all.
SETTINGS = (
    ["contextlib.nullcontext()"] * 24
    + ["gb.dispose_scope()"] * 3
    + ["gb.no_grad()", "profiler.profile(profile_memory=True, with_stack=True)"]
    + ["gb.dispose_scope(limit=200)"]
    + [f"memory.fail_allocation({number})" for number in (1, 2, 3, 4)]
)
BETWEEN_VISITS = 4  # programs
MAKING = Target("making a value", int, ())
SURPLUS = ["extra", "self", "\ud800", "a b", "\0", "", "axis", "keepdims"]
OWNERS = "tensor", "module", "optimizer", "scope", "sparse", "result"
OWNER_WEIGHTS = 60, 10, 8, 8, 6, 1
AREAS = {"garboard": 50, "garboard.nn.functional": 8, "garboard.nn": 8, "garboard.optim": 5}
RARE = {"garboard.leaks": 0.5, "garboard.report": 0.3, "garboard.memory": 4}


@cache
def _code(text: str) -> CodeType:
    return compile(text, "<value>", "eval")


@dataclass
class Run:
    """What a program did: its calls, its faults, and its text so far."""

    calls: int = 0
    errors: int = 0
    interrupts: int = 0
    #: The target's name, the fault, and how many lines there were.
    faults: list[tuple[str, str, int]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    #: The names of what was called, and of what returned.
    called: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)


@cache
def _areas() -> tuple[list[list[Target]], list[float]]:
    found = targets.functions()
    weights = [RARE.get(name, AREAS.get(name, 2)) for name in found]
    return list(found.values()), weights


class Program:
    """Makes and runs the program of `seed` and `number`. `space` has the names its texts use."""

    def __init__(self, seed: int, number: int, space: dict[str, Any], trace: bool = False) -> None:
        self.number, self.rng = number, Random((seed << 40) + number)
        self.space = dict(space)
        self.sanity = self.rng.choice((0.6, 0.85, 0.95, 1))
        self.owners: list[str] = []  # names of objects of ours; an error has Python's methods alone
        self.names: list[str] = []
        self.run = Run()
        self.trace = trace
        self.target = Target("nothing", int, ())

    def _say(self, line: str) -> None:
        self.run.lines.append(line)
        if self.trace:
            print(line, flush=True)

    def _keep(self, prefix: str, value: Any) -> str:
        name = f"{prefix}{len(self.names)}"
        self.space[name] = value
        self.names.append(name)
        kind = type(value)
        if kind.__module__.startswith("garboard") and not issubclass(kind, BaseException):
            self.owners.append(name)
        return name

    def _value(self, kind: str) -> str:
        """Make a value of `kind`, or take one that is there; return its name."""
        if self.names and self.rng.random() < 0.15:
            return self.rng.choice(self.names)
        text = values.text_of(kind, self.rng, self.sanity)
        if "{other}" in text:
            other = self.rng.choice(self.names) if self.names else self._value("tensor")
            text = text.replace("{other}", other)
        name = f"v{len(self.names)}"
        self._say(f"{name} = {text}")
        return self._keep("v", eval(_code(text), self.space))

    def _arguments(self, target: Target, owner: str) -> tuple[list[str], dict[str, str]]:
        given: list[str] = []
        named: dict[str, str] = {}
        skipped = False
        for it in target.parameters:
            if it.kind == "self":
                given.append(owner)
            elif it.repeated:
                given += [self._value(it.kind) for _ in range(self.rng.choice((0, 1, 1, 2, 3)))]
            elif it.required and self.rng.random() < 0.99:
                (named.__setitem__(it.name, self._value(it.kind)) if it.keyword or skipped
                 else given.append(self._value(it.kind)))  # fmt: skip
            elif self.rng.random() < 0.3 and it.name.isidentifier():
                if it.name not in ("kwargs", "named"):
                    named[it.name] = self._value(it.kind)
                    skipped = True
            else:
                skipped = True
        surplus = 1 if target.text else self.rng.random()  # a text has its arguments
        if surplus < 0.01:
            given.append(self._value("any"))
        elif surplus < 0.015:
            named[self.rng.choice(SURPLUS)] = self._value("any")
        return given, named

    def _target(self) -> tuple[Target, str]:
        """Choose what to call, and the name of the object it is called on."""
        if self.rng.random() < (0.45 if not self.owners else 0.7):
            if not self.owners or self.rng.random() < 0.3:
                self._value(self.rng.choices(OWNERS, OWNER_WEIGHTS)[0])
            if self.owners:
                owner = self.rng.choice(self.owners)
                found = targets.members(_owner_of(type(self.space[owner])))
                return self.rng.choice(found), owner
        areas, weights = _areas()
        return self.rng.choice(self.rng.choices(areas, weights)[0]), ""

    def _visit(self) -> None:
        """Call what is next on the tour, if need be on an object that is made for it."""
        every = targets.tour()
        maker, target = self.rng.choice(every[self.number // BETWEEN_VISITS % len(every)])
        owner = ""
        if maker:
            usual, self.sanity = self.sanity, 1
            owner = self._call(maker, "")
            self.sanity = usual
            if not isinstance(self.space[owner], maker.call):
                return  # a decorator gives back what it decorates
        self._call(target, owner)

    def _call(self, target: Target, owner: str) -> str:
        """Call, and return the name of the result."""
        self.target = MAKING
        given, named = self._arguments(target, owner)
        self.target = target
        self._say(f"r{len(self.names)} = {target.spelled(given, named)}")
        self.run.calls += 1
        self.run.called.append(target.name)
        space = self.space
        result = target.call(
            *[space[it] for it in given], **{key: space[it] for key, it in named.items()}
        )
        self.run.answered.append(target.name)
        return self._keep("r", result)

    def execute(self) -> Run:
        """Run it to its end; errors are judged, and end a step only."""
        if self.trace:
            print(f"# program {self.number}", flush=True)
        setting = self.rng.choice(SETTINGS)
        steps = self.rng.choice((1, 1, 2, 2, 3, 4, 6))
        try:
            if "null" in setting:
                self._steps(steps)
            else:
                self._say(f"with {setting}:")
                with eval(_code(setting), self.space):
                    self._steps(steps)
        except KeyboardInterrupt:
            self.run.interrupts += 1
        except BaseException as error:
            self._judge(error)
        return self.run

    def _steps(self, count: int) -> None:
        for step in range(count):
            self.target = MAKING
            try:
                if step == 0 and self.number % BETWEEN_VISITS == 0:
                    self._visit()
                else:
                    self._call(*self._target())
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._judge(error)

    def _judge(self, error: BaseException) -> None:
        self.run.errors += 1
        # What is called is judged where it is.
        if self.target is not MAKING and (fault := fault_of(error, self.target)):
            self.run.faults.append((self.target.name, fault, len(self.run.lines)))
        with contextlib.suppress(Exception):
            error.__traceback__ = error.__context__ = error.__cause__ = None


@cache
def _owner_of(kind: type) -> type:
    """Return the nearest class of ours: a hostile subclass has no methods of its own to call."""
    return next((it for it in kind.__mro__ if it.__module__.startswith("garboard")), kind)
