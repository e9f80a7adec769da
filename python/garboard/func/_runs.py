"""Calls of functions on leaves of their own, to be differentiated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, ResultError
from garboard._arguments.layouts import is_really
from garboard._contexts.generator import get_rng_state, set_rng_state
from garboard._engine import GradientError, ShapeError, Tensor
from garboard.autograd._function_ctx import open_batches
from garboard.autograd._passes import grad as gradients_of
from garboard.autograd.forward_ad import Carried
from garboard.func._batching.tensor import expanded, revealed
from garboard.func._levels import Level
from garboard.func._nest import leaves_of, mapped, rebuilt, returned
from garboard.memory import memory_allocated

__all__ = ["Function", "Run", "forward", "run_of"]

Function = Callable[..., Any]


def _leaf(given: Tensor) -> Tensor:
    if given.requires_grad:
        return given.view(given.shape)
    # No graph keeps what was made in inference mode.
    return (given.clone() if given.is_inference() else given.detach()).requires_grad_()


class Run:
    """A call of a function on leaves of its own for some of its arguments."""

    def __init__(
        self,
        op: str,
        func: Function,
        given: list[Any],
        args: Any,
        has_aux: bool,
        at: Level,
        takes_complex: bool = False,
        runs_again: bool = False,
        tangents: list[Tensor] | None = None,
    ) -> None:
        """`args` makes the function's arguments of what stands in for `given`, a list of nests;
        with `runs_again` there is `again`, and `nbytes`, what the call keeps until it ends.
        `tangents`, of `forward`, are told to functions with a `jvp`."""
        self.op, self.given, self.level = op, given, at
        self.made_of = (op, func, given, args, has_aux, at, takes_complex)
        self.depth = len(open_batches.get())
        self.drawn_from = get_rng_state() if runs_again else None
        leaves = [
            expanded(it, open_batches.get()) if is_really(it, Tensor) else it
            for it in leaves_of(given)
        ]
        for it in leaves:
            if not is_really(it, Tensor):
                raise TypeError(f"{op}: an argument to differentiate for holds {type(it).__name__}")
            if not it.dtype.is_floating_point and not (it.is_complex() and takes_complex):
                raise GradientError(f"{op}: an argument of {it.dtype}; a floating dtype is needed")
        self.leaves = [_leaf(it) for it in leaves]
        pairs = zip(self.leaves, leaves, strict=True)
        at.leaves.extend(revealed(leaf) for leaf, it in pairs if not it.requires_grad)
        arguments, named = args(rebuilt(given, list(self.leaves)))
        measured = self.leaves[0].device if runs_again and self.leaves else None
        before = memory_allocated(measured) if measured else 0
        self.carried: Carried | None = None
        if tangents is None:
            found = func(*arguments, **named)
        else:
            if [it.shape for it in tangents] != [it.shape for it in self.leaves]:
                raise ShapeError(f"{op}: tangents of other sizes than the primals")
            given_apart = (self.leaves, tangents)
            is_of_batch = any(it.has_samples(given_apart, {}) for it in open_batches.get())
            are_recorded = [it.requires_grad for it in leaves]
            self.carried = Carried(self.leaves, tangents, are_recorded, is_of_batch)
            with self.carried.calling():
                found = func(*arguments, **named)
        self.nbytes = max(memory_allocated(measured) - before, 0) if measured else 0
        self.aux: Any = None
        if has_aux:
            if not isinstance(found, tuple) or len(found) != 2:
                raise ResultError(f"{op}: with has_aux the function returns a pair; it did not")
            found, self.aux = found
        self.output = found
        self.outputs: list[Tensor] = returned(op, found)
        self.keeps = any(at.has_history(it) for it in self.outputs)

    def again(self, tangents: list[Tensor] | None = None) -> Run:
        """The same call inside of `vmap`s that began since: with leaves for each of their samples.

        It draws the numbers that the first did.
        """
        levels = open_batches.get()[self.depth :]
        before, state = [it.draws_apart for it in levels], get_rng_state()
        try:
            if self.drawn_from is not None:
                set_rng_state(self.drawn_from)
            for it in levels:
                it.draws_apart = False
            return Run(*self.made_of, tangents=tangents)
        finally:
            set_rng_state(state)
            for it, draws_apart in zip(levels, before, strict=True):
                it.draws_apart = draws_apart

    def gradients(self, outputs: list[Tensor], starts: list[Tensor] | None) -> list[Tensor]:
        """Of each leaf; zeros where there is none."""
        places = [i for i, it in enumerate(outputs) if it.requires_grad]
        found: Sequence[Tensor | None] = [None] * len(self.leaves)
        if places and self.leaves:
            found = gradients_of(
                [outputs[i] for i in places],
                self.leaves,
                None if starts is None else [starts[i] for i in places],
                retain_graph=True,
                create_graph=self.keeps,
                allow_unused=True,
            )
        pairs = zip(found, self.leaves, strict=True)
        return [_engine.zeros_like(leaf) if it is None else it for it, leaf in pairs]

    def of_given(self, found: list[Any]) -> list[Any]:
        parts: list[Any] = rebuilt(self.given, list(found))
        return parts

    def told(self, nest: Any) -> Any:
        """What is returned: with its history where that leads out of the call alone."""

        def kept(it: Tensor) -> Tensor:
            return it if not it.requires_grad or self.level.has_history(it) else it.detach()

        return mapped(kept, nest)


def _chosen(op: str, argnums: Any, args: Any) -> tuple[list[int], bool]:
    """Places of positional arguments, and whether there is one of them, not in a tuple."""
    count, is_one = len(args), not isinstance(argnums, tuple)
    places = []
    for it in (argnums,) if is_one else argnums:
        place = check.integer(op, "argnums", it)
        if not -count <= place < count:
            raise ArgumentError(
                f"{op}: argnums {place}; there are {len(args)} positional arguments"
            )
        places.append(place % count)
    if len(set(places)) != len(places) or not places:
        raise ArgumentError(f"{op}: argnums {places}; one place or more, each once, is needed")
    return places, is_one


def run_of(
    op: str,
    func: Function,
    argnums: Any,
    has_aux: bool,
    args: Any,
    named: Any,
    at: Level,
    asks_rules: bool = False,
) -> tuple[Run, bool]:
    """A call for some of its arguments, and whether it is for one that is in no tuple.

    With `asks_rules` functions with a `jvp` are told tangents of zeros: `carried` tells of them.
    """
    places, is_one = _chosen(op, argnums, args)

    def arguments(parts: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        full = list(args)
        for place, part in zip(places, parts, strict=True):
            full[place] = part
        return full, named

    given = [args[place] for place in places]
    is_gradient = op == "grad_and_value"
    tangents = None
    if asks_rules and not open_batches.get():
        leaves = leaves_of(given)
        if all(isinstance(it, Tensor) for it in leaves):  # what is none is refused below
            tangents = [_engine.zeros_like(it) for it in leaves]
    run = Run(op, func, given, arguments, has_aux, at, is_gradient, not is_gradient, tangents)
    return run, is_one


def forward(run: Run, tangents: list[Tensor]) -> list[Tensor]:
    """J v, from v's product with what is linear in another vector: two passes back.

    Outputs that have no derivative, as indices, get zeros of their own dtype.
    """
    outputs = [it for it in run.outputs if it.is_floating_point() or it.is_complex()]
    # Ones: at zeros a pass may leave out what it has no logarithm of.
    dummies = [_engine.ones_like(it).requires_grad_() for it in outputs]
    run.level.leaves.extend(map(revealed, dummies))
    keeps, own, run.keeps = run.keeps, run.leaves, True
    if run.carried is None:
        linear = run.gradients(outputs, dummies)
    else:
        with run.carried.passing() as (run.leaves, tangents):
            linear = run.gradients(outputs, dummies)
    run.keeps, run.leaves = keeps, own
    used = [i for i, it in enumerate(linear) if it.requires_grad]
    found: Sequence[Tensor | None] = [None] * len(dummies)
    if used:
        found = gradients_of(
            [linear[i] for i in used],
            dummies,
            [tangents[i] for i in used],
            retain_graph=True,
            create_graph=keeps,
            allow_unused=True,
        )
    moved = dict(zip(map(id, outputs), found, strict=True))
    pairs = ((moved.get(id(of)), of) for of in run.outputs)
    return [_engine.zeros_like(of) if it is None else it for it, of in pairs]
