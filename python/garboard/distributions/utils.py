"""What distributions of one's own are written with, where PyTorch's users look for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._contexts.grad_mode import enable_grad
from garboard._engine import ShapeError, Tensor, broadcast_tensors, softmax, tril_indices
from garboard.distributions._parameters import clamped, log_of_classes, log_of_odds

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "euler_constant",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant: float = 0.57721566490153286060  # Euler's and Mascheroni's

_Owner = TypeVar("_Owner")


def _standard_normal(shape: Sequence[int], dtype: DType, device: Device) -> Tensor:
    """Normal numbers around 0, for `rsample` of a user's own, as PyTorch's are written."""
    return _engine.randn(tuple(shape), dtype=dtype, device=device)


_Value = TypeVar("_Value")


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dims; the value itself where that is none."""
    return value.flatten(-dim).sum(-1) if dim > 1 else value.sum(-1) if dim else value


def broadcast_all(*values: Tensor | float) -> tuple[Tensor, ...]:
    """Bring numbers and tensors to the same sizes.

    Args:
        values: Tensors; numbers, which take the dtype and device of the first tensor.

    Returns:
        Tensors of the sizes that all broadcast to; of the default dtype where there are numbers
        alone.

    Raises:
        TypeError: Something else than tensors and numbers.
        ShapeError: Sizes that do not broadcast.

    >>> [it.tolist() for it in gb.distributions.utils.broadcast_all(gb.ones(2), 3.0)]
    [[1.0, 1.0], [3.0, 3.0]]
    """
    first = next((it for it in values if is_really(it, Tensor)), None)
    dtype = _engine.get_default_dtype() if first is None else first.dtype
    device = None if first is None else first.device
    made = [
        it
        if is_really(it, Tensor)
        else _engine.tensor(
            check.worth("broadcast_all", f"values[{place}]", it), dtype=dtype, device=device
        )
        for place, it in enumerate(values)
    ]
    return tuple(broadcast_tensors(*made))


def clamp_probs(probs: Tensor) -> Tensor:
    """Move probabilities inward so far that all logarithms are finite, those of the rest, too.

    Args:
        probs: Tensor of a floating dtype.

    Returns:
        A new tensor within [eps, 1 - eps].

    Raises:
        TypeError: It is no Tensor.

    >>> bool(gb.distributions.utils.clamp_probs(gb.tensor([0.0, 1.0])).log().isfinite().all())
    True
    """
    return clamped(check.tensor("clamp_probs", "probs", probs))


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Make probabilities of logits.

    Args:
        logits: Logarithms of odds, or of the classes along the last dim.
        is_binary: They are of odds.

    Returns:
        A new tensor of these sizes.

    Raises:
        TypeError: It is no Tensor.

    >>> gb.distributions.utils.logits_to_probs(gb.zeros(4)).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    given = check.tensor("logits_to_probs", "logits", logits)
    return (
        given.sigmoid()
        if check.flag("logits_to_probs", "is_binary", is_binary)
        else softmax(given, -1)
    )


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Make finite logits of probabilities.

    Args:
        probs: Probabilities, of one thing or of the classes along the last dim.
        is_binary: They are of one thing: odds are needed.

    Returns:
        A new tensor of these sizes.

    Raises:
        TypeError: It is no Tensor.

    >>> gb.distributions.utils.probs_to_logits(gb.tensor([0.5]), is_binary=True)
    tensor([0.])
    """
    given = check.tensor("probs_to_logits", "probs", probs)
    is_of_odds = check.flag("probs_to_logits", "is_binary", is_binary)
    return log_of_odds(given) if is_of_odds else log_of_classes(given)


class lazy_property(Generic[_Owner, _Value]):
    """A property that is computed once, when it is first asked for, and kept on the object.

    Args:
        wrapped: A method without arguments; gradients are recorded in it.

    Raises:
        TypeError: It cannot be called.

    >>> class Circle:
    ...     @gb.distributions.utils.lazy_property
    ...     def area(self):
    ...         print("computed")
    ...         return 3
    >>> circle = Circle()
    >>> circle.area + circle.area
    computed
    6
    """

    def __init__(self, wrapped: Callable[[_Owner], _Value]) -> None:
        self.wrapped: Callable[[_Owner], _Value] = check.function(
            "lazy_property", "wrapped", wrapped
        )
        self.__doc__ = wrapped.__doc__

    @overload
    def __get__(self, instance: None, owner: object = None) -> lazy_property[_Owner, _Value]: ...
    @overload
    def __get__(self, instance: _Owner, owner: object = None) -> _Value: ...
    def __get__(
        self, instance: _Owner | None, owner: object = None
    ) -> _Value | lazy_property[_Owner, _Value]:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Take the lower triangle of matrices, row by row.

    Args:
        mat: [..., n, n].
        diag: The last diagonal that belongs to it, in [-n, n).

    Returns:
        A new tensor [..., elements].

    Raises:
        ShapeError: No square matrices.
        ValueError: `diag` is out of range.

    >>> gb.distributions.utils.tril_matrix_to_vec(gb.tensor([[1, 2], [3, 4]])).tolist()
    [1, 3, 4]
    """
    op = "tril_matrix_to_vec"
    given = check.tensor(op, "mat", mat)
    if given.ndim < 2 or given.shape[-1] != given.shape[-2]:
        raise ShapeError(f"{op}: sizes {list(given.shape)}; [..., n, n] is needed")
    n = given.shape[-1]
    last = check.integer(op, "diag", diag)
    if not -n <= last < n:
        raise ValueError(f"{op}: diag {last} of matrices of {n} rows; -{n} to {n - 1} is needed")
    rows, columns = tril_indices(n, n, last)
    found: Tensor = given[..., rows, columns]
    return found


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Make lower triangular matrices of their elements, row by row.

    Args:
        vec: [..., elements].
        diag: The last diagonal that belongs to them.

    Returns:
        A new tensor [..., n, n] with zeros elsewhere; of the n with as many elements, the largest.

    Raises:
        ShapeError: No triangle has so many elements.

    >>> gb.distributions.utils.vec_to_tril_matrix(gb.tensor([1, 3, 4])).tolist()
    [[1, 0], [3, 4]]
    """
    op = "vec_to_tril_matrix"
    given, last = check.tensor(op, "vec", vec), check.integer(op, "diag", diag)
    count = given.shape[-1] if given.ndim else 0
    sides = range(count + 1 + abs(last), -1, -1)
    n = next((n for n in sides if _elements(n, last) == count), None)
    if not given.ndim or n is None:
        raise ShapeError(
            f"{op}: sizes {list(given.shape)}; as many elements as a triangle has are needed"
        )
    rows, columns = tril_indices(n, n, last)
    made = given.new_zeros((*given.shape[:-1], n, n))
    made[..., rows, columns] = given
    return made


def _elements(n: int, diag: int) -> int:
    return sum(max(0, min(n, row + diag + 1)) for row in range(n))
