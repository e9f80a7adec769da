# ruff: noqa: N803 -- PyTorch's names of arguments
"""Factors L D L^H of matrices that are symmetric, definite or not, with pivots.

Bunch and Kaufman, "Some stable methods for calculating inertia and solving symmetric linear
systems" (1977), as LAPACK's sytrf lays the factors out: D has blocks of one and of two rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._engine import DTypeError, LinAlgError, ShapeError, Tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LDLFactor", "LDLFactorEx", "ldl_factor", "ldl_factor_ex", "ldl_solve"]

_TURN = (1 + 17**0.5) / 8  # where a block of two grows the elements no more than two of one


@shown_as("linalg_ldl_factor")
class LDLFactor(NamedTuple):
    """What `ldl_factor` returns."""

    LD: Tensor
    pivots: Tensor


@shown_as("linalg_ldl_factor_ex")
class LDLFactorEx(NamedTuple):
    """What `ldl_factor_ex` returns."""

    LD: Tensor
    pivots: Tensor
    info: Tensor


def ldl_factor(A: Tensor, *, hermitian: bool = False) -> LDLFactor:
    """Factorize A = L D L^T, or L D L^H, of a matrix that need not be positive.

    Args:
        A: Tensor [..., n, n], floating or complex. What lies below the diagonal is read.
        hermitian: Whether complex matrices are Hermitian, not symmetric.

    Returns:
        A pair: `LD` [..., n, n], D on its diagonal, and below it in blocks of two, and L below;
        and `pivots`, int32 [..., n]: the row, from 1, that a row was swapped with, negative for
        both rows of a block. `ldl_solve` reads them. No gradient passes.

    Raises:
        LinAlgError: A block of D is 0.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.ldl_factor(gb.tensor([[4.0, 2.0], [2.0, 0.0]])).LD
    tensor([[ 4.0000,  0.0000],
            [ 0.5000, -1.0000]])
    """
    return LDLFactor(*_factored("linalg.ldl_factor", A, hermitian, True)[:2])


def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> LDLFactorEx:
    """Factorize as `ldl_factor` does, and tell of what is 0 instead of raising.

    Args:
        A: As for `ldl_factor`.
        hermitian: Likewise.
        check_errors: True raises as `ldl_factor` does.

    Returns:
        `LD`, `pivots` and `info`, int32 and of the sizes of the batch: 0, or the place from 1 on
        the diagonal of D that is 0.

    Raises:
        LinAlgError: A block of D is 0, and `check_errors`.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.ldl_factor_ex(gb.zeros(2, 2)).info
    tensor(1, dtype=garboard.int32)
    """
    op = "linalg.ldl_factor_ex"
    return _factored(op, A, hermitian, check.flag(op, "check_errors", check_errors))


def ldl_solve(
    LD: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    hermitian: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solve A X = B for X, where A has been factorized by `ldl_factor`.

    Args:
        LD: Tensor [..., n, n], floating or complex.
        pivots: int32 tensor [..., n].
        B: Tensor [..., n, k] of the same dtype.
        hermitian: As it was given to `ldl_factor`.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor [..., n, k]. No gradient passes.

    Raises:
        ShapeError: The sizes do not fit, or a pivot names a row that is not there.
        DTypeError: Other dtypes, or two.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> LD, pivots = gb.linalg.ldl_factor(gb.tensor([[4.0, 2.0], [2.0, 0.0]]))
    >>> gb.linalg.ldl_solve(LD, pivots, gb.tensor([[6.0], [2.0]]))
    tensor([[1.],
            [1.]])
    """
    import numpy as np

    op = "linalg.ldl_solve"
    turns = check.flag(op, "hermitian", hermitian)
    _square(op, "LD", LD)
    check.tensor(op, "pivots", pivots)
    check.tensor(op, "B", B)
    if pivots.dtype != _engine.int32 or B.dtype != LD.dtype:
        raise DTypeError(
            f"{op}: dtypes {LD.dtype}, {pivots.dtype} and {B.dtype}; that of LD for B, and int32 "
            "for pivots, are needed"
        )
    rows = LD.shape[-1]
    if B.ndim < 2 or B.shape[-2] != rows or pivots.ndim == 0 or pivots.shape[-1] != rows:
        raise ShapeError(
            f"{op}: LD of sizes {[*LD.shape]}, pivots of {[*pivots.shape]}, B of {[*B.shape]}; "
            "[..., n, n], [..., n] and [..., n, k] are needed"
        )
    batches = tuple(LD.shape[:-2]), tuple(pivots.shape[:-1]), tuple(B.shape[:-2])
    try:
        sizes = np.broadcast_shapes(*batches)
    except ValueError:
        raise ShapeError(f"{op}: batches of sizes {batches}; equal ones are needed") from None
    factors = _array(LD.expand([*sizes, rows, rows]))
    swaps = _array(pivots.expand([*sizes, rows]))
    made = np.array(_array(B.expand([*sizes, *B.shape[-2:]])))
    if swaps.size and not (abs(swaps).min() >= 1 and abs(swaps).max() <= rows):
        raise ShapeError(f"{op}: pivots beyond 1 to {rows}; those of ldl_factor are needed")
    for place in np.ndindex(*sizes):
        _solve(factors[place], swaps[place], made[place], turns)
    return written(op, _engine.from_numpy(made).to(B.device), out)


