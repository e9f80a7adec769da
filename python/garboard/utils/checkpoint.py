"""Computing activations again in backward, instead of keeping them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any, TypeVar, overload
from weakref import WeakKeyDictionary

from garboard import _engine
from garboard._arguments.check import count, flag, function
from garboard._arguments.layouts import is_really
from garboard._contexts.autocasting import blocks_here, entered_again
from garboard._contexts.blocks import block
from garboard._contexts.grad_mode import enable_grad
from garboard._contexts.stopping import Enough
from garboard._engine import GradientError, Tensor, is_grad_enabled
from garboard._scopes import dispose_scope
from garboard.autograd import _passes as gradients
from garboard.autograd._function_ctx import open_batches
from garboard.autograd.function import Function
from garboard.autograd.graph import saved_tensors_hooks
from garboard.utils._checkpoint_policies import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
    set_checkpoint_debug_enabled,
)
from garboard.utils._device_states import (
    check_backward_validity,
    detach_variable,
    get_device_states,
    noop_context_fn,
    set_device_states,
)

__all__ = [
    "CheckpointError",
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]

_T = TypeVar("_T")
_F = TypeVar("_F", bound=Callable[..., Any])
_Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]
_stops_early: ContextVar[bool | None] = ContextVar("stops early", default=None)


class CheckpointError(GradientError):
    """A checkpointed function did something else when backward called it again."""


class _Place:
    """Stands for a tensor that the forward pass did not keep."""

    __slots__ = ("__weakref__", "call", "number")

    def __init__(self, call: _Call, number: int) -> None:
        self.call = call
        self.number = number


class _Inputs(Function):
    """Keeps tensors as every op does: with their versions, for hooks around it to see."""

    @staticmethod
    def forward(ctx: Any, asking: Tensor, holder: list[Any], *tensors: Tensor) -> Tensor:
        ctx.save_for_backward(*tensors)
        holder.append(ctx)
        return asking.detach()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        raise GradientError("checkpoint: its inputs were differentiated; they only keep tensors")


class _Call:
    """One call of a checkpointed function: how to do it again."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        context: AbstractContextManager[Any],
        state: tuple[int, int] | None,
        stops_early: bool,
    ) -> None:
        self._function = function
        self._context = context
        self._state = state
        around = _stops_early.get()  # what a block says counts for all within it
        self._stops_early = stops_early if around is None else around
        self._count = 0
        self._blocks = blocks_here()
        # A place keeps this call alive, and nodes keep their places: so this holds no place.
        self._found: WeakKeyDictionary[_Place, Tensor] = WeakKeyDictionary()
        self._places: list[Any] = []
        flat = (*args, *kwargs.values())
        self._names = tuple(kwargs)
        self._others = tuple([None if is_really(it, Tensor) else (it,) for it in flat])
        holder: list[Any] = []
        asking = _engine.empty(0, requires_grad=True)
        tensors = [it for it in flat if is_really(it, Tensor)]
        # In no scope, which might end it. A tensor, and not its node alone: the collector follows
        # tensors into graphs, and these may lead back here.
        self._kept: Tensor = _Inputs.apply(asking, holder, *tensors)
        self._kept.detach_from_dispose_scope()
        (self._inputs,) = holder

    def place(self) -> _Place:
        from weakref import ref

        place = _Place(self, self._count)
        self._count += 1
        self._places.append(ref(place))
        return place

    def tensor_at(self, place: _Place) -> Tensor:
        """Return what was computed for a place, once more where need be."""
        if place not in self._found:
            self._compute_again()
        found = self._found.get(place)
        if found is None:
            raise CheckpointError(
                f"checkpoint: the function kept fewer tensors when it was called again, and not "
                f"number {place.number} of {self._count}; it must do the same each time, whatever "
                "it reads besides its arguments"
            )
        return found

    def forget(self) -> None:
        """Let go of what `grad` inside the function had computed once more."""
        self._found.clear()

    def _compute_again(self) -> None:
        before = None if self._state is None else _engine._generator_state()
        if self._state is not None:
            _engine._set_generator_state(*self._state)
        numbers = iter(range(self._count))

        def collect(tensor: Tensor) -> Tensor:
            number = next(numbers, None)
            if number is None:
                return tensor
            place = self._places[number]()
            if place is not None:  # nobody asks for it any more
                self._found[place] = tensor
            if number + 1 == self._count and self._stops_early:
                raise Enough
            return tensor

        with enable_grad():  # with their history, or ops on them would not be recorded
            tensors = iter(self._inputs.saved_tensors)
        flat = [next(tensors) if it is None else it[0] for it in self._others]
        first_named = len(flat) - len(self._names)
        named = dict(zip(self._names, flat[first_named:], strict=True))
        try:
            with (
                dispose_scope("checkpoint"),
                enable_grad(),
                self._context,
                entered_again(self._blocks),
                saved_tensors_hooks(collect, _kept_by_gradient),
            ):
                self._function(*flat[:first_named], **named)
        except Enough:
            pass
        finally:
            if before is not None:
                _engine._set_generator_state(*before)


