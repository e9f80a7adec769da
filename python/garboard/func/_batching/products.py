"""Products of matrices and vectors, and what is computed of matrices."""

from __future__ import annotations

from string import ascii_letters
from typing import Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.func._batching.calls import UNCHANGED, Call, rule
from garboard.func._batching.dims import place_of
from garboard.func._batching.elementwise import aligned, elementwise
from garboard.func._batching.tensor import batch

__all__ = ["matmul"]


def _behind(value: Tensor, ndim: int, wanted: int) -> Tensor:
    """What has `ndim` dims behind the samples' with that many."""
    if ndim >= wanted:
        return value
    return value.reshape(value.shape[0], *(1,) * (wanted - ndim), *value.shape[1:])


def matmul(call: Call, x: Tensor, other: Tensor) -> Tensor:
    """The product, with the samples in front."""
    of_row, of_column = x.ndim == 1, other.ndim == 1
    if not x.ndim or not other.ndim:
        raise _engine.ShapeError("matmul")
    x_batched, other_batched = call.is_batched(x), call.is_batched(other)
    if of_column and not x_batched and x.ndim == 2:
        return _engine.matmul(call.value(other), x.mT)
    if of_row and not other_batched and other.ndim <= 2:
        return _engine.matmul(call.value(x), other)  # the samples are the rows
    left: Tensor = call.value(x) if x_batched else x
    right: Tensor = call.value(other) if other_batched else other
    left = left.unsqueeze(-2) if of_row else left
    right = right.unsqueeze(-1) if of_column else right
    wanted = max(x.ndim + of_row, other.ndim + of_column)
    if x_batched:
        left = _behind(left, x.ndim + of_row, wanted)
    if other_batched:
        right = _behind(right, other.ndim + of_column, wanted)
    made = _engine.matmul(left, right)
    if of_column:
        made = made.squeeze(-1)
    if of_row:
        made = made.squeeze(-1 if of_column else -2)
    return made


@rule("matmul __matmul__ mm bmm mv dot linalg.matmul")
def product(call: Call, x: Tensor, other: Tensor, **named: Any) -> Any:
    dims = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1)}
    if named or (x.ndim, other.ndim) != dims.get(call.name, (x.ndim, other.ndim)):
        return NotImplemented
    return matmul(call, x, other)


@rule("inner")
def inner(call: Call, x: Tensor, other: Tensor) -> Any:
    if not x.ndim or not other.ndim:
        first, second = aligned(call, [x, other])
        return first * second
    left, right = (it.reshape(it.shape[0], -1, it.shape[-1]) for it in map(call.value, (x, other)))
    made = _engine.matmul(left, right.mT)
    return made.reshape(made.shape[0], *x.shape[:-1], *other.shape[:-1])


@rule("kron")
def kron(call: Call, x: Tensor, other: Tensor) -> Any:
    ndim = max(x.ndim, other.ndim)
    sizes = [(*(1,) * (ndim - it.ndim), *it.shape) for it in (x, other)]
    first, second = (
        call.value(it).reshape(-1, *(part for one in own for part in ((one, 1), (1, one))[i]))
        for i, (it, own) in enumerate(zip((x, other), sizes, strict=True))
    )
    made = first * second
    return made.reshape(made.shape[0], *(a * b for a, b in zip(*sizes, strict=True)))


@rule("__rmatmul__")
def reflected(call: Call, x: Tensor, other: Tensor) -> Any:
    return matmul(call, other, x)


@rule("vdot linalg.vecdot")
def vecdot(call: Call, x: Tensor, other: Tensor, *, dim: int = -1) -> Any:
    first, second = aligned(call, [x.conj() if x.is_complex() else x, other])
    return (first * second).sum(place_of(dim, max(x.ndim, other.ndim)))


@rule("outer ger")
def outer(call: Call, x: Tensor, other: Tensor) -> Any:
    return call.value(x).unsqueeze(-1) * call.value(other).unsqueeze(-2)


@rule("addmm addmv addbmm baddbmm addr")
def added(call: Call, x: Tensor, one: Tensor, two: Tensor, **named: Any) -> Any:
    beta, alpha = named.pop("beta", 1), named.pop("alpha", 1)
    if named or isinstance(beta, Tensor) or isinstance(alpha, Tensor):
        return NotImplemented
    if not call.is_batched(one):
        one = batch(call.full(one), call.level)
    made = outer(call, one, two) if call.name == "addr" else matmul(call, one, two)
    if call.name == "addbmm":
        made = made.sum(1)
    made = made if alpha == 1 else made * alpha
    if beta == 0:
        return made
    (of_input,) = aligned(call, [x])
    if call.is_batched(x):
        of_input = _behind(of_input, x.ndim, made.ndim - 1)
    return (of_input if beta == 1 else of_input * beta) + made


