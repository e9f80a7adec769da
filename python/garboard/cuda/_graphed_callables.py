"""Functions and modules whose work is captured: forward and backward, a graph each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._arguments.pytree import tree_flatten, tree_unflatten
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.autograd import Function, grad
from garboard.cuda._devices import synchronize
from garboard.cuda._graphs import CUDAGraph, graph, graph_pool_handle
from garboard.cuda.streams import Stream, StreamContext
from garboard.nn import Module

__all__ = ["make_graphed_callables"]

_Callable = Callable[..., Any]


def make_graphed_callables(
    callables: _Callable | tuple[_Callable, ...],
    sample_args: tuple[Any, ...],
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: _engine._CapturePool | None = None,
) -> Any:
    """Capture functions or modules, forward and backward, to be called as before.

    Each is called some times, to warm up, and then captured on memory of its own. A call copies its
    arguments there and replays; its results are in the same memory at every call, so whoever wants
    to keep them clones them. Sizes, dtypes and what requires gradients must be those of the sample.

    Args:
        callables: A function or module, or a tuple of them that run in this order. Modules without
            hooks, whose buffers require no gradient; their `forward` is replaced, for as long as
            they train or evaluate as they do now.
        sample_args: Tensors on a CUDA device, in nests or not, for each of them a tuple.
        num_warmup_iters: How often each is called before.
        allow_unused_input: Let inputs without a gradient have None.
        pool: Where memory comes from, as for `graph`.

    Returns:
        What is to be called instead: one, or a tuple. A module is given back itself.

    Raises:
        DeviceError: Something is called that cannot be captured.
        TypeError: An argument is of another type.
        ValueError: A module has hooks; there are not as many samples as callables.

    >>> if gb.cuda.is_available():
    ...     model, x = gb.nn.Linear(3, 2).cuda(), gb.ones(4, 3, device="cuda")
    ...     model = gb.cuda.make_graphed_callables(model, (x,))
    ...     model(x + 1).sum().backward()
    """
    check.flag("make_graphed_callables", "allow_unused_input", allow_unused_input)
    check.integer("make_graphed_callables", "num_warmup_iters", num_warmup_iters)
    is_one = not isinstance(callables, tuple)
    functions = callables if isinstance(callables, tuple) else (callables,)
    samples: tuple[Any, ...] = (sample_args,) if is_one else sample_args
    if not isinstance(samples, tuple) or not all(isinstance(it, tuple) for it in samples):
        raise TypeError(
            f"make_graphed_callables: sample_args {shown(sample_args)}; a tuple of tensors for "
            "each callable is needed"
        )
    if len(samples) != len(functions):
        raise ValueError(
            f"make_graphed_callables: {len(samples)} samples for {len(functions)} callables; one "
            "for each is needed"
        )
    graphed = [_Graphed(it, given) for it, given in zip(functions, samples, strict=True)]
    _capture(graphed, num_warmup_iters, allow_unused_input, pool)
    made = tuple(it.replacing() for it in graphed)
    return made[0] if is_one else made


def _capture(
    graphed: Sequence[_Graphed],
    warmups: int,
    allows_unused: bool,
    pool: _engine._CapturePool | None,
) -> None:
    side = Stream()
    synchronize()
    with StreamContext(side):
        for it in graphed:
            for _ in range(warmups):
                it.warm_up(allows_unused)
    synchronize()
    shared = graph_pool_handle() if pool is None else pool
    for it in graphed:
        with graph(it.forward, shared, side):
            it.call()
    # The last to run forward is the first to run backward: memory is used again in that order.
    for it in reversed(graphed):
        if it.has_gradients():
            with graph(it.backward, shared, side):
                it.find_gradients(allows_unused)


class _Graphed:
    """One callable, with the memory that its graphs read and write."""

    def __init__(self, function: _Callable, sample: tuple[Any, ...]) -> None:
        if not callable(function):
            raise TypeError(
                f"make_graphed_callables: {shown(function)}; a function or a module is needed"
            )
        self.function = function
        self.sample = sample
        leaves, self._form = tree_flatten(sample)
        for leaf in leaves:
            if not is_really(leaf, Tensor) or leaf.device.type != "cuda":
                raise TypeError(
                    f"make_graphed_callables: {shown(leaf)} among sample_args; tensors on a CUDA "
                    "device are needed"
                )
        self.arguments: list[Tensor] = leaves
        parameters: tuple[Tensor, ...] = ()
        if isinstance(function, Module):
            _refuse_hooks(function)
            parameters = tuple(function.parameters())
        self.parameters = parameters
        self.forward, self.backward = CUDAGraph(), CUDAGraph()
        self.results: list[Any] = []
        self.gradients: list[Tensor | None] = []
        self.result_gradients: list[Tensor] = []
        self.is_differentiable: list[bool] = []

    # Before it is captured, and while it is

    def inputs(self) -> list[Tensor]:
        return [it for it in (*self.arguments, *self.parameters) if it.requires_grad]

    def warm_up(self, allows_unused: bool) -> None:
        self.call()
        self.find_gradients(allows_unused)
        self.results, self.gradients, self.result_gradients = [], [], []

    def call(self) -> None:
        self.results, self._form_of_results = tree_flatten(self.function(*self.sample))
        self.is_differentiable = [is_really(it, Tensor) and it.requires_grad for it in self.results]

    def differentiable(self) -> list[Tensor]:
        return [it for it in self.results if is_really(it, Tensor) and it.requires_grad]

    def has_gradients(self) -> bool:
        return bool(self.differentiable() and self.inputs())

    def find_gradients(self, allows_unused: bool) -> None:
        if not self.has_gradients():
            return
        results = self.differentiable()
        self.result_gradients = [_engine.empty_like(it) for it in results]
        inputs = self.inputs()
        found = iter(grad(results, inputs, self.result_gradients, allow_unused=allows_unused))
        every = (*self.arguments, *self.parameters)
        self.gradients = [next(found) if it.requires_grad else None for it in every]
        # What was captured for them is replayed; the graph that made the results is used up.
        self.results = [it.detach() if is_really(it, Tensor) else it for it in self.results]

    # Afterwards

    def replacing(self) -> _Callable:
        """Return what runs the graphs: a function, or the module with another `forward`."""
        if not isinstance(self.function, Module):
            return self.replay
        module, own, is_training = self.function, self.function.forward, self.function.training

        def forward(*given: Any, **named: Any) -> Any:
            if module.training != is_training or named:
                return own(*given, **named)
            return self.replay(*given)

        module.forward = forward  # type: ignore[method-assign]
        return module

    def replay(self, *given: Any) -> Any:
        leaves, form = tree_flatten(given)
        if form != self._form:
            raise TypeError(
                f"a graphed callable: {len(leaves)} arguments, in a form that is not the sample's; "
                f"{len(self.arguments)} are needed, nested alike"
            )
        for leaf, own in zip(leaves, self.arguments, strict=True):
            if not is_really(leaf, Tensor) or leaf.shape != own.shape or leaf.dtype != own.dtype:
                raise TypeError(
                    f"a graphed callable: {shown(leaf)}; a tensor of sizes {list(own.shape)} and "
                    f"dtype {own.dtype}, as in the sample, is needed"
                )
        results = _Replay.apply(self, *leaves, *self.parameters)
        return tree_unflatten(list(results), self._form_of_results)


class _Replay(Function):
    """Copies what is given to where the graphs read it, and replays them."""

    @staticmethod
    def forward(ctx: Any, graphed: _Graphed, *inputs: Tensor) -> Any:
        ctx.graphed = graphed
        for own, given in zip(graphed.arguments, inputs, strict=False):
            if own.data_ptr() != given.data_ptr():
                own.detach().copy_(given)
        graphed.forward.replay()
        results = tuple(it.detach() if is_really(it, Tensor) else it for it in graphed.results)
        others = zip(results, graphed.is_differentiable, strict=True)
        ctx.mark_non_differentiable(
            *(it for it, is_needed in others if is_really(it, Tensor) and not is_needed)
        )
        return results

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> Any:
        graphed = ctx.graphed
        taken = [
            g for g, needed in zip(gradients, graphed.is_differentiable, strict=True) if needed
        ]
        for own, given in zip(graphed.result_gradients, taken, strict=True):
            if given is None:
                own.zero_()
            elif own.data_ptr() != given.data_ptr():
                own.copy_(given)
        graphed.backward.replay()
        found = (None if it is None else it.detach() for it in graphed.gradients)
        return (None, *found)


def _refuse_hooks(module: Module) -> None:
    for name, part in module.named_modules():
        hooks = (part._forward_hooks, part._forward_pre_hooks, part._backward_hooks)
        if any(hooks):
            raise ValueError(
                f"make_graphed_callables: a module with hooks, {name or type(part).__name__}; one "
                "without them is needed, which may get them afterwards"
            )
    if any(it.requires_grad for it in module.buffers()):
        raise ValueError(
            "make_graphed_callables: a module whose buffer requires a gradient; make it a parameter"
        )
