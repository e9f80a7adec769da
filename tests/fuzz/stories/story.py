"""A story: a program of several steps that change what others read, by a seed and a number."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from types import CodeType, GeneratorType
from typing import Any

import garboard as gb
from garboard._contexts.fusing import Fusing
from garboard._contexts.grad_mode import GradMode

from tests.fuzz.program import MAKING, Program
from tests.fuzz.stories.lines import PLOTS, section
from tests.fuzz.stories.mischief import CtrlC, blocks
from tests.fuzz.target import Step

__all__ = ["Story"]

_PLACE = re.compile(r"\{(\w+)\}")
_WRAPPED_SHARE, _FORKED_SHARE = 0.12, 0.004
_MOST_NESTED = 2
_PARTS = 4  # of a result that are given names
_BLOCKS = (GradMode, Fusing, gb.DisposeScope, gb.autograd.graph.saved_tensors_hooks)


def _is_leaf(it: Any) -> bool:
    return isinstance(it, gb.Tensor) and not it.is_disposed and it.requires_grad and it.is_leaf


def _has_history(it: Any) -> bool:
    return isinstance(it, gb.Tensor) and not it.is_disposed and it.grad_fn is not None


def _is_integral(it: Any) -> bool:
    kinds = (gb.int64, gb.int32, gb.bool)
    return isinstance(it, gb.Tensor) and not it.is_disposed and it.dtype in kinds


def _is_iterator(it: Any) -> bool:
    return isinstance(it, GeneratorType) or hasattr(type(it), "__next__")


#: What a name in a line stands for, and the section that makes one.
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "x": (lambda it: isinstance(it, gb.Tensor), "leaf"),
    "w": (_is_leaf, "leaf"),
    "f": (_has_history, "op"),
    "i": (_is_integral, "indices"),
    "m": (lambda it: isinstance(it, gb.nn.Module), "module"),
    "o": (lambda it: isinstance(it, gb.optim.Optimizer), "optimizer"),
    "s": (lambda it: isinstance(it, gb.DisposeScope), "scope"),
    "h": (_is_iterator, "walk"),
    "p": (lambda it: isinstance(it, gb.nn.utils.rnn.PackedSequence), "packed"),
    "b": (lambda it: isinstance(it, _BLOCKS), "block"),
    "t": (lambda it: True, "thing"),
}
_KINDS["y"] = _KINDS["x"]
_LATER = 0.85  # of the names taken are among the last few


@cache
def _code(text: str) -> CodeType:
    return compile(text, "<story>", "eval")


class Story(Program):
    """Makes and runs the story of `seed` and `number`."""

    def _steps(self, count: int) -> None:
        plot = self.rng.choice(PLOTS)
        self.plot = plot
        for name in plot.first.split():
            self._step(name)
        then, weights = list(plot.then), list(plot.then.values())
        for name in self.rng.choices(then, weights, k=3 + 3 * count):
            self._step(name)

    def _step(self, name: str) -> None:
        """Run a line of a section; an error is judged, and ends the line only."""
        self.target = MAKING
        try:
            text = self._filled(self.rng.choice(section(name)), 0)
            if self.rng.random() < _WRAPPED_SHARE:
                text = self._wrapped(text)
            self._run(name, text)
        except CtrlC:
            self.run.interrupts += 1
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._judge(error)

    def _run(self, name: str, text: str) -> str:
        label = f"v{len(self.names)}"
        self._say(f"{label} = {text}")
        self.run.calls += 1
        self.target = Step(f"{self.plot.name}/{name}", int, (), text=text)
        value = eval(_code(text), self.space)
        self.target = MAKING
        self._keep("v", value)
        if isinstance(value, (tuple, list)) and len(value) <= _PARTS:
            for place, part in enumerate(value):
                if isinstance(part, gb.Tensor):
                    self._say(f"v{len(self.names)} = {label}[{place}]")
                    self._keep("v", part)
        return label

    def _judge(self, error: BaseException) -> None:
        """Judge it, but for what a call that was taken over gave, and Python code made of that."""
        is_taken = any("taking_over(" in it or "overriding(" in it for it in self.run.lines)
        if is_taken and isinstance(error, (AttributeError, RecursionError, AssertionError)):
            self.target = MAKING
        super()._judge(error)

    def _wrapped(self, text: str) -> str:
        is_forked = self.rng.random() < _FORKED_SHARE / _WRAPPED_SHARE
        wrapper = self.rng.choice(section("fork" if is_forked else "wrapper"))
        return self._filled(wrapper.replace("{e}", text), 0)

    def _filled(self, text: str, depth: int) -> str:
        """Put names, values and further lines where `text` has a place for them."""
        return _PLACE.sub(lambda found: self._named(found[1], depth), text.replace("{{", "\0{")
                          ).replace("\0{", "{").replace("}}", "}")  # fmt: skip

    def _named(self, word: str, depth: int) -> str:
        draw = self.rng
        match word:
            case "number_":
                return str(draw.choice((1, 2, 3, 5, 8, draw.randrange(1, 30), draw.randrange(150))))
            case "small":
                return str(draw.randrange(1, 5))
            case "protocol":
                return str(draw.randrange(6))
            case "block_":
                return draw.choice(list(blocks()))
            case "c":
                return self._filled(draw.choice(section("callback")), depth + 1)
            case "e" | "e2":
                if depth >= _MOST_NESTED:
                    return "None"
                name = draw.choices(list(self.plot.then), list(self.plot.then.values()))[0]
                return self._filled(draw.choice(section(name)), depth + 1)
        kind = word.rstrip("2")
        return self._taken(kind, depth) if kind in _KINDS else self._value(word)

    def _taken(self, kind: str, depth: int) -> str:
        """Return the name of something of a kind; make it where there is none."""
        is_one, maker = _KINDS[kind]
        names = [it for it in self.names if is_one(self.space[it])]
        if names:
            few = names[-4:] if self.rng.random() < _LATER else names
            return self.rng.choice(few)
        if kind == "x" or kind == "y" or depth > _MOST_NESTED:
            maker = "leaf"
        text = f"{self._taken('w', depth + 1)} * 2" if kind == "f" else self._filled(
            self.rng.choice(section(maker)), depth + 1
        )  # fmt: skip
        before = self.target
        label = self._run(maker, text)
        self.target = before
        return label
