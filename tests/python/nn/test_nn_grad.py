"""Gradients of convolutions by themselves: those that a backward pass through one finds."""

from __future__ import annotations

from typing import Any

import garboard as gb
import pytest
from garboard.nn import functional
from garboard.nn import grad as of_convolutions


def convolved(dims: int, **settings: Any) -> tuple[gb.Tensor, gb.Tensor, gb.Tensor, gb.Tensor]:
    """Return an input, a weight, the output of their convolution and a gradient of it."""
    gb.manual_seed(3)
    x = gb.randn(2, 4, *[7, 6, 5][:dims], requires_grad=True)
    weight = gb.randn(6, 4 // settings.get("groups", 1), *[3, 2, 2][:dims], requires_grad=True)
    out = getattr(functional, f"conv{dims}d")(x, weight, None, **settings)
    return x, weight, out, gb.randn(*out.shape)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"stride": 2, "padding": 1},
        {"padding": 2, "dilation": 2, "groups": 2},
        {"padding": "same"},
    ],
)
def test_are_those_of_a_backward_pass(dims, settings, no_leaks):
    x, weight, out, gradient = convolved(dims, **settings)
    wanted = gb.autograd.grad(out, [x, weight], gradient)

    of_input = getattr(of_convolutions, f"conv{dims}d_input")
    of_weight = getattr(of_convolutions, f"conv{dims}d_weight")
    with gb.no_grad():
        found = (
            of_input(x.shape, weight, gradient, **settings),
            of_weight(x, weight.shape, gradient, **settings),
        )

    assert all(gb.equal(it, one) for it, one in zip(found, wanted, strict=True))
    assert not any(it.requires_grad for it in found)


def test_can_be_differentiated_for_what_they_are_made_of(no_leaks):
    x, weight, out, gradient = convolved(2, stride=2)
    (through,) = gb.autograd.grad(out, x, gradient, create_graph=True)
    (wanted,) = gb.autograd.grad(through.square().sum(), weight)

    found = gb.nn.grad.conv2d_input(x.shape, weight, gradient, stride=2)
    (second,) = gb.autograd.grad(found.square().sum(), weight)

    assert gb.allclose(second, wanted)


def test_run_no_convolution_beside(no_leaks):
    x, weight, _, gradient = convolved(2)
    with gb.profiler.profile() as profile:
        gb.nn.grad.conv2d_input(x.shape, weight, gradient)
        gb.nn.grad.conv2d_weight(x, weight.shape, gradient)

    assert not [it.key for it in profile.key_averages() if it.key.endswith("conv2d")]


@pytest.mark.parametrize("dtype", [gb.float64, gb.bfloat16, gb.complex64])
def test_take_a_single_sample_and_other_dtypes(dtype, no_leaks):
    x, weight, _, _ = convolved(2)
    x, weight = (it.detach().to(dtype).requires_grad_() for it in (x[0], weight))
    out = functional.conv2d(x, weight, padding=1)
    gradient = gb.ones_like(out)
    of_x, of_weight = gb.autograd.grad(out, [x, weight], gradient)

    assert gb.equal(gb.nn.grad.conv2d_input(x.shape, weight, gradient, padding=1), of_x)
    assert gb.equal(gb.nn.grad.conv2d_weight(x, weight.shape, gradient, padding=1), of_weight)


def test_gradients_of_other_sizes_and_dtypes_are_refused(no_leaks):
    x, weight, _, gradient = convolved(2)

    with pytest.raises(gb.ShapeError, match=r"^conv2d_input: a gradient of sizes .* equal$"):
        gb.nn.grad.conv2d_input(x.shape, weight, gradient[..., 1:])
    with pytest.raises(gb.DTypeError, match=r"^conv2d_weight: a gradient of dtype float64"):
        gb.nn.grad.conv2d_weight(x, weight.shape, gradient.double())
    with pytest.raises(gb.ShapeError):
        gb.nn.grad.conv1d_weight(x, weight.shape, gradient)
    with pytest.raises(gb.ShapeError):
        gb.nn.grad.conv2d_input((2, 4, 1 << 40, 1 << 40), weight, gradient)


def test_sizes_of_no_convolution_and_what_is_no_tensor_are_refused(no_leaks):
    _, weight, _, gradient = convolved(1)

    with pytest.raises(gb.ShapeError):
        gb.nn.grad.conv1d_input((2, 3, 7), weight, gradient)
    with pytest.raises(TypeError, match="conv1d_weight: input is of type int"):
        gb.nn.grad.conv1d_weight(3, weight.shape, gradient)  # type: ignore[arg-type]
