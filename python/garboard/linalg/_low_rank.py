# ruff: noqa: N803 -- PyTorch's names of arguments
"""Factors of a few ranks, by random projections (Halko, Martinsson, Tropp, arXiv:0909.4061)."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._engine import Tensor
from garboard.linalg._eigenvalues import eigh
from garboard.linalg._factors import cholesky, qr, svd
from garboard.linalg._older_names import SvdOfThree
from garboard.linalg._solving import inv

__all__ = ["lobpcg", "pca_lowrank", "svd_lowrank"]


def svd_lowrank(A: Tensor, q: int = 6, niter: int = 2, M: Tensor | None = None) -> SvdOfThree:
    """Approximate the first singular vectors and values of a matrix.

    The matrix is multiplied by `q` random directions, these are made orthonormal, sharpened by
    `niter` rounds of power iteration, and what the matrix is among them is factorized: algorithm
    5.1 of Halko, Martinsson and Tropp (arXiv:0909.4061). The last of `q` values are the roughest.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        q: How many values, from 1 to the shorter side.
        niter: Rounds of power iteration, at least 0.
        M: What to subtract from `A` first, of sizes that broadcast to its own.

    Returns:
        `U` [..., m, q], `S` [..., q], descending, and `V` [..., n, q]. Until backward the graph
        keeps `A` and what the rounds made.

    Raises:
        ShapeError: There are fewer than two dims.
        ValueError: `q` or `niter` lies outside.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.

    >>> x = gb.tensor([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> gb.svd_lowrank(x, q=2).S.round(decimals=3)
    tensor([3., 2.])
    """
    return _factorized("svd_lowrank", A, q, niter, M)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> SvdOfThree:
    """Approximate the principal components of the rows of a matrix, as `svd_lowrank` does.

    Args:
        A: Tensor [..., m, n] of m rows, float32, float64 or complex.
        q: How many components, from 1 to the shorter side; by default at most 6.
        center: Subtract the mean of the rows first.
        niter: Rounds of power iteration, at least 0.

    Returns:
        `U` [..., m, q], `S` [..., q], descending, and `V` [..., n, q], whose columns are the
        components: `A @ V` projects onto them. Until backward the graph keeps `A` and what the
        rounds made.

    Raises:
        ShapeError: There are fewer than two dims.
        ValueError: `q` or `niter` lies outside.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.

    >>> x = gb.tensor([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    >>> gb.pca_lowrank(x, q=1).V.abs().round(decimals=3)
    tensor([[0.4470],
            [0.8940]])
    """
    check.tensor("pca_lowrank", "A", A)
    is_centered = check.flag("pca_lowrank", "center", center)
    few = min(6, *A.shape[-2:]) if q is None else q
    mean = A.mean(dim=-2, keepdim=True) if is_centered and A.ndim > 1 else None
    return _factorized("pca_lowrank", A, few, niter, mean)


def _factorized(op: str, A: Tensor, q: int, niter: int, M: Tensor | None) -> SvdOfThree:
    check.tensor(op, "A", A)
    if A.ndim < 2:
        raise _engine.ShapeError(f"{op}: sizes {list(A.shape)}; at least two dims are needed")
    m, n = A.shape[-2:]
    count = check.count(op, "q", q)
    if not 1 <= count <= min(m, n):
        raise ArgumentError(f"{op}: q={count} of sizes [{m}, {n}]; 1 to {min(m, n)} is needed")
    rounds = check.count(op, "niter", niter)
    whole = A if M is None else A - M
    is_wide = m < n
    tall = whole.mH if is_wide else whole
    directions = _engine.randn(*tall.shape[:-2], min(m, n), count, dtype=A.dtype, device=A.device)
    basis = qr(tall @ directions).Q
    for _ in range(rounds):
        basis = qr(tall @ qr(tall.mH @ basis).Q).Q
    left, values, right = svd(basis.mH @ tall, full_matrices=False)
    left, right = basis @ left, right.mH
    return SvdOfThree(right, values, left) if is_wide else SvdOfThree(left, values, right)


def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: object = None,
    ortho_iparams: object = None,
    ortho_fparams: object = None,
    ortho_bparams: object = None,
) -> tuple[Tensor, Tensor]:
    """Return the largest or smallest eigenvalues of symmetric matrices, and their vectors.

    All are computed, by `linalg.eigh`, and some returned: where the matrix is large and sparse,
    what PyTorch does instead takes less time.

    Args:
        A: Tensor [..., m, m], float32 or float64, symmetric; or a sparse matrix.
        k: How many, 1 by default, or as many as `X` has columns.
        B: Tensor [m, m], positive: A x = e B x is solved; by default it is one.
        X: Tensor [..., m, n]: where an iteration would start; its columns are counted.
        n: Taken and ignored, as all that follows but `largest`.
        iK: Likewise.
        niter: Likewise.
        tol: Likewise.
        largest: The largest, by default, or the smallest.
        method: Likewise ignored.
        tracker: Likewise.
        ortho_iparams: Likewise.
        ortho_fparams: Likewise.
        ortho_bparams: Likewise.

    Returns:
        `E` [..., k], the largest first or the smallest, and `X` [..., m, k].

    Raises:
        ShapeError: The matrices are not square, or have fewer eigenvalues.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.

    >>> gb.lobpcg(gb.tensor([[2.0, 0.0], [0.0, 3.0]]), k=1)[0]
    tensor([3.])
    """
    op = "lobpcg"
    dense = _dense(op, "A", A)
    wanted = k if k is not None else 1 if X is None else check.tensor(op, "X", X).shape[-1]
    count = check.count(op, "k", wanted, 1)
    if dense.ndim < 2 or count > dense.shape[-1]:
        raise _engine.ShapeError(
            f"{op}: A of sizes {[*dense.shape]} for {count} eigenvalues; [..., m, m] with m of at "
            "least that is needed"
        )
    is_first = largest is None or check.flag(op, "largest", largest)
    with _engine.DisposeScope(op) as scope:
        if B is None:
            values, vectors = eigh(dense)
        else:  # B = L L^H: the vectors of L^-1 A L^-H, times L^-H
            half = inv(cholesky(_dense(op, "B", B)))
            values, turned = eigh(half @ dense @ half.mH)
            vectors = half.mH @ turned
        if is_first:
            values, vectors = values.flip(-1), vectors.flip(-1)
        made = values[..., :count].clone(), vectors[..., :count].clone()
        scope.move_to_outer(*made)
    return made


def _dense(op: str, name: str, matrix: object) -> Tensor:
    from garboard.sparse._tensor import SparseTensor

    return matrix.to_dense() if isinstance(matrix, SparseTensor) else check.tensor(op, name, matrix)


all_overridable(globals())
