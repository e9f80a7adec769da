"""Windows and sequences on CUDA devices: values and gradients are the CPU's, and nothing stays."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.nn.utils.rnn import PackedSequence

from tests.support.cuda_agreement import (
    DIGITS,
    EVERY_FLOAT,
    FLOATS,
    agree,
    on_cuda,
    planes,
)
from tests.support.live_memory import balanced  # noqa: F401

F = gb.nn.functional

# Products


@on_cuda
@EVERY_FLOAT
def test_products_and_convolutions_are_those_of_the_cpu(dtype):
    agree(F.linear, planes(dtype, 5, 7), planes(dtype, 4, 7, seed=2), planes(dtype, 4, seed=3))
    agree(gb.matmul, planes(dtype, 2, 5, 7), planes(dtype, 2, 4, 7, seed=2).transpose(1, 2))
    agree(gb.addmm, planes(dtype, 5, 4), planes(dtype, 5, 7, seed=2), planes(dtype, 7, 4, seed=3))
    agree(
        lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2),
        planes(dtype, 2, 4, 9, 8),
        planes(dtype, 6, 2, 3, 3, seed=2),
        planes(dtype, 6, seed=3),
        loss_of_digits=3,
    )
    agree(
        lambda x, w: F.conv_transpose2d(x, w, stride=2),
        planes(dtype, 2, 3, 5, 4),
        planes(dtype, 3, 2, 3, 3, seed=2),
        loss_of_digits=3,
    )


# Pools


@on_cuda
@EVERY_FLOAT
def test_max_pools_are_those_of_the_cpu(dtype):
    agree(lambda x: F.max_pool1d(x, 3, 2, 1), planes(dtype, 2, 3, 11))
    agree(lambda x: F.max_pool2d(x, 3, 1, 1), planes(dtype, 2, 3, 9, 8))
    agree(lambda x: F.max_pool2d(x, (2, 3), (2, 1), dilation=(1, 2)), planes(dtype, 3, 9, 8))
    agree(lambda x: F.max_pool2d(x, 2, ceil_mode=True), planes(dtype, 1, 2, 7, 7).transpose(2, 3))
    agree(lambda x: F.max_pool3d(x, 2), planes(dtype, 2, 2, 4, 5, 6))
    agree(lambda x: F.max_pool2d(x, 2), planes(dtype, 0, 3, 4, 4))


@on_cuda
@EVERY_FLOAT
def test_average_pools_are_those_of_the_cpu(dtype):
    agree(lambda x: F.avg_pool1d(x, 3, 2, 1), planes(dtype, 2, 3, 11))
    agree(lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False), planes(dtype, 2, 3, 9, 8))
    agree(lambda x: F.avg_pool2d(x, (2, 3), ceil_mode=True), planes(dtype, 3, 9, 8))
    agree(lambda x: F.avg_pool2d(x, 2, divisor_override=3), planes(dtype, 1, 2, 7, 7))
    agree(lambda x: F.avg_pool3d(x, 2, 1), planes(dtype, 2, 2, 4, 5, 6))


@on_cuda
@EVERY_FLOAT
def test_adaptive_pools_are_those_of_the_cpu(dtype):
    for sizes in (1, (3, 4), (11, 2), (9, 8)):
        agree(lambda x, s=sizes: F.adaptive_avg_pool2d(x, s), planes(dtype, 2, 3, 9, 8))
        agree(lambda x, s=sizes: F.adaptive_max_pool2d(x, s), planes(dtype, 2, 3, 9, 8))
    agree(lambda x: F.adaptive_avg_pool1d(x, 5), planes(dtype, 2, 3, 13))
    agree(lambda x: F.adaptive_max_pool3d(x, 2), planes(dtype, 2, 3, 5, 4, 3))


@on_cuda
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_what_a_max_pool_took_goes_back_to_where_it_was(dtype):
    def there_and_back(x):
        taken, indices = F.max_pool2d(x, 3, 2, return_indices=True)
        return F.max_unpool2d(taken, indices, 3, 2, output_size=x.shape)

    agree(there_and_back, planes(dtype, 2, 3, 9, 8))


# Samplings


@on_cuda
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
@EVERY_FLOAT
def test_interpolated_planes_are_those_of_the_cpu(dtype, mode):
    align = [None] if mode.startswith("nearest") else [False, True]
    for aligns in align:
        for size in ((3, 4), (17, 5), (1, 1), (9, 8)):
            agree(
                lambda x, s=size, a=aligns: F.interpolate(x, s, mode=mode, align_corners=a),
                planes(dtype, 2, 3, 9, 8),
            )
    agree(lambda x: F.interpolate(x, scale_factor=2.5, mode=mode), planes(dtype, 1, 2, 5, 4))


@on_cuda
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_planes_sampled_by_a_grid_are_those_of_the_cpu(dtype, mode, padding):
    def sample(x, grid, aligns):
        return F.grid_sample(x, grid, mode, padding, align_corners=aligns)

    for aligns in (False, True):
        grid = planes(dtype, 2, 6, 5, 2, seed=2) / 3
        agree(sample, planes(dtype, 2, 3, 9, 8), grid, aligns, loss_of_digits=20)
    if mode != "bicubic":
        grid = planes(dtype, 2, 3, 4, 5, 3, seed=2) / 3
        agree(sample, planes(dtype, 2, 3, 4, 3, 5), grid, False, loss_of_digits=20)


# Attention


@on_cuda
@EVERY_FLOAT
def test_attention_is_that_of_the_cpu(dtype):
    q, k, v = (planes(dtype, 2, 3, n, 8, seed=n) / 2 for n in (37, 70, 70))
    mask = gb.tensor(np.random.default_rng(4).random((37, 70)) < 0.6)

    agree(F.scaled_dot_product_attention, q, k, v, loss_of_digits=5)
    agree(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v)
    agree(F.scaled_dot_product_attention, q, k, v, mask, loss_of_digits=5)
    agree(F.scaled_dot_product_attention, q[0, 0], k[0, 0], v[0, 0], loss_of_digits=5)
    agree(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        q[:, :2],
        k[:, :1],
        v[:, :1],
        loss_of_digits=5,
    )


@on_cuda
def test_attention_drops_what_it_drops_on_the_cpu():
    def dropping(q, k, v):
        gb.manual_seed(3)
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.4)

    agree(dropping, *(planes(gb.float64, 2, 2, n, 5, seed=n) for n in (35, 66, 66)))


@on_cuda
def test_attention_repeats_itself_bit_by_bit():
    q, k, v = (planes(gb.float32, 1, 2, 130, 16, seed=n).cuda() for n in range(3))

    once, again = (F.scaled_dot_product_attention(q, k, v).cpu().numpy() for _ in range(2))

    np.testing.assert_array_equal(once, again)


# Recurrent layers


def layer_on(device: str, kind: str, dtype: gb.dtype, **options: Any) -> gb.nn.Module:
    gb.manual_seed(5)
    return getattr(gb.nn, kind)(3, 7, 2, dtype=dtype, **options).to(device)


def trained(device: str, kind: str, dtype: gb.dtype, **options: Any) -> list[np.ndarray]:
    """Return what a layer gives, and all its gradients."""
    layer = layer_on(device, kind, dtype, **options)
    x = planes(dtype, 6, 4, 3).to(device).requires_grad_()
    out, last = layer(x)
    states = last if isinstance(last, tuple) else (last,)
    (out.square().sum() + sum(state.sum() for state in states)).backward()
    results = [out, *states, x.grad, *(p.grad for p in layer.parameters())]
    return [r.detach().cpu().to(gb.float64).numpy().copy() for r in results]


@on_cuda
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@EVERY_FLOAT
def test_recurrent_layers_are_those_of_the_cpu(dtype, kind, bidirectional):
    kinds = [{}] if kind != "RNN" else [{"nonlinearity": "tanh"}, {"nonlinearity": "relu"}]
    for options in kinds:
        options = {**options, "bidirectional": bidirectional}
        with gb.dispose_scope():
            here = trained("cpu", kind, dtype, **options)
        with gb.leaks.no_leaks(), gb.dispose_scope():
            there = trained("cuda", kind, dtype, **options)
        for one, other in zip(there, here, strict=True):
            tolerance = DIGITS[dtype] * 10
            np.testing.assert_allclose(
                one, other, tolerance, tolerance * max(np.abs(other).max(), 1)
            )


@on_cuda
@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
def test_a_packed_batch_gives_what_it_gives_on_the_cpu(kind):
    def packed_out(rows):
        layer = layer_on(str(rows.device), kind, gb.float64, bidirectional=True)
        out, _ = layer(PackedSequence(rows, gb.tensor([3, 3, 2, 2, 2])))
        return out.data

    agree(packed_out, planes(gb.float64, 12, 3))


# Connectionist temporal classification


@on_cuda
@pytest.mark.parametrize("zero_infinity", [False, True])
@EVERY_FLOAT
def test_ctc_losses_are_those_of_the_cpu(dtype, zero_infinity):
    scores = planes(gb.float64, 9, 4, 5)
    log_probs = (scores - scores.logsumexp(-1, keepdim=True)).to(dtype)
    labels = gb.tensor([[1, 2, 2, 4], [3, 3, 1, 0], [1, 0, 0, 0], [1, 1, 1, 1]])

    def loss(log_probs, labels, steps, counts):
        return F.ctc_loss(
            log_probs, labels, steps, counts, reduction="none", zero_infinity=zero_infinity
        )

    agree(loss, log_probs, labels, gb.tensor([9, 8, 3, 2]), gb.tensor([4, 3, 0, 4]))


# What does not fit


@on_cuda
def test_numbers_that_do_not_fit_are_told_when_the_device_is_waited_for():
    log_probs = gb.zeros(5, 2, 3, device="cuda")
    counts = gb.tensor([2, 2])

    labels = gb.tensor([[1, 2], [1, 7]]).cuda()
    losses = F.ctc_loss(log_probs, labels, counts, counts, reduction="none")
    with pytest.raises(gb.IndexOutOfRangeError, match="ctc_loss: 7; needed is a number below 3"):
        losses.tolist()

    indices = gb.tensor([[[[3, 16]]]]).cuda()
    F.max_unpool2d(gb.ones(1, 1, 1, 2, device="cuda"), indices, 2, output_size=(2, 4))
    with pytest.raises(gb.IndexOutOfRangeError, match=r"max_pool.*: 16; needed is a number below"):
        gb.cuda.synchronize()
    gb.cuda.synchronize()
