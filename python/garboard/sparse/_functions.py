"""Functions of sparse tensors, and how those of the engine answer when they are given one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard.sparse import _products
from garboard.sparse._layouts import empty
from garboard.sparse._products import is_sparse
from garboard.sparse._reduced import reduced_product
from garboard.sparse._selected import unsqueeze
from garboard.sparse._tensor import SparseTensor

__all__ = ["addmm", "dsmm", "log_softmax", "mm", "sampled_addmm", "softmax", "spmm", "sum"]


def mm(mat1: Any, mat2: Any, reduce: str | None = None) -> Any:
    """Return the product of two matrices, at least one of them sparse.

    Args:
        mat1: [n, m], sparse or dense.
        mat2: [m, k], or a vector [m] after a sparse matrix.
        reduce: What becomes of the terms of a row of a sparse `mat1`, [n, m], and a column of a
            dense `mat2`, [m, k]: "sum", "mean", "amax" or "amin" of as many as the row tells, and
            0 where it tells none. The gradient of an extreme is that of the first such term.

    Returns:
        A dense tensor, or a sparse one where both are sparse. Gradients flow to dense factors and
        to the values of sparse ones.

    Raises:
        ShapeError: Sizes that do not fit.
        DTypeError: Two dtypes.
        TypeError: No tensors, or with `reduce` a `mat1` that is not sparse.
        ChoiceError: Another `reduce`; it is a ValueError.

    >>> gb.sparse.mm(gb.eye(2).to_sparse(), gb.ones(2, 1))
    tensor([[1.],
            [1.]])
    >>> x = gb.tensor([[2.0, 3.0], [0.0, 0.0]]).to_sparse_csr()
    >>> gb.sparse.mm(x, gb.ones(2, 1), "amax")
    tensor([[3.],
            [0.]])
    """
    if reduce is not None:
        return reduced_product("mm", mat1, mat2, reduce)
    if not isinstance(mat1, SparseTensor) and not isinstance(mat2, SparseTensor):
        return _engine.mm(check.tensor("mm", "mat1", mat1), check.tensor("mm", "mat2", mat2))
    return _products.product("mm", mat1, mat2)


spmm = mm
dsmm = mm


def addmm(mat: Tensor, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Return `beta * mat + alpha * (mat1 @ mat2)`, dense.

    Args:
        mat: A dense matrix, or what broadcasts to one.
        mat1: Sparse or dense.
        mat2: Likewise.
        beta: By how much `mat` counts.
        alpha: By how much the product does.

    Raises:
        ShapeError: Sizes that do not fit.
        DTypeError: Two dtypes.

    >>> gb.sparse.addmm(gb.ones(1, 1), gb.ones(1, 1).to_sparse(), gb.ones(1, 1), alpha=2)
    tensor([[3.]])
    """
    made = mm(mat1, mat2)
    made = made.to_dense() if isinstance(made, SparseTensor) else made
    return mat * beta + made * alpha


def sampled_addmm(
    input: SparseTensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: float = 1.0,
    alpha: float = 1.0,
) -> SparseTensor:
    """Return `beta * input + alpha * (mat1 @ mat2)` at the places that `input` tells.

    What the product has elsewhere is never computed: the work grows with the number of places.

    Args:
        input: A sparse matrix [n, k].
        mat1: [n, m], dense.
        mat2: [m, k], dense.
        beta: By how much `input` counts.
        alpha: By how much the product does.

    Returns:
        A sparse tensor with `input`'s places, by rows where it is. Gradients flow to all three.

    Raises:
        ShapeError: Sizes that do not fit.
        DTypeError: Two dtypes.
        TypeError: `input` is no SparseTensor, or a factor no Tensor.

    >>> x = gb.eye(2).to_sparse()
    >>> gb.sparse.sampled_addmm(x, gb.ones(2, 3), gb.ones(3, 2)).to_dense()
    tensor([[4., 0.],
            [0., 4.]])
    """
    op = "sampled_addmm"
    _refuse_other(op, input)
    left, right = check.tensor(op, "mat1", mat1), check.tensor(op, "mat2", mat2)
    fits = input.ndim == 2 and not input.dense_dim() and left.ndim == right.ndim == 2
    if not fits or (*left.shape, *right.shape) != (
        input.shape[0],
        left.shape[1],
        left.shape[1],
        input.shape[1],
    ):
        raise ShapeError(
            f"{op}: an input of sizes {list(input.shape)} and factors of sizes {list(left.shape)} "
            f"and {list(right.shape)}; [n, k], [n, m] and [m, k] are needed"
        )
    if not input.dtype == left.dtype == right.dtype:
        raise _engine.DTypeError(
            f"{op}: dtypes {input.dtype}, {left.dtype} and {right.dtype}; one is needed"
        )
    whole = input._once()
    rows, columns = whole._indices().unbind(0)
    products = (left.index_select(0, rows) * right.t().index_select(0, columns)).sum(1)
    return whole._with(whole._values() * beta + products * alpha)


