# ruff: noqa: N803 -- PyTorch's names of arguments
"""What singular values tell: pseudo-inverses, ranks, conditions, least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._contexts.autocasting import count_of_blocks, in_float32, is_open, left_alone
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard._ops.dtypes import finfo
from garboard.linalg._factors import cholesky_ex, svdvals
from garboard.linalg._norms import matrix_norm
from garboard.linalg._solving import inv_ex

if TYPE_CHECKING:
    from garboard.types import Number

__all__ = ["Lstsq", "cond", "lstsq", "matrix_rank", "pinv"]


@shown_as("linalg_lstsq")
class Lstsq(NamedTuple):
    """What `lstsq` returns."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


class _Tolerance(NamedTuple):
    """Below which a singular value counts as 0: an absolute part, and one of the largest value."""

    absolute: Any
    relative: Any

    def bound(self, values: Tensor) -> Tensor:
        """Return it for descending values, with a last dim of 1."""
        largest = values[..., :1]
        absolute = self.absolute.unsqueeze(-1) if _is_batch(self.absolute) else self.absolute
        relative = self.relative.unsqueeze(-1) if _is_batch(self.relative) else self.relative
        return _engine.maximum(largest * relative, largest * 0 + absolute)


def _is_batch(given: Any) -> bool:
    return isinstance(given, Tensor) and given.ndim > 0


def _tolerance(op: str, a: Tensor, atol: Any, rtol: Any) -> _Tolerance:
    """Return what is given; where nothing is, what rounding alone explains."""
    for name, given in (("atol", atol), ("rtol", rtol)):
        if given is not None and not isinstance(given, Tensor):
            check.rate(op, name, given)
    if a.ndim < 2 or a.dtype.to_real() not in (_engine.float32, _engine.float64):
        _engine._linalg_svd(a, False, False, op)  # which says what is needed
    if rtol is None:
        is_none = atol is None or (not isinstance(atol, Tensor) and atol == 0)
        rtol = finfo(a.dtype.to_real()).eps * max(a.shape[-2:]) if is_none else 0.0
    return _Tolerance(0.0 if atol is None else atol, rtol)