def _square(op: str, name: str, x: Tensor) -> Tensor:
    if check.tensor(op, name, x).ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{op}: {name} of sizes {[*x.shape]}; [..., n, n] is needed")
    if x.dtype not in (_engine.float32, _engine.float64, _engine.complex64, _engine.complex128):
        raise DTypeError(
            f"{op}: {name} of dtype {x.dtype}; float32, float64 or a complex one is needed"
        )
    return x


def _array(x: Tensor) -> Any:
    return x.detach().resolve_conj().cpu().numpy()


def _factored(op: str, given: Tensor, hermitian: bool, checks: bool) -> LDLFactorEx:
    import numpy as np

    turns = check.flag(op, "hermitian", hermitian) and _square(op, "A", given).is_complex()
    whole = np.tril(_array(_square(op, "A", given)))
    sizes, rows = whole.shape[:-2], whole.shape[-1]
    pivots, info = np.zeros([*sizes, rows], np.int32), np.zeros(sizes, np.int32)
    for place in np.ndindex(*sizes):
        info[place] = _factorize(whole[place], pivots[place], turns)
    if checks and info.any():
        place = tuple(int(at) for at in np.argwhere(info)[0])
        where = f" at {list(place)}" if place else ""
        raise LinAlgError(
            f"{op}: element {info[place]} of the diagonal of D{where} is 0; a matrix with an "
            "inverse is needed"
        )
    to = [_engine.from_numpy(made).to(given.device) for made in (whole, pivots, np.asarray(info))]
    return LDLFactorEx(*to)


def _pivot(a: Any, k: int) -> tuple[int, int]:
    """Which row goes to the next block of the trailing matrix, and how many rows it has."""
    size, below = abs(a[k, k]), abs(a[k + 1 :, k])
    most = below.max(initial=0)
    if size >= _TURN * most:
        return k, 1
    row = k + 1 + int(below.argmax())
    others = max(abs(a[row, k:row]).max(initial=0), abs(a[row + 1 :, row]).max(initial=0))
    if size >= _TURN * most * (most / others):
        return k, 1
    return (row, 1) if abs(a[row, row]) >= _TURN * others else (row, 2)


def _factorize(lower: Any, pivots: Any, turns: bool) -> int:
    """Write the factors over what lies below the diagonal of a matrix."""
    import numpy as np

    rows, first_zero, k = len(pivots), 0, 0
    full = lower.copy()
    while k < rows:
        if turns:
            full[k, k] = full[k, k].real
        row, width = _pivot(full, k)
        end, last = k + width, k + width - 1
        if row != last:
            rest = full[k:, k:]
            rest += np.tril(rest, -1).conj().T if turns else np.tril(rest, -1).T
            rest[[last - k, row - k]] = rest[[row - k, last - k]]
            rest[:, [last - k, row - k]] = rest[:, [row - k, last - k]]
            rest[...] = np.tril(rest)
        pivots[k:end] = row + 1 if width == 1 else -(row + 1)
        block, columns = _block(full[k:end, k:end], turns), full[end:, k:end]
        if (width == 1 and block[0, 0] == 0) or np.isnan(block).any():
            first_zero = first_zero or k + 1
        else:
            scaled = np.linalg.solve(block.T, columns.T).T
            full[end:, end:] -= np.tril(scaled @ (columns.conj() if turns else columns).T)
            columns[...] = scaled
        k = end
    lower[...] = full
    return first_zero


def _block(lower: Any, turns: bool) -> Any:
    """A block of D, of which what lies below the diagonal is given."""
    block = lower.copy()
    if len(block) == 2:
        block[0, 1] = block[1, 0].conj() if turns else block[1, 0]
    return block


def _blocks(pivots: Any) -> Iterator[tuple[int, int, int, int]]:
    """From where to where each goes, and which row is swapped with which."""
    k = 0
    while k < len(pivots):
        width = 1 if pivots[k] > 0 or k + 1 == len(pivots) else 2
        yield k, k + width, k + width - 1, abs(int(pivots[k])) - 1
        k += width


def _solve(factors: Any, pivots: Any, b: Any, turns: bool) -> None:
    """Write the solution over `b`."""
    import numpy as np

    blocks = list(_blocks(pivots))
    for k, end, here, there in blocks:
        b[[here, there]] = b[[there, here]]
        b[end:] -= factors[end:, k:end] @ b[k:end]
        block = _block(factors[k:end, k:end], turns)
        b[k:end] = b[k:end] / block if end - k == 1 else np.linalg.solve(block, b[k:end])
    for k, end, here, there in reversed(blocks):
        left = factors[end:, k:end].T
        b[k:end] -= (left.conj() if turns else left) @ b[end:]
        b[[here, there]] = b[[there, here]]


all_overridable(globals())