def _refuse_other(op: str, input: object) -> None:
    if not isinstance(input, SparseTensor):
        raise TypeError(f"{op}: input is {shown(input)}; a SparseTensor is needed")


@takes_axis
def sum(
    input: SparseTensor, dim: int | Sequence[int] | None = None, dtype: _engine.dtype | None = None
) -> Tensor | SparseTensor:
    """Return the sum of all elements, or a sparse tensor of the sums over dims.

    Args:
        input: A SparseTensor.
        dim: One, or several; all by default.
        dtype: Convert to it first.

    Returns:
        Sparse where a sparse dim is left, else dense.

    >>> gb.sparse.sum(gb.ones(2, 3).to_sparse(), dim=1).to_dense()
    tensor([3., 3.])
    """
    _refuse_other("sum", input)
    made: Tensor | SparseTensor = (input if dtype is None else input.to(dtype)).sum(dim)
    return made


def _normalized(op: str, input: SparseTensor, dim: int) -> tuple[SparseTensor, Tensor, Tensor]:
    """What is told less the maximum of its row or column, and the sum of exponentials there."""
    if not isinstance(input, SparseTensor) or input.ndim != 2 or input.dense_dim():
        raise ShapeError(f"{op}: {shown(input)}; a sparse matrix is needed")
    whole, other = input._once(), 1 - _products.place_of(op, dim, 2)
    which, count = whole._indices()[other], whole.shape[other]
    values = whole._values()
    lowest = _engine.full([count], float("-inf"), dtype=values.dtype, device=values.device)
    most = lowest.scatter_reduce(0, which, values.detach(), "amax")
    far = values - most.index_select(0, which)
    sums = _engine.zeros(count, dtype=values.dtype, device=values.device)
    return whole, far, sums.index_add(0, which, far.exp()).index_select(0, which)


@takes_axis
def softmax(input: SparseTensor, dim: int, dtype: _engine.dtype | None = None) -> SparseTensor:
    """Return the softmax over the elements that are told: the others stay zero.

    Args:
        input: A sparse matrix.
        dim: 1 makes the rows sum to 1, 0 the columns.
        dtype: Convert to it first.

    Raises:
        ShapeError: No sparse matrix.
        IndexOutOfRangeError: A dim that it does not have.

    >>> gb.sparse.softmax(gb.tensor([[1.0, 1.0, 0.0]]).to_sparse(), 1).to_dense()
    tensor([[0.5000, 0.5000, 0.0000]])
    """
    _refuse_other("softmax", input)
    given = input if dtype is None else input.to(dtype)
    whole, far, sums = _normalized("softmax", given, dim)
    return whole._with(far.exp() / sums)


@takes_axis
def log_softmax(input: SparseTensor, dim: int, dtype: _engine.dtype | None = None) -> SparseTensor:
    """Return the logarithm of `softmax` at the places that are told.

    Args:
        input: A sparse matrix.
        dim: As for `softmax`.
        dtype: Likewise.

    Raises:
        ShapeError: No sparse matrix.
        IndexOutOfRangeError: A dim that it does not have.

    >>> gb.sparse.log_softmax(gb.tensor([[1.0, 1.0]]).to_sparse(), 1).values()
    tensor([-0.6931, -0.6931])
    """
    _refuse_other("log_softmax", input)
    given = input if dtype is None else input.to(dtype)
    whole, far, sums = _normalized("log_softmax", given, dim)
    return whole._with(far - sums.log())


def _cat(tensors: Sequence[Any], dim: int = 0) -> SparseTensor:
    if any(not is_sparse(it) for it in tensors):
        raise TypeError("cat: sparse tensors and dense ones; take to_dense() first")
    tensors = [it._by_places() for it in tensors]
    first = tensors[0]
    place = check.place("cat", "dim", dim, first.ndim)
    rest = [[size for d, size in enumerate(it.shape) if d != place] for it in tensors]
    if any(it != rest[0] for it in rest) or place >= first.sparse_dim():
        raise ShapeError(
            f"cat: sparse tensors of sizes {[list(it.shape) for it in tensors]} along dim "
            f"{shown(dim)}; "
            "sizes that are equal elsewhere, and a sparse dim, are needed"
        )
    moved, at = [], 0
    for it in tensors:
        step = _engine.zeros(it.sparse_dim(), 1, dtype=_engine.int64, device=it.device)
        step[place] = at
        moved.append(it._indices() + step)
        at += it.shape[place]
    sizes = [at if d == place else size for d, size in enumerate(first.shape)]
    values = _engine.cat([it._values() for it in tensors], 0)
    return SparseTensor(_engine.cat(moved, 1), values, sizes)


