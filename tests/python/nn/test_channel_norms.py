"""Batch, group and instance norms of channels with many places: what one kernel does."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest

functional = gb.nn.functional


def drawn(*sizes: int, seed: int = 7) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(sizes) * 3 + 2


# Groups of channels; 0 stands for batches.
CASES = [
    ((4, 6, 3, 7), 0),
    ((4, 6, 3, 7), 2),
    ((4, 6, 3, 7), 6),
    ((1, 3, 40), 0),
    ((3, 33, 2, 2, 5), 11),
    ((2, 3, 1500), 1),
]


def called(groups: int, x: Any, weight: Any, bias: Any) -> gb.Tensor:
    if groups:
        return functional.group_norm(x, groups, weight, bias)
    return functional.batch_norm(x, None, None, weight, bias, True)


def parts_of(x: np.ndarray, groups: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """What is normalised together lies along the dims that are given back."""
    if groups:
        return x.reshape(len(x), groups, -1), (2,)
    return x.reshape(*x.shape[:2], -1), (0, 2)


def beside(channels: np.ndarray, x: np.ndarray) -> np.ndarray:
    return channels.reshape(1, -1, *[1] * (x.ndim - 2))


def expected(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, slopes: np.ndarray, groups: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    parts, over = parts_of(x, groups)
    inverse = 1 / np.sqrt(parts.var(over, keepdims=True) + 1e-5)
    normal = (parts - parts.mean(over, keepdims=True)) * inverse
    slope = parts_of(slopes * beside(weight, x), groups)[0]
    tilt = normal * (slope * normal).mean(over, keepdims=True)
    d_x = inverse * (slope - slope.mean(over, keepdims=True) - tilt)
    normal = normal.reshape(x.shape)
    others = (0, *range(2, x.ndim))
    grads = [d_x.reshape(x.shape), (slopes * normal).sum(others), slopes.sum(others)]
    return normal * beside(weight, x) + beside(bias, x), grads


@pytest.mark.parametrize(("dtype", "allowed"), [("float32", 3e-5), ("float64", 1e-12)])
@pytest.mark.parametrize(("sizes", "groups"), CASES)
def test_norms_and_their_slopes_follow_the_formula(sizes, groups, dtype, allowed):
    x, slopes = drawn(*sizes), drawn(*sizes, seed=8)
    weight, bias = drawn(sizes[1], seed=9), drawn(sizes[1], seed=10)
    want, want_slopes = expected(x, weight, bias, slopes, groups)
    with gb.dispose_scope():
        ours = [gb.tensor(a, dtype=getattr(gb, dtype)) for a in (x, weight, bias)]
        for tensor in ours:
            tensor.requires_grad_()

        out = called(groups, *ours)
        given = gb.tensor(slopes, dtype=out.dtype)
        grads = gb.autograd.grad(out, ours, given, retain_graph=True)
        again = gb.autograd.grad(out, ours, given, create_graph=True)

        np.testing.assert_allclose(out.detach().numpy(), want, allowed, allowed * 10)
        for grad, same, one in zip(grads, again, want_slopes, strict=True):
            np.testing.assert_allclose(grad.numpy(), one, allowed, allowed * 100)
            np.testing.assert_allclose(same.detach().numpy(), one, allowed, allowed * 100)


@pytest.mark.parametrize("groups", [0, 2])
def test_a_norm_without_weight_or_with_strides_is_that_of_ones_and_of_a_copy(groups):
    x = gb.tensor(drawn(3, 20, 4)).transpose(1, 2)

    out = called(groups, x, None, gb.ones(4, dtype=gb.float64))

    same = called(groups, x.contiguous(), gb.ones(8, dtype=gb.float64)[::2], None) + 1
    np.testing.assert_allclose(out.numpy(), same.numpy(), 1e-12)


@pytest.mark.parametrize("groups", [0, 1])
def test_a_norm_has_the_curvature_of_finite_differences(groups):
    x = gb.tensor(drawn(2, 2, 9), requires_grad=True)
    weight = gb.tensor(drawn(2), requires_grad=True)
    factors, step = gb.tensor(drawn(2, 2, 9, seed=3)), 1e-6

    def product() -> gb.Tensor:
        out = called(groups, x, weight, None)
        return (gb.autograd.grad((out * out * out).sum(), x, create_graph=True)[0] * factors).sum()

    curved = gb.autograd.grad(product(), (x, weight))

    for tensor, curvature, at in ((x, curved[0], (1, 0, 3)), (weight, curved[1], (1,))):
        found = []
        for by in (step, -2 * step, step):
            with gb.no_grad():
                tensor[at] += by
            found.append(product().item())
        assert curvature[at].item() == pytest.approx((found[0] - found[1]) / 2 / step, rel=1e-5)


def test_running_statistics_move_to_those_of_the_batch():
    x = drawn(4, 3, 5, 5)
    layer = gb.nn.BatchNorm2d(3, momentum=0.25, dtype=gb.float64)

    layer(gb.tensor(x))

    mean, spread = x.mean((0, 2, 3)), x.var((0, 2, 3), ddof=1)
    np.testing.assert_allclose(layer.running_mean.numpy(), 0.25 * mean, 1e-12)
    np.testing.assert_allclose(layer.running_var.numpy(), 0.75 + 0.25 * spread, 1e-12)
    layer.eval()
    out = layer(gb.tensor(x)).detach().numpy()
    want = (x - beside(0.25 * mean, x)) / np.sqrt(beside(0.75 + 0.25 * spread, x) + 1e-5)
    np.testing.assert_allclose(out, want, 1e-9, 1e-9)


@pytest.mark.parametrize(
    ("sizes", "dtype", "weight", "groups", "error"),
    [
        ((2,), gb.float32, None, 0, gb.ShapeError),
        ((2, 3, 4), gb.float32, None, 2, gb.ShapeError),
        ((2, 3, 4), gb.float32, None, -1, gb.ShapeError),
        ((2, 3, 4), gb.float32, 4, 0, gb.ShapeError),
        ((2, 3, 4), gb.float64, 3, 0, gb.DTypeError),
        ((2, 3, 4), gb.int64, None, 0, gb.DTypeError),
    ],
)
def test_the_kernels_op_refuses_what_it_cannot_do(sizes, dtype, weight, groups, error):
    x = gb.zeros(sizes, dtype=dtype)
    with pytest.raises(error):
        gb._engine._channel_norm(x, weight and gb.zeros(weight), None, groups, 1e-5)


@pytest.mark.parametrize(("sizes", "groups"), [((4, 6, 3, 7), 0), ((4, 6, 3, 7), 2)])
@pytest.mark.parametrize("dtype", [gb.bfloat16, gb.float16])
@pytest.mark.parametrize("of_weights", [gb.float32, "half"])
def test_half_types_are_normalised_in_float32_and_rounded_once(sizes, groups, dtype, of_weights):
    given = [drawn(*sizes), drawn(6, seed=8), drawn(6, seed=9)]
    rounded = [gb.tensor(array, dtype=dtype) for array in given]
    for i in (1, 2):
        rounded[i] = rounded[i].to(dtype if of_weights == "half" else gb.float32)
    slope = gb.tensor(drawn(*sizes, seed=10), dtype=dtype)

    def made(tensors: Any) -> list[gb.Tensor]:
        leaves = [t.detach().clone().requires_grad_() for t in tensors]
        out = called(groups, *leaves)
        return [out.detach(), *gb.autograd.grad(out, leaves, slope.to(out.dtype))]

    found = made(rounded)
    expected = made([t.float() for t in rounded])

    assert [t.dtype for t in found] == [dtype, *(t.dtype for t in rounded)]
    for one, right, like in zip(found, expected, [rounded[0], *rounded], strict=True):
        assert gb.equal(one, right.to(like.dtype))


def test_a_norm_keeps_no_bytes_after_its_graph():
    x = gb.tensor(drawn(2, 4, 10), requires_grad=True)
    before = gb.memory.live()

    with gb.dispose_scope():
        called(2, x, None, None).sum().backward()
        x.grad = None

    assert gb.memory.live() == before


def test_threads_change_no_bit_of_a_norm():
    x, before, made = drawn(40, 5, 30, 30), gb.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            with gb.dispose_scope():
                ours = gb.tensor(x, dtype=gb.float32, requires_grad=True)
                out = called(0, ours, gb.arange(5) + 1.0, None)
                (grad,) = gb.autograd.grad((out * out * out).sum(), ours)
                made.append((out.detach().numpy().copy(), grad.numpy().copy()))
    finally:
        gb.set_num_threads(before)

    for other in made[1:]:
        for one, same in zip(made[0], other, strict=True):
            np.testing.assert_array_equal(one, same)


@pytest.mark.parametrize(
    ("training", "eps", "told"),
    [
        (True, 0, r"eps 0\.0; more than 0 is needed in training"),
        (True, -1e-5, r"eps -1e-05; more than 0 is needed in training"),
        (False, -1.0, r"eps -1\.0; 0 or more is needed"),
    ],
)
def test_batches_refuse_a_spread_that_may_vanish(training, eps, told):
    x, mean, spread = gb.ones(3, 2), gb.zeros(2), gb.ones(2)

    with pytest.raises(ValueError, match=rf"^batch_norm: {told}"):
        functional.batch_norm(x, mean, spread, training=training, eps=eps)

    assert mean.tolist() == [0, 0]
    assert functional.batch_norm(x, mean, spread, eps=0).tolist() == x.tolist()


def test_a_batch_norm_that_stops_tracking_counts_no_more_batches():
    layer = gb.nn.BatchNorm1d(2)
    layer.track_running_stats = False
    before = layer.running_mean.clone()

    layer(gb.rand(4, 2) + 3)

    assert layer.num_batches_tracked.item() == 0
    assert gb.equal(layer.running_mean, before)


def test_groups_of_one_value_each_have_no_variance():
    with pytest.raises(ValueError, match="more than one value for each is needed"):
        gb.nn.GroupNorm(2, 2)(gb.rand(1, 2))

    assert gb.nn.GroupNorm(2, 2)(gb.rand(2, 2)).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("sizes", [(5, 3), (2, 3, 7), (2, 3, 4, 12), (1, 3, 70), (2, 3, 2, 3, 6)])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64, gb.bfloat16], ids=str)
def test_known_statistics_scale_and_shift_in_one_step(sizes, dtype, no_leaks):
    x = gb.from_numpy(drawn(*sizes)).to(dtype).requires_grad_()
    weight, bias = (gb.from_numpy(drawn(3, seed=seed)).to(dtype) for seed in (1, 2))
    mean, variance = gb.from_numpy(drawn(3, seed=3)), gb.from_numpy(drawn(3, seed=4)) ** 2
    slopes = gb.from_numpy(drawn(*sizes, seed=5)).to(dtype)
    weight.requires_grad_(), bias.requires_grad_()

    out = functional.batch_norm(x, mean.to(dtype), variance.to(dtype), weight, bias)
    out.backward(slopes)

    wide = [it.detach().double().requires_grad_() for it in (x, weight, bias)]
    kind = dtype if dtype == gb.bfloat16 else gb.float64  # the statistics that it had
    mean, variance = (it.to(kind).double() for it in (mean, variance))
    beside = [1, 3, *[1] * (len(sizes) - 2)]
    normal = (wide[0] - mean.view(beside)) / (variance.view(beside) + 1e-5).sqrt()
    wanted = normal * wide[1].view(beside) + wide[2].view(beside)
    wanted.backward(slopes.double())
    near = {gb.float64: 1e-12, gb.float32: 2e-5, gb.bfloat16: 2e-2}[dtype]
    found = [out, *(it.grad for it in (x, weight, bias))]
    for one, other in zip(found, [wanted, *(it.grad for it in wide)], strict=True):
        gb.testing.assert_close(
            one.double(), other, rtol=near, atol=near * float(other.detach().abs().max())
        )


def test_known_statistics_can_be_differentiated_again():
    x, weight, bias = (
        gb.from_numpy(drawn(*sizes)).requires_grad_() for sizes in ((2, 3, 2), (3,), (3,))
    )
    mean, variance = gb.zeros(3).double(), gb.ones(3).double()

    def normalized(*given: gb.Tensor) -> gb.Tensor:
        return functional.batch_norm(given[0], mean, variance, *given[1:])

    assert gb.autograd.gradcheck(normalized, (x, weight, bias))
    assert gb.autograd.gradgradcheck(normalized, (x, weight, bias))


def test_known_statistics_and_a_frozen_weight_keep_no_input():
    norm = gb.nn.BatchNorm1d(4).eval().requires_grad_(False)
    x = gb.randn(64, 4, 64, requires_grad=True)

    before = gb.memory.memory_allocated()
    y = norm(x * 2)

    assert gb.memory.memory_allocated() - before < y.nbytes + 1024


def test_a_norm_that_learns_and_keeps_nothing_needs_no_number_of_channels():
    x = gb.tensor(drawn(2, 3, 4, 5))

    layer = gb.nn.InstanceNorm2d(None)
    assert gb.equal(layer(x), gb.nn.InstanceNorm2d(3)(x))
    assert (layer.num_features, repr(layer)[:24]) == (None, "InstanceNorm2d(None, eps")
    for settings in ({"affine": True}, {"track_running_stats": True}):
        with pytest.raises(TypeError, match="num_features is of type NoneType; an integer"):
            gb.nn.InstanceNorm2d(None, **settings)