@rule("linear")
def linear(call: Call, input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    if call.is_batched(weight):
        made = _of_own_weights(call, input, weight)
    else:
        if bias is None or not call.is_batched(bias):
            return call.function(call.value(input), weight, bias)
        made = call.function(call.value(input), weight)
    if bias is None:
        return made
    of_bias = _behind(call.value(bias), bias.ndim, made.ndim - 1) if call.is_batched(bias) else bias
    return made + of_bias


def _of_own_weights(call: Call, input: Tensor, weight: Tensor) -> Tensor:
    """One product of matrices a sample, whatever the input's dims."""
    right = call.value(weight)
    if weight.ndim == 1:
        return matmul(call, input, weight)
    if not call.is_batched(input):
        rows = input if input.ndim > 1 else input.unsqueeze(0)
        rows = rows.reshape(-1, rows.shape[-1])
    else:
        rows = call.value(input)
        rows = rows.unsqueeze(1) if input.ndim == 1 else rows
        rows = rows.reshape(rows.shape[0], -1, rows.shape[-1])
    made = _engine.matmul(rows, right.mT)
    return made.reshape(made.shape[0], *input.shape[:-1], weight.shape[0])


@rule("einsum")
def einsum(call: Call, equation: Any, *operands: Any) -> Any:
    if not isinstance(equation, str):
        return NotImplemented
    given = (
        operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    )
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if not arrow:
        letters = [it for it in inputs if it.isalpha()]
        once = sorted(it for it in letters if letters.count(it) == 1)
        output = ("..." if "..." in inputs else "") + "".join(once)
    free = next(it for it in ascii_letters if it not in equation)
    if len(terms) != len(given):
        return NotImplemented
    new = ",".join(
        free + term if call.is_batched(it) else term for term, it in zip(terms, given, strict=True)
    )
    values = [call.value(it) if call.is_batched(it) else it for it in given]
    return call.function(f"{new}->{free}{output}", *values)


#: Of matrices, or of what lies in the last dims: what is in front of those is alike to them.
_LEADING = """
tril triu adjoint mT mH det logdet slogdet inverse cholesky cholesky_inverse matrix_exp
matrix_power pinverse svd cdist linalg.cholesky linalg.cholesky_ex linalg.det linalg.slogdet
linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.inv_ex linalg.pinv
linalg.svd linalg.svdvals linalg.lu linalg.lu_factor linalg.lu_factor_ex
linalg.matrix_exp linalg.matrix_power linalg.matrix_rank linalg.cond linalg.vander
linalg.householder_product linalg.ldl_factor linalg.ldl_factor_ex linalg.polar
linalg.matrix_sqrth tril_ triu_ lu _linalg_cholesky_solve _linalg_solve_triangular _linalg_svd
_linalg_slogdet _linalg_pinv
"""


@rule(_LEADING)
def of_matrices(call: Call, *args: Any, **named: Any) -> Any:
    given = [*args, *named.values()]
    least = 1 if call.name == "linalg.vander" else 2
    if any(isinstance(it, Tensor) and it.ndim < least for it in given):
        return NotImplemented
    if call.name.endswith("pinv") and sum(isinstance(it, Tensor) for it in given) > 1:
        return NotImplemented
    parts = [call.full(it) if isinstance(it, Tensor) else it for it in args]
    made = call.function(*parts, **named)
    return UNCHANGED if call.writes else made


@rule("linalg.solve linalg.solve_triangular cholesky_solve linalg.lu_solve linalg.solve_ex")
def solved(call: Call, *args: Any, **named: Any) -> Any:
    tensors = [it for it in args if isinstance(it, Tensor)]
    matrices = [it for it in tensors if it.ndim >= 2]
    if len({it.ndim for it in matrices}) != 1 or len(matrices[0].shape) != 2:
        return NotImplemented
    if len(matrices) != len(tensors):  # of a vector, as of a matrix of one column
        if call.name != "linalg.solve" or tensors[1].ndim != 1:
            return NotImplemented
        columns = call.full(tensors[1]).unsqueeze(-1)
        return call.function(call.full(tensors[0]), columns, **named).squeeze(-1)
    parts = [call.full(it) if isinstance(it, Tensor) else it for it in args]
    return call.function(*parts, **named)


@rule("_linalg_solve")
def solved_at_once(call: Call, one: Tensor, two: Tensor, *args: Any) -> Any:
    if one.ndim < 2 or two.ndim < 2 or one.ndim != two.ndim:
        return NotImplemented
    return call.function(call.full(one), call.full(two), *args)


@rule("_linalg_qr")
def factored(call: Call, x: Tensor, mode: str, *args: Any) -> Any:
    first, second = call.function(call.value(x), mode, *args)
    return (first.new_empty(call.size, 0) if mode == "r" else first), second


@rule("linalg.norm")
def norm(call: Call, x: Tensor, ord: Any = None, dim: Any = None, *args: Any, **named: Any) -> Any:
    if dim is None and ord is None:
        value, ord, dim = call.value(x).flatten(1), 2, -1
        if args or named:
            return NotImplemented
        return call.function(value, ord, dim)
    dim = tuple(range(x.ndim)) if dim is None else dim
    is_one = not isinstance(dim, (list, tuple))
    dims = tuple(place_of(it, x.ndim) for it in ([dim] if is_one else dim))
    return call.function(call.value(x), ord, dims[0] if is_one else dims, *args, **named)


@rule("cross linalg.cross")
def cross(call: Call, x: Tensor, other: Tensor, *args: Any, **named: Any) -> Any:
    dim = named.pop("dim", args[0] if args else -1 if call.name == "linalg.cross" else None)
    if dim is None or named:
        return NotImplemented
    first, second = aligned(call, [x, other])
    ndim = max(x.ndim, other.ndim)
    return call.function(first, second, dim=place_of(dim, ndim) - ndim - 1)


@rule("cosine_similarity")
def cosine_similarity(call: Call, x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Any:
    first, second = aligned(call, [x1, x2])
    ndim = max(x1.ndim, x2.ndim)
    return call.function(first, second, place_of(dim, ndim) - ndim - 1, eps)


@rule("pairwise_distance")
def pairwise_distance(call: Call, *args: Any, **named: Any) -> Any:
    return elementwise(call, *args, **named)


@rule("fft.fftn fft.ifftn fft.rfftn fft.irfftn fft.hfftn fft.ihfftn")
def transformed(call: Call, input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    if dim is None:
        dim = range(-(len(s) if s is not None else input.ndim), 0)
    dims = dim if isinstance(dim, (list, tuple, range)) else [dim]
    return call.function(call.value(input), s, tuple(place_of(it, input.ndim) for it in dims), norm)