def _stack(tensors: Sequence[Any], dim: int = 0) -> SparseTensor:
    if any(not is_sparse(it) for it in tensors):
        raise TypeError("stack: sparse tensors and dense ones; take to_dense() first")
    return _cat([unsqueeze(it, dim) for it in tensors], dim)


def _zeros_like(input: SparseTensor, **named: Any) -> SparseTensor:
    if not is_sparse(input):  # but what holds one
        check.tensor("zeros_like", "input", input)
    dtype, device = named.get("dtype") or input.dtype, named.get("device") or input.device
    asks = {"requires_grad": bool(named.get("requires_grad"))}
    return empty(input.shape, input.layout, dtype=dtype, device=device, **asks)


def _linear(input: Any, weight: Any, bias: Tensor | None = None) -> Any:
    for name, given in (("input", input), ("weight", weight)):
        if not is_sparse(given):
            check.tensor("linear", name, given)
    made = _products.product("linear", input, weight.t())
    return made if bias is None else made + bias


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "addmm": addmm,
    "cat": _cat,
    "concat": _cat,
    "empty_like": _zeros_like,
    "hstack": lambda tensors: _cat(tensors, 0 if tensors[0].ndim == 1 else 1),
    "linear": _linear,
    "log_softmax": log_softmax,
    "matmul": mm,
    "mm": mm,
    "softmax": softmax,
    "stack": _stack,
    "vstack": lambda tensors: _cat(tensors, 0),
    "zeros_like": _zeros_like,
}


#: What writes into a dense tensor, and what is written.
_IN_PLACE = {"add_": "add", "addmm_": "addmm", "mul_": "mul", "sub_": "sub"}


def _answered(func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return what a function does with a sparse tensor among its arguments.

    NotImplemented of one that is made of others, which answer.

    Raises:
        TypeError: It takes dense tensors alone, or `out` is to be sparse.
    """
    name = getattr(func, "__name__", type(func).__name__)
    first, out = args[0] if args else None, kwargs.pop("out", None)
    if name in _IN_PLACE and is_really(first, Tensor):
        return _written(name, first, _answer(func, _IN_PLACE[name], args, kwargs))
    made = _answer(func, name, args, kwargs)
    if out is None or made is NotImplemented:
        return made
    if is_sparse(made) or is_sparse(out):
        raise TypeError(f"{name}: out of a sparse result; leave it out")
    return written(name, made, out)


def _answer(
    func: Callable[..., Any], name: str, args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](*args, **kwargs)
    first, *rest = args or (None,)
    is_elsewhere = (getattr(func, "__module__", None) or "").startswith("garboard.linalg")
    if is_sparse(first) and callable(getattr(type(first), name, None)) and not is_elsewhere:
        return getattr(first, name)(*rest, **kwargs)
    if len(args) == 2 and is_sparse(args[1]):
        if name in ("add", "sub"):
            return _added(name, first, args[1], **kwargs)
        if name == "mul":
            return args[1].mul(first, **kwargs)
    if isinstance(func, _engine._Overridable):
        return NotImplemented
    raise TypeError(f"{name}: a sparse tensor, which it does not take; take to_dense() first")


def _added(op: str, first: Any, second: SparseTensor, *, alpha: float = 1) -> Any:
    """A sum with a sparse tensor, `alpha` times."""
    sign = -1 if op == "sub" else 1
    return (second if alpha == sign else second * (alpha * sign)).add(first)


def _rank(x: Any) -> int:
    """Of a dtype's category: bool, integer, floating, complex."""
    return 3 if x.is_complex() else 2 if x.is_floating_point() else int(x.dtype != _engine.bool)


def _written(op: str, into: Tensor, made: Any) -> Tensor:
    """Write into a dense tensor what came out, as an op of dense ones does."""
    if made.shape != into.shape:
        raise ShapeError(
            f"{op}: a result of sizes {list(made.shape)} for {list(into.shape)}; the same are "
            "needed"
        )
    if _rank(made) > _rank(into):
        raise DTypeError(
            f"{op}: a result of {made.dtype} for a tensor of {into.dtype}; convert one of them"
        )
    return into.copy_(made.to_dense() if is_sparse(made) else made)


SparseTensor._answer = staticmethod(_answered)