def _spectrum(op: str, a: Tensor, hermitian: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return left vectors, singular values and right vectors."""
    if not hermitian:
        u, s, vh = _engine._linalg_svd(a, False, True, op)
        return u, s, vh
    values, vectors = _engine._linalg_eigh(a, False, True, op)
    sizes, places = values.abs().sort(-1, descending=True)
    signs = values.sign().take_along_dim(places, -1)
    left = vectors.take_along_dim(places.unsqueeze(-2), -1)
    return left, sizes, (left * signs.unsqueeze(-2)).mH


def pinv(
    A: Tensor,
    rcond: Number | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: Number | Tensor | None = None,
    rtol: Number | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the Moore-Penrose pseudo-inverse: by singular values, unless none is near 0.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        rcond: The older name of `rtol`, which may be given alone.
        hermitian: True takes the matrices for Hermitian, and reads their lower triangle.
        atol: Singular values up to this count as 0; a number, or a tensor of one for each matrix.
        rtol: Likewise, as a share of the largest. The epsilon of the dtype times the longer side,
            unless `atol` is given.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor [..., n, m]. Until backward the graph keeps `A` and the result.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: A tolerance is negative.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type, or `rcond` stands beside another tolerance.
        DisposedError: `A` is disposed.

    >>> gb.linalg.pinv(gb.tensor([[2.0, 0.0], [0.0, 0.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    op = "linalg.pinv"
    check.tensor(op, "A", A)
    symmetric = check.flag(op, "hermitian", hermitian)
    if rcond is not None:
        if atol is not None or rtol is not None:
            raise TypeError(f"{op}: rcond beside another tolerance; it alone, or they, are needed")
        rtol = rcond
    tolerance = _tolerance(op, A, atol, rtol)
    found = None if symmetric else _inverted_swiftly(op, A, tolerance)
    if found is None:
        found = _inverted(op, A, tolerance, symmetric)[0]
    return written(op, found, out)


def _inverted(
    op: str, a: Tensor, tolerance: _Tolerance, symmetric: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the pseudo-inverse, recorded, the singular values and how many count."""
    with no_grad(), _engine.DisposeScope(op) as scope:
        left, values, right = _spectrum(op, a, symmetric)
        if values.shape[-1] == 0:
            found = a.transpose(-2, -1).clone()
            counted = values.sum(-1).long()
        else:
            counts = values > tolerance.bound(values)
            inverse = _engine.where(counts, 1 / _engine.where(counts, values, 1.0), 0.0)
            found = (right.mH * inverse.unsqueeze(-2)) @ left.mH
            counted = counts.sum(-1)
        scope.move_to_outer(found, values, counted)
    return _engine._linalg_pinv(a, found, op), values, counted


def _inverted_swiftly(op: str, a: Tensor, tolerance: _Tolerance) -> Tensor | None:
    """Return the pseudo-inverse, recorded, where every singular value is certain to count."""
    if _is_batch(tolerance.relative) or tolerance.absolute or a.numel() == 0:
        return None
    with no_grad(), _engine.DisposeScope(op) as scope:
        rows, columns = a.shape[-2:]
        if rows == columns:
            found, is_certain = _inverse(a, tolerance.relative)
        elif rows > columns:
            found, is_certain = _inverse_by_products(a, tolerance.relative)
        else:
            found, is_certain = _inverse_by_products(a.mH, tolerance.relative)
            found = found.mH
        if not is_certain.all():
            return None
        scope.move_to_outer(found)
    return _engine._linalg_pinv(a, found, op)


def _inverse(a: Tensor, relative: Any) -> tuple[Tensor, Tensor]:
    """Return the inverse, and whether the least singular value is above its share of the largest.

    The largest is at most |A|, the least at least 1 / |A^-1|, by the norms of all elements.
    """
    found, info = inv_ex(a)
    return found, (info == 0) & (matrix_norm(a) * matrix_norm(found) * relative < 1)


def _inverse_by_products(a: Tensor, relative: Any) -> tuple[Tensor, Tensor]:
    """Return the pseudo-inverse of tall matrices, and whether it can be relied on.

    With A^H A = L L^H, Q = A L^-H has columns that are nearly orthogonal, and what they lack to
    that is made good: A^+ = L^-H (Q^H Q)^-1 Q^H. (Cholesky QR in two rounds; Yamamoto et al.,
    ETNA 44, 2015.) Where |Q^H Q - 1| < 1/2, no singular value of Q is beyond a factor of 1.5 of 1.
    """
    lower, info = cholesky_ex(a.mH @ a)
    turned = _engine._linalg_solve_triangular(lower, a.mH, False, True, False, "linalg.pinv")
    nearly_one, again = turned @ turned.mH, _engine.eye(a.shape[-1], dtype=a.dtype, device=a.device)
    inverse = _engine._linalg_solve_triangular(lower, again, False, True, False, "linalg.pinv")
    rest, second = inv_ex(nearly_one)
    is_certain = (info == 0) & (second == 0) & (matrix_norm(nearly_one - again) < 0.5)
    is_certain &= 2 * matrix_norm(lower) * matrix_norm(inverse) * relative < 1
    return inverse.mH @ rest @ turned, is_certain


def matrix_rank(
    A: Tensor,
    tol: Number | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: Number | Tensor | None = None,
    rtol: Number | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Count the singular values that are not 0.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        tol: PyTorch's older way to say `atol`, alone.
        hermitian: True takes the matrices for Hermitian, and reads their lower triangle.
        atol: Singular values up to this count as 0; a number, or a tensor of one for each matrix.
        rtol: Likewise, as a share of the largest. The epsilon of the dtype times the longer side,
            unless `atol` is given.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new int64 tensor of the sizes before the last two. No gradient passes.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: A tolerance is negative.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.matrix_rank(gb.tensor([[1.0, 1.0], [1.0, 1.0]]))
    tensor(1)
    """
    op = "linalg.matrix_rank"
    check.tensor(op, "A", A)
    if tol is not None:
        if atol is not None or rtol is not None:
            raise TypeError(f"{op}: tol beside atol or rtol; one of both is needed")
        atol, rtol = tol, 0.0
    symmetric = check.flag(op, "hermitian", hermitian)
    tolerance = _tolerance(op, A, atol, rtol)
    with no_grad(), _engine.DisposeScope(op) as scope:
        if symmetric:
            values = _spectrum(op, A, True)[1]
        else:
            values = _engine._linalg_svd(A, False, False, op)[0]
        if values.shape[-1] == 0:
            return written(op, scope.move_to_outer(values.sum(-1).long()), out)
        return written(op, scope.move_to_outer((values > tolerance.bound(values)).sum(-1)), out)


def cond(A: Tensor, p: Number | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Compute the condition of matrices: how much they can stretch an error.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex; square but for a `p` of None, 2 and -2.
        p: The norm, as for `matrix_norm`; None is 2.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the sizes before the last two: the largest singular value by the least, or
        the norm of `A` times that of its inverse; inf for a singular one. Until backward the graph
        keeps what the steps on the way keep.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: There are fewer than two dims, or the matrices are not square.
        DTypeError: Another dtype.
        ValueError: Another norm.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.cond(gb.tensor([[4.0, 0.0], [0.0, 2.0]]))
    tensor(2.)
    """
    op = "linalg.cond"
    check.tensor(op, "A", A)
    if p is None or (not isinstance(p, str) and abs(check.worth(op, "p", p)) == 2):
        values = svdvals(A)
        if values.shape[-1] == 0:
            return written(op, values.sum(-1), out)
        largest, least = values[..., 0], values[..., -1]
        return written(op, least / largest if p == -2 else largest / least, out)
    own = matrix_norm(A, p)
    inverse, info = inv_ex(A)
    return written(op, _engine.where(info == 0, own * matrix_norm(inverse, p), float("inf")), out)


def _squares(x: Tensor) -> Tensor:
    return (x * x.conj()).real if x.dtype.is_complex else x.square()


_DRIVERS = ("gelsy", "gels", "gelsd", "gelss")


def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: Number | None = None,
    *,
    driver: Literal["gelsy", "gels", "gelsd", "gelss"] | None = None,
) -> Lstsq:
    """Find the X of the least |A X - B|, of these the least |X|, by the pseudo-inverse.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        B: Tensor [..., m, k] of the same dtype, or vectors: of the sizes of `A` without the last.
        rcond: Singular values up to this share of the largest count as 0; by default the epsilon of
            the dtype times the longer side, below 0 the epsilon.
        driver: What PyTorch would call in LAPACK; it decides which results there are, not how they
            are found.

    Returns:
        `solution` [..., n, k]; `residuals`, the squared distances [..., k], of size 0 unless m > n,
        every rank is n and the driver another than "gelsy", which None stands for; `rank`, int64,
        of size 0 for "gels"; `singular_values`, of size 0 but for "gelsd" and "gelss". Only the
        first and the second have a gradient; until backward the graph keeps `A`, its
        pseudo-inverse and `B`.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        ValueError: `rcond` is infinite, or another driver.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> x = gb.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> found = gb.linalg.lstsq(x, gb.tensor([[1.0], [3.0], [5.0]]))
    >>> gb.allclose(found.solution, gb.tensor([[1.0], [2.0]]), atol=1e-4)
    True
    """
    op = "linalg.lstsq"
    check.tensor(op, "A", A)
    check.tensor(op, "B", B)
    if count_of_blocks() and is_open(A.device.type):
        wide, right = in_float32(A, B)
        with left_alone(A.device.type):
            return lstsq(wide, right, rcond, driver=driver)
    name = "gelsy" if driver is None else check.choice(op, "driver", driver, *_DRIVERS)
    if isinstance(rcond, (int, float)) and rcond < 0:
        rcond = finfo(A.dtype.to_real()).eps
    tolerance = _tolerance(op, A, None, rcond)
    is_vector = B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]
    right = B.unsqueeze(-1) if is_vector else B
    if right.ndim < 2 or right.shape[-2] != A.shape[-2]:
        raise ShapeError(
            f"{op}: sizes {[*A.shape]} and {[*B.shape]}; as many rows of one as of the other are "
            "needed"
        )
    nothing = _engine.empty(0, dtype=A.dtype.to_real(), device=A.device)
    needs_values = name in ("gelsd", "gelss")
    inverse = None if needs_values else _inverted_swiftly(op, A, tolerance)
    if inverse is None:
        inverse, values, counted = _inverted(op, A, tolerance, False)
    else:
        full = [*A.shape[:-2]], min(A.shape[-2:])
        values, counted = nothing, _engine.full(*full, dtype=_engine.int64, device=A.device)
    solution = inverse @ right
    is_tall = A.shape[-2] > A.shape[-1] and name != "gelsy"
    is_determined = is_tall and bool((counted == A.shape[-1]).all())
    residuals = _squares(A @ solution - right).sum(-2) if is_determined else nothing
    return Lstsq(
        solution.squeeze(-1) if is_vector else solution,
        residuals.squeeze(-1) if is_vector and is_determined else residuals,
        counted if name != "gels" else nothing.long(),
        values if needs_values else nothing,
    )


all_overridable(globals())
