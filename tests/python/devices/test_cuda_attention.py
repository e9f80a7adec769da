"""Attention of halves on CUDA devices: as near to the truth as rounding lets it be."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.support.cuda_agreement import HALVES, on_cuda, planes
from tests.support.live_memory import balanced  # noqa: F401

F = gb.nn.functional
EVERY_HALF = pytest.mark.parametrize("dtype", HALVES, ids=str)


def attend(
    device: str, dtype: gb.dtype, halves: list[gb.Tensor], mask: gb.Tensor | None, **options: Any
) -> list[np.ndarray]:
    """Return what attention gives, and the gradients of query, key and value; the last of `halves`
    is the gradient of the result."""
    *inputs, given = (x.to(dtype).to(device) for x in halves)
    leaves = [x.detach().requires_grad_() for x in inputs]
    if mask is not None:
        mask = (mask if mask.dtype == gb.bool else mask.to(dtype)).to(device)
    out = F.scaled_dot_product_attention(*leaves, mask, **options)
    out.backward(given)
    results = [out, *(leaf.grad for leaf in leaves)]
    assert all(x.dtype == dtype for x in results)
    return [x.detach().cpu().to(gb.float64).numpy().copy() for x in results]


def assert_near(
    dtype: gb.dtype,
    query: tuple[int, ...],
    key: tuple[int, ...],
    values: int | None = None,
    mask: gb.Tensor | None = None,
    **options: Any,
) -> None:
    """Assert that a device gives what float64 gives of the same halves, and that nothing stays."""
    value = (*key[:-1], values or key[-1])
    given = (*query[:-1], value[-1])
    halves = [planes(dtype, *s, seed=i) / 2 for i, s in enumerate((query, key, value, given))]
    options = {"enable_gqa": query[:-2] != key[:-2], **options}
    with gb.dispose_scope():
        right = attend("cpu", gb.float64, halves, mask, **options)
    with gb.leaks.no_leaks(), gb.dispose_scope():
        found = attend("cuda", dtype, halves, mask, **options)
    for name, one, other in zip(("out", "query", "key", "value"), found, right, strict=True):
        largest = max(np.abs(other).max(initial=0), 0.05)
        error = np.abs(one - other).max(initial=0) / largest
        assert error <= 3 * gb.finfo(dtype).eps, f"{name}: {error} of {query} {key} {options}"


@on_cuda
@pytest.mark.parametrize("is_causal", [False, True])
@EVERY_HALF
def test_attention_of_halves_is_right_at_the_edges_of_tiles(dtype, is_causal):
    for length in (1, 7, 63, 64, 65, 130, 257):
        assert_near(dtype, (1, length, 64), (1, length, 64), is_causal=is_causal)


@on_cuda
@EVERY_HALF
def test_attention_of_halves_is_right_for_every_depth(dtype):
    for depth in (3, 8, 32, 64, 72, 96, 128, 130):
        assert_near(dtype, (2, 37, depth), (2, 70, depth), is_causal=depth == 96)
    assert_near(dtype, (37, 24), (70, 24), values=100)


@on_cuda
@EVERY_HALF
def test_attention_of_halves_lets_heads_share_keys(dtype):
    assert_near(dtype, (2, 4, 35, 16), (2, 2, 70, 16))
    assert_near(dtype, (1, 6, 70, 64), (1, 1, 70, 64), is_causal=True)


@on_cuda
@EVERY_HALF
def test_attention_of_halves_takes_few_keys_and_many(dtype):
    assert_near(dtype, (2, 40, 64), (2, 1, 64))
    assert_near(dtype, (2, 1, 64), (2, 200, 64))
    assert_near(dtype, (2, 130, 32), (2, 40, 32), is_causal=True)
    assert_near(dtype, (2, 40, 32), (2, 130, 32), is_causal=True)


@on_cuda
@EVERY_HALF
def test_attention_of_halves_of_rows_that_see_nothing_is_zero(dtype):
    seen = np.random.default_rng(4).random((37, 70)) < 0.6
    seen[5] = False
    numbers = np.random.default_rng(5).normal(size=(37, 70))

    assert_near(dtype, (2, 2, 37, 16), (2, 2, 70, 16), mask=gb.tensor(seen))
    assert_near(dtype, (2, 2, 37, 16), (2, 2, 70, 16), mask=gb.tensor(numbers).to(dtype))
    assert_near(dtype, (2, 2, 37, 16), (2, 2, 70, 16), mask=gb.tensor(numbers > 9))


@on_cuda
@EVERY_HALF
def test_attention_of_halves_takes_any_scale_and_any_strides(dtype):
    for scale in (-0.3, 0.0, 2.0):
        assert_near(dtype, (2, 37, 16), (2, 70, 16), scale=scale)
    whole = planes(dtype, 2, 33, 3, 4, 19, seed=6).cuda()  # query, key and value side by side
    q, k, v = (x.transpose(1, 2)[..., :16] for x in whole.unbind(2))

    found = F.scaled_dot_product_attention(q, k, v)

    dense = F.scaled_dot_product_attention(*(x.contiguous() for x in (q, k, v)))
    np.testing.assert_allclose(
        found.cpu().to(gb.float64).numpy(),
        dense.cpu().to(gb.float64).numpy(),
        rtol=gb.finfo(dtype).eps,
        atol=gb.finfo(dtype).eps,
    )


@on_cuda
def test_attention_of_halves_drops_what_it_drops_in_float32():
    def dropping(dtype):
        gb.manual_seed(3)
        q, k, v = (planes(gb.float16, 2, 2, n, 8, seed=n).to(dtype).cuda() for n in (35, 66, 66))
        out = F.scaled_dot_product_attention(q, k, v, dropout_p=0.4)
        return out.cpu().to(gb.float64).numpy()

    np.testing.assert_allclose(dropping(gb.float16), dropping(gb.float32), atol=1e-2)


@on_cuda
def test_attention_of_halves_keeps_no_wider_copies():
    q, k, v = (planes(gb.bfloat16, 1, 2, 50, 32, seed=n).cuda().requires_grad_() for n in range(3))
    before = gb.memory.live("cuda").bytes

    out = F.scaled_dot_product_attention(q, k, v)

    of_out, of_sums = 2 * 50 * 32 * 2, 2 * 50 * 4
    assert gb.memory.live("cuda").bytes - before == of_out + of_sums
    out.sum().backward()


@on_cuda
def test_second_gradients_of_attention_of_halves_are_those_of_float32():
    def second(dtype):
        q, k, v = (planes(gb.float16, 1, n, 8, seed=n).to(dtype).cuda() for n in (5, 6, 6))
        q.requires_grad_()
        (slope,) = gb.autograd.grad(
            F.scaled_dot_product_attention(q, k, v).sum(), q, create_graph=True
        )
        slope.square().sum().backward()
        return q.grad.cpu().to(gb.float64).numpy()

    np.testing.assert_allclose(second(gb.float16), second(gb.float32), rtol=0.02, atol=0.02)


@on_cuda
def test_attention_of_halves_repeats_itself_bit_by_bit():
    def results():
        halves = [planes(gb.bfloat16, 1, 2, 130, 64, seed=n) for n in range(4)]
        return attend("cuda", gb.bfloat16, halves, None, is_causal=True)

    for once, again in zip(results(), results(), strict=True):
        np.testing.assert_array_equal(once, again)