def _kept_by_gradient(kept: Tensor) -> Tensor:
    """What a pass inside the function reads: one of `grad`, which adds to no `.grad`."""
    if sys._getframe(1).f_globals.get("__name__") != gradients.__name__:
        raise CheckpointError(
            "checkpoint: the function calls backward(), which would be done again in backward and "
            "add to .grad twice; leave it out of what is checkpointed, or take autograd.grad()"
        )
    return kept


@overload
def checkpoint(
    function: Callable[..., _T],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], _Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    respect_saved_tensors_hooks: bool | None = None,
    **kwargs: Any,
) -> _T: ...
@overload
def checkpoint(
    *,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], _Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    respect_saved_tensors_hooks: bool | None = None,
) -> Callable[[_F], _F]: ...
def checkpoint(
    function: Callable[..., Any] | None = None,
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Callable[[], _Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    respect_saved_tensors_hooks: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Call a function, and keep its arguments alone for backward, which calls it again.

    That trades time for memory: of what ops inside keep, only as much lives at once as one such
    function needs. What is computed again lives in a scope of its own, and ends as backward uses
    it up. Calls may stand inside each other. Outside of grad mode it is a plain call.

    Args:
        function: What is called; it must do the same each time. Without one a decorator is
            returned, whose functions are checkpointed at every call.
        *args: Its arguments; tensors among them, not inside lists, are kept as ops keep theirs.
        use_reentrant: Either; there is one way here, PyTorch's for False.
        preserve_rng_state: True has the function draw the same random numbers again.
        context_fn: Gives two context managers, around the first call and around the second.
        determinism_check: "default", sizes, dtypes and devices are compared, or "none": the same.
        debug: False.
        early_stop: False has backward call the function again to its end, and not only until it
            has what it needs. A block of `set_checkpoint_early_stop` counts for more.
        respect_saved_tensors_hooks: Either; hooks see all that is kept.
        **kwargs: Arguments by name.

    Returns:
        What the function returns.

    Raises:
        TypeError: The function cannot be called.
        ValueError: `determinism_check` or `debug` is none of those.
        CheckpointError: In backward: called again, the function kept other tensors.
        GradientError: In backward: a pass freed the graph.
        VersionError: In backward: an argument was written in place since.

    >>> layer = gb.nn.Sequential(gb.nn.Linear(8, 64), gb.nn.ReLU(), gb.nn.Linear(64, 8))
    >>> x = gb.rand(4, 8, requires_grad=True)
    >>> y = gb.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)
    >>> (gradient,) = gb.autograd.grad(y.sum(), x)
    >>> gradient.shape
    (4, 8)
    """
    from garboard._arguments.check import choice

    options: dict[str, Any] = {
        "use_reentrant": use_reentrant,
        "preserve_rng_state": preserve_rng_state,
        "context_fn": context_fn,
        "determinism_check": determinism_check,
        "debug": debug,
        "early_stop": early_stop,
        "respect_saved_tensors_hooks": respect_saved_tensors_hooks,
    }
    if function is None and not args and not kwargs:
        return partial(_checkpointed, options)
    callable_ = _function("checkpoint", function)
    choice("checkpoint", "determinism_check", determinism_check, "default", "none")
    if use_reentrant is not None:
        flag("checkpoint", "use_reentrant", use_reentrant)
    if flag("checkpoint", "debug", debug):
        raise ValueError("checkpoint: debug=True; errors name the op in any case, leave it out")
    keeps_state = flag("checkpoint", "preserve_rng_state", preserve_rng_state)
    stops_early = flag("checkpoint", "early_stop", early_stop)
    if respect_saved_tensors_hooks is not None:
        flag("checkpoint", "respect_saved_tensors_hooks", respect_saved_tensors_hooks)
    first, second = context_fn()
    if not is_grad_enabled() or open_batches.get():  # what is recorded there is of all samples
        with first:
            return callable_(*args, **kwargs)
    state = _engine._generator_state() if keeps_state else None
    call = _Call(callable_, args, kwargs, second, state, stops_early)
    with saved_tensors_hooks(lambda tensor: call.place(), lambda it: it.call.tensor_at(it)), first:
        result = callable_(*args, **kwargs)
    call.forget()
    return result


def _function(op: str, given: Any) -> Any:
    return function(op, "function", given)


def _checkpointed(options: dict[str, Any], given: Any) -> Any:
    """What `checkpoint` does as a decorator."""
    callable_ = _function("checkpoint", given)

    @wraps(callable_, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        return checkpoint(callable_, *args, **options, **kwargs)

    return call


def checkpoint_sequential(
    functions: Iterable[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Call functions one after another, in segments that are checkpointed, all but the last.

    Args:
        functions: A Sequential, or a list of modules or functions of one argument each.
        segments: Into how many parts of the same length to cut them.
        input: What the first one is given.
        use_reentrant: As for `checkpoint`.
        **kwargs: `preserve_rng_state`, as for `checkpoint`.

    Returns:
        What the last function returns.

    Raises:
        TypeError: One of them cannot be called, or there is another argument by name.
        ValueError: `segments` is less than 1, or there are more segments than functions.

    >>> layers = [gb.nn.Linear(8, 8), gb.nn.ReLU(), gb.nn.Linear(8, 8), gb.nn.ReLU()]
    >>> x = gb.rand(4, 8, requires_grad=True)
    >>> y = gb.utils.checkpoint.checkpoint_sequential(layers, 2, x)
    >>> (gradient,) = gb.autograd.grad(y.sum(), x)
    >>> gradient.shape
    (4, 8)
    """
    op = "checkpoint_sequential"
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise TypeError(f"{op}: {len(kwargs)} more arguments by name; preserve_rng_state is one")
    parts = [function(op, "one of functions", it) for it in functions]
    number = count(op, "segments", segments, least=1)
    if number > len(parts):
        raise ValueError(
            f"{op}: {number} segments of {len(parts)} functions; each needs one at least"
        )

    def run(first: int, end: int) -> Callable[[Any], Any]:
        def segment(value: Any) -> Any:
            for part in parts[first:end]:
                value = part(value)
            return value

        return segment

    length = len(parts) // number
    end = 0
    for _ in range(number - 1):
        segment = run(end, end + length)
        input = checkpoint(segment, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
        end += length
    return run(end, len(parts))(input)


@block
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Say whether backward calls functions again to their ends, or until it has what it needs.

    Args:
        enable: False has functions that are checkpointed within the block run to their ends, as
            one needs that does something else besides.

    Yields:
        Nothing.

    >>> x = gb.rand(4, requires_grad=True)
    >>> with gb.utils.checkpoint.set_checkpoint_early_stop(False):
    ...     y = gb.utils.checkpoint.checkpoint(gb.sin, x)
    """
    before = _stops_early.get()
    is_early = flag("set_checkpoint_early_stop", "enable", enable)
    try:
        _stops_early.set(is_early)
        yield
    finally:
        _stops_early.set(before)
