"""The orthogonal matrix that Householder reflections make, as QR keeps them."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._engine import DTypeError, ShapeError, Tensor

__all__ = ["householder_product"]


def householder_product(
    A: Tensor,  # noqa: N803
    tau: Tensor,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return the first columns of a product of reflections I - tau v v^H.

    Each v has zeros above its place, 1 at it, and below it the column of `A` of that number: the
    form in which LAPACK's QR keeps them.

    Args:
        A: Tensor [..., m, n], m >= n, floating or complex.
        tau: Tensor [..., k], k <= n, of the same dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor [..., m, n], with orthonormal columns where each tau is 2 / |v|^2.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are of no numbers with fractions.
        TypeError: An argument is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.householder_product(gb.tensor([[0.0], [1.0]]), gb.tensor([1.0]))
    tensor([[ 0.],
            [-1.]])
    """
    op = "linalg.householder_product"
    check.tensor(op, "A", A)
    check.tensor(op, "tau", tau)
    fits = A.ndim > 1 and tau.ndim == A.ndim - 1 and tau.shape[:-1] == A.shape[:-2]
    if not fits or not A.shape[-2] >= A.shape[-1] >= tau.shape[-1]:
        raise ShapeError(
            f"{op}: A of sizes {[*A.shape]} and tau of {[*tau.shape]}; [..., m, n] with m >= n, "
            "and [..., k] with k <= n, are needed"
        )
    if A.dtype != tau.dtype or not (A.is_floating_point() or A.is_complex()):
        raise DTypeError(
            f"{op}: A of dtype {A.dtype} and tau of {tau.dtype}; one floating or complex dtype is "
            "needed"
        )
    rows, columns = A.shape[-2:]
    product = _engine.eye(rows, columns, dtype=A.dtype, device=A.device).expand(A.shape)
    vectors = A.tril(-1) + product
    for number in reversed(range(tau.shape[-1])):
        vector = vectors[..., number : number + 1]
        scaled = tau[..., number, None, None] * vector
        product = product - scaled @ (vector.mH @ product)
    return written(op, product, out)


all_overridable(globals())
