"""Products of Householder reflections, as LAPACK's names for them say it.

A matrix of reflections keeps in each column what lies below the diagonal of the reflection's
vector, which is 1 on it, and zero above: there the factor R of a QR factorization has its place.
"""

from __future__ import annotations

from typing import NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard._native import add_methods
from garboard.linalg._reflectors import householder_product

__all__ = ["geqrf", "orgqr", "ormqr"]


@shown_as("geqrf")
class Reflectors(NamedTuple):
    """What `geqrf` returns."""

    a: Tensor
    tau: Tensor


@no_grad()
def geqrf(input: Tensor) -> Reflectors:
    """Factorize matrices into reflections I - tau v v^H and a triangle, as LAPACK's geqrf.

    Args:
        input: Tensor [..., m, n], floating or complex. No gradient passes.

    Returns:
        A pair: `a` [..., m, n], R on and above its diagonal and the vectors below, and `tau`
        [..., min(m, n)]. `linalg.householder_product` and `ormqr` read them.

    Raises:
        ShapeError: Fewer than two dims.
        DTypeError: Another dtype.
        TypeError: `input` is no Tensor.
        DisposedError: It is disposed.

    >>> a, tau = gb.geqrf(gb.tensor([[3.0], [4.0]]))
    >>> a
    tensor([[-5.0000],
            [ 0.5000]])
    """
    x = _matrices("geqrf", "input", input).clone()
    rows, columns = x.shape[-2:]
    taus = []
    for k in range(min(rows, columns)):
        head, rest = x[..., k, k], x[..., k + 1 :, k]
        length = rest.abs().square().sum(-1)
        real = head.real if x.is_complex() else head
        is_done = (length == 0) & ((head - real).abs() == 0)
        far = (head.abs().square() + length).sqrt()
        end = _engine.where(is_done, real, _engine.where(real < 0, far, -far)).to(x.dtype)
        whole = _engine.where(is_done, 1.0, end)
        tau = _engine.where(is_done, 0.0, (end - head) / whole)
        vector = rest / _engine.where(is_done, 1.0, head - end)[..., None]
        full = _engine.cat([_engine.ones_like(head)[..., None], vector], -1)[..., None]
        right = x[..., k:, k + 1 :]
        right.sub_(tau.conj()[..., None, None] * (full @ (full.mH @ right)))
        x[..., k, k] = end
        x[..., k + 1 :, k] = vector
        taus.append(tau)
    empty = x.new_empty([*x.shape[:-2], 0])
    return Reflectors(x, _engine.stack(taus, -1) if taus else empty)


def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """Return `linalg.householder_product`, under LAPACK's name.

    Args:
        input: Tensor [..., m, n], m >= n, floating or complex.
        input2: Tensor [..., k], k <= n, of the same dtype.

    Returns:
        A new tensor [..., m, n].

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are of no numbers with fractions.
        TypeError: An argument is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.orgqr(gb.tensor([[0.0], [1.0]]), gb.tensor([1.0]))
    tensor([[ 0.],
            [-1.]])
    """
    return householder_product(input, input2)


def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor,
    left: bool = True,
    transpose: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Multiply by a product of reflections I - tau v v^H, without making it.

    Args:
        input: Tensor [..., m, k], floating or complex: what `geqrf` gives, of m rows.
        tau: Tensor [..., n], n <= k, of the same dtype.
        other: Tensor [..., m, p], or [..., p, m] where `left` is False, of the same dtype.
        left: The product stands left of `other`, or right.
        transpose: Take its conjugate transpose.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of the sizes of `other`.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are of no numbers with fractions.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.ormqr(gb.tensor([[0.0], [1.0]]), gb.tensor([1.0]), gb.tensor([[1.0], [2.0]]))
    tensor([[-2.],
            [-1.]])
    """
    op = "ormqr"
    _matrices(op, "input", input)
    _matrices(op, "other", other)
    is_left = check.flag(op, "left", left)
    is_turned = check.flag(op, "transpose", transpose)
    count = tau.shape[-1] if check.tensor(op, "tau", tau).ndim else -1
    rows = input.shape[-2]
    if not 0 <= count <= min(input.shape[-2:]) or other.shape[-2 if is_left else -1] != rows:
        raise ShapeError(
            f"{op}: input of sizes {[*input.shape]}, tau of {[*tau.shape]}, other of "
            f"{[*other.shape]}; [..., m, k], [..., n] with n <= k, and m rows, or columns where "
            "left is False, are needed"
        )
    if not input.dtype == tau.dtype == other.dtype:
        raise DTypeError(
            f"{op}: dtypes {input.dtype}, {tau.dtype} and {other.dtype}; one is needed"
        )
    one = _engine.eye(rows, input.shape[-1], dtype=input.dtype, device=input.device)
    vectors = input.tril(-1) + one
    made = other
    for number in range(count) if is_left == is_turned else reversed(range(count)):
        vector = vectors[..., number : number + 1]
        scale = tau[..., number, None, None]
        scaled = (scale.conj() if is_turned else scale) * vector
        along = scaled @ (vector.mH @ made) if is_left else (made @ scaled) @ vector.mH
        made = made - along
    return written(op, made.clone() if made is other else made, out)


def _matrices(op: str, name: str, given: Tensor) -> Tensor:
    x = check.tensor(op, name, given)
    if x.ndim < 2:
        raise ShapeError(f"{op}: {name} of sizes {[*x.shape]}; [..., m, n] is needed")
    if x.itemsize < 4 or not (x.is_floating_point() or x.is_complex()):
        raise DTypeError(
            f"{op}: {name} of dtype {x.dtype}; float32, float64 or complex numbers are needed"
        )
    return x


add_methods(Tensor, {name: globals()[name] for name in __all__})

all_overridable(globals())
