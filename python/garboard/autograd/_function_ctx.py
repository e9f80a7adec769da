"""What a call of a `Function` knows from forward to backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.check import of_type
from garboard._arguments.given import items_of
from garboard._arguments.layouts import is_sparse
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import Tensor
from garboard.autograd._function_outputs import ClaimedOutput
from garboard.autograd.forward_ad import is_passed_over

if TYPE_CHECKING:
    from garboard.sparse._tensor import SparseTensor

__all__ = ["FunctionCtx", "current_level", "open_batches"]

# The innermost transform of `func` that is running: inside, forward computes with plain values.
current_level: ContextVar[Any] = ContextVar("level", default=None)
# The calls of `func.vmap` that are running, the outermost first, of `func._batching.BatchLevel`.
open_batches: ContextVar[tuple[Any, ...]] = ContextVar("open_batches", default=())


class FunctionCtx:
    """What a call of a `Function` knows in backward; forward is given it, and writes into it.

    Whatever else it is to remember may be set as an attribute, which lives as long as the graph of
    the call, until a backward pass frees it. Tensors belong into `save_for_backward`: those are
    watched for in-place writes, seen by the leak report as the graph's, and make no cycles.

    Args:
        function: The class that is called.
        arguments: Those of forward.

    Attributes:
        needs_input_grad: A tuple of bools, one an argument of forward: whether it requires grad.

    >>> class Scale(gb.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x, factor):
    ...         ctx.factor = factor
    ...         return x * factor
    ...     @staticmethod
    ...     def backward(ctx, gradient):
    ...         return gradient * ctx.factor, None
    >>> x = gb.ones(2, requires_grad=True)
    >>> Scale.apply(x, 3.0).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """

    needs_input_grad: tuple[bool, ...]

    def __init__(self, function: type[Any], arguments: tuple[Any, ...]) -> None:
        of_type(type, "FunctionCtx", "function", function)
        self._function = function
        given = items_of(of_type(tuple, "FunctionCtx", "arguments", arguments))
        self.needs_input_grad = tuple([isinstance(it, Tensor) and it.requires_grad for it in given])
        self._saving: tuple[Tensor | None, ...] = ()
        self._remakers: list[Callable[[Iterator[Any]], Any]] | None = None  # where some are sparse
        self._saved: object | None = None
        self._dirty: tuple[Tensor, ...] = ()
        self._without_gradient: tuple[Tensor, ...] = ()
        self._materializes = True
        self._for_forward: tuple[Tensor | None, ...] | None = None
        self._carried_in: object | None = None
        self._outputs: dict[str, ClaimedOutput] = {}

    @property
    def _name(self) -> str:
        return self._function.__name__

    def _given(self, op: str, tensors: tuple[Any, ...], *, none: bool) -> tuple[Any, ...]:
        for place, it in enumerate(tensors):
            if not isinstance(it, Tensor) and not (none and it is None):
                needed = "a Tensor or None is needed; set other things as attributes of ctx"
                raise TypeError(
                    f"{op}: argument {place} is of type {type(it).__name__}; "
                    f"{needed if none else 'a Tensor is needed'}"
                )
        return tensors

    def save_for_backward(self, *tensors: Tensor | SparseTensor | None) -> None:
        """Keep tensors for backward, which finds them in `saved_tensors`.

        They may be arguments, outputs, or what forward computed on the way. Another call forgets
        those of the one before. Nothing is kept where no gradient will be asked for.

        Args:
            *tensors: Of any shape and dtype, dense or sparse; None keeps a place empty.

        Raises:
            TypeError: Something is neither a tensor nor None.

        >>> class Square(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * gradient
        >>> x = gb.tensor(3.0, requires_grad=True)
        >>> gb.autograd.grad(Square.apply(x), x)
        (tensor(6.),)
        """
        parts: list[Any] = []
        self._remakers = None
        if any(map(is_sparse, tensors)):
            self._remakers = [it._remaker() if is_sparse(it) else next for it in tensors]
        for it in tensors:
            parts += it._scope_members() if is_sparse(it) else [it]
        self._saving = self._given(f"{self._name}.save_for_backward", tuple(parts), none=True)

    @property
    def saved_tensors(self) -> tuple[Tensor | Any, ...]:
        """What `save_for_backward` was given, as new handles, None where None was.

        VersionError: one was written in place since. GradientError: a backward pass has freed them.
        """
        if self._for_forward is not None:
            return self._for_forward
        found = self._saving
        if self._saved is not None:
            with enable_grad():  # outputs have a history only with it, and may be asked for it
                found = _engine._saved_tensors(self._saved, self._name)
        if self._remakers is None:
            return found
        parts = iter(found)
        return tuple([make(parts) for make in self._remakers])

    def __getattr__(self, name: str) -> Any:
        claimed = vars(self).get("_outputs", {}).get(name)
        if claimed is None:
            raise AttributeError(f"the context has no attribute {shown(name)}")
        return claimed.read(self._name)

    def __delattr__(self, name: str) -> None:
        if name in vars(self):
            super().__delattr__(name)
        elif self._outputs.pop(name, None) is None:
            raise AttributeError(f"the context has no attribute {shown(name)}")

    def _known(self) -> tuple[Any, ...]:
        """All that backward can read: what was saved, and attributes."""
        outputs = [getattr(self, name) for name in self._outputs]
        return (*self.saved_tensors, *vars(self).values(), *outputs)

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Give tensors to `jvp`, which finds them in `saved_tensors`; nothing is kept after it.

        Args:
            *tensors: Of any shape and dtype; None keeps a place empty.

        Raises:
            TypeError: Something is neither a Tensor nor None.

        >>> class Square(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_forward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def jvp(ctx, tangent):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * tangent
        >>> import garboard.autograd.forward_ad as fwAD
        >>> with fwAD.dual_level():
        ...     x = fwAD.make_dual(gb.tensor(3.0), gb.tensor(1.0))
        ...     fwAD.unpack_dual(Square.apply(x)).tangent
        tensor(6.)
        """
        self._for_forward = self._given(f"{self._name}.save_for_forward", tensors, none=True)

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which arguments forward writes in place; it must return them, too.

        Args:
            *tensors: Arguments of forward, of any shape.

        Raises:
            TypeError: Something is no Tensor.

        >>> class Double_(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.mark_dirty(x)
        ...         return x.mul_(2)
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         return gradient * 2
        >>> x = gb.ones(2)
        >>> Double_.apply(x) is x
        True
        """
        self._dirty = self._given(f"{self._name}.mark_dirty", tensors, none=False)

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient; those of integer dtypes have none in any case.

        backward is given zeros in their places, or None; see `set_materialize_grads`.

        Args:
            *tensors: Outputs of forward, of any shape.

        Raises:
            TypeError: Something is no Tensor.

        >>> class Split(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         whole = x.trunc()
        ...         ctx.mark_non_differentiable(whole)
        ...         return whole, x - whole
        ...     @staticmethod
        ...     def backward(ctx, of_whole, of_rest):
        ...         return of_rest
        >>> whole, rest = Split.apply(gb.tensor(2.5, requires_grad=True))
        >>> whole.requires_grad, rest.requires_grad
        (False, True)
        """
        self._without_gradient = self._given(
            f"{self._name}.mark_non_differentiable", tensors, none=False
        )

    def set_materialize_grads(self, value: bool) -> None:
        """Choose what backward is given for an output that nothing was computed from.

        Args:
            value: True, which is usual, for zeros; False for None.

        Raises:
            TypeError: `value` is not True or False.

        >>> class Both(gb.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.set_materialize_grads(False)
        ...         return x * 2, x * 3
        ...     @staticmethod
        ...     def backward(ctx, of_first, of_second):
        ...         return of_first * 2 if of_second is None else of_second * 3
        >>> x = gb.tensor(1.0, requires_grad=True)
        >>> gb.autograd.grad(Both.apply(x)[0], x)
        (tensor(2.),)
        """
        from garboard._arguments.check import flag

        self._materializes = flag(f"{self._name}.set_materialize_grads", "value", value)

    def _backward(self, *gradients: Tensor | None) -> Any:
        if self._carried_in is not None and is_passed_over(self._carried_in):
            return (None,) * len(self.needs_input_grad)
        return self._function._rule()(self, *gradients)
