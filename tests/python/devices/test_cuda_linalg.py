"""Factorizations of matrices on CUDA devices, which LAPACK computes on the host: the CPU's."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import pytest

from tests.support.cuda_agreement import on_cuda
from tests.support.live_memory import balanced  # noqa: F401

L = gb.linalg
DTYPES = [gb.float32, gb.float64, gb.complex64, gb.complex128]
Call = Callable[[gb.Tensor, gb.Tensor], object]


def hermitian(a: gb.Tensor) -> gb.Tensor:
    return a @ a.mH + 3 * gb.eye(a.shape[-1], dtype=a.dtype, device=a.device)


CALLS: dict[str, Call] = {
    "cholesky": lambda a, _: L.cholesky(hermitian(a)),
    "cholesky, upper": lambda a, _: L.cholesky(hermitian(a), upper=True),
    "cholesky_ex": lambda a, _: L.cholesky_ex(hermitian(a)),
    "cholesky_inverse": lambda a, _: gb.cholesky_inverse(L.cholesky(hermitian(a))),
    "cholesky_solve": lambda a, b: gb.cholesky_solve(b, L.cholesky(hermitian(a))),
    "det": lambda a, _: L.det(a),
    "eig": lambda a, _: L.eig(a),
    "eigh": lambda a, _: L.eigh(hermitian(a)),
    "eigvalsh": lambda a, _: L.eigvalsh(hermitian(a)),
    "householder_product": lambda a, _: L.householder_product(*gb.geqrf(a)),
    "inv": lambda a, _: L.inv(a),
    "inv_ex": lambda a, _: L.inv_ex(a),
    "lstsq": lambda a, b: L.lstsq(a, b)[0],
    "lu": lambda a, _: L.lu(a),
    "lu_factor": lambda a, _: L.lu_factor(a),
    "lu_solve": lambda a, b: L.lu_solve(*L.lu_factor(a), b),
    "matrix_exp": lambda a, _: L.matrix_exp(a * 0.1),
    "matrix_power": lambda a, _: L.matrix_power(a, -2),
    "matrix_rank": lambda a, _: L.matrix_rank(a),
    "norm, nuclear": lambda a, _: L.matrix_norm(a, "nuc"),
    "norm, spectral": lambda a, _: L.matrix_norm(a, 2),
    "pinv": lambda a, _: L.pinv(a[..., :3]),
    "qr": lambda a, _: L.qr(a),
    "qr, complete": lambda a, _: L.qr(a[..., :2].detach(), mode="complete"),
    "slogdet": lambda a, _: L.slogdet(a),
    "solve": lambda a, b: L.solve(a, b),
    "solve_ex": lambda a, b: L.solve_ex(a, b),
    "solve_triangular": lambda a, b: L.solve_triangular(hermitian(a).triu(), b, upper=True),
    "svd": lambda a, _: L.svd(a),
    "svdvals": lambda a, _: L.svdvals(a),
}


def tensors_of(made: object) -> list[gb.Tensor]:
    return [made] if isinstance(made, gb.Tensor) else list(made)  # type: ignore[call-overload]


def found(call: Call, a: gb.Tensor, b: gb.Tensor, device: str) -> list[gb.Tensor]:
    """Return what a call gives on a device, and gradients, on the CPU."""
    inputs = [it.detach().to(device).requires_grad_() for it in (a, b)]
    made = tensors_of(call(*inputs))
    assert all(it.device.type == device for it in made)
    total = gb.zeros((), dtype=gb.float64, device=device)
    for it in made:
        if it.requires_grad:
            total = total + (it * it.conj()).real.sum()
    if total.requires_grad:
        total.backward()
    gradients = [it.grad for it in inputs if it.grad is not None]
    assert all(it.device.type == device for it in gradients)
    return [it.detach().cpu() for it in (*made, *gradients)]


@on_cuda
@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_those_of_the_cpu(
    name: str, dtype: gb.dtype, batch: tuple[int, ...]
) -> None:
    generator = gb.Generator().manual_seed(3)
    a = gb.randn(*batch, 4, 4, dtype=dtype, generator=generator)
    b = gb.randn(*batch, 4, 2, dtype=dtype, generator=generator)
    expected = found(CALLS[name], a, b, "cpu")
    for one, other in zip(found(CALLS[name], a, b, "cuda"), expected, strict=True):
        assert one.dtype == other.dtype
        digits = 1e-2 if gb.finfo(dtype).bits == 32 else 1e-8
        gb.testing.assert_close(one, other, rtol=digits, atol=digits)


@on_cuda
def test_second_gradients_are_those_of_the_cpu() -> None:
    a = gb.randn(3, 3, dtype=gb.float64, generator=gb.Generator().manual_seed(3))
    second = []
    for device in ("cpu", "cuda"):
        x = a.detach().to(device).requires_grad_()
        (first,) = gb.autograd.grad(L.inv(x).square().sum(), x, create_graph=True)
        (again,) = gb.autograd.grad(first.square().sum(), x)
        second.append(again.cpu())
    gb.testing.assert_close(*second)


@on_cuda
@pytest.mark.parametrize(
    "call", [L.inv, L.cholesky, lambda x: L.solve(x, x)], ids=["inv", "cholesky", "solve"]
)
def test_a_singular_matrix_is_refused_as_on_the_cpu(call: Callable[[gb.Tensor], object]) -> None:
    with pytest.raises(gb.LinAlgError) as on_cpu:
        call(gb.zeros(2, 3, 3))
    with pytest.raises(gb.LinAlgError) as on_device:
        call(gb.zeros(2, 3, 3, device="cuda"))
    assert str(on_device.value) == str(on_cpu.value)


@on_cuda
def test_matrices_without_elements_and_of_two_devices() -> None:
    assert L.inv(gb.zeros(0, 3, 3, device="cuda")).shape == (0, 3, 3)
    assert L.svd(gb.zeros(2, 0, 3, device="cuda"))[1].shape == (2, 0)
    with pytest.raises(gb.DeviceError, match="solve"):
        L.solve(gb.eye(2, device="cuda"), gb.ones(2, 1))
