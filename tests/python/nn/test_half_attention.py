"""Attention of half types is that of float64, to what their operands' digits leave."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

attend = gb.nn.functional.scaled_dot_product_attention


HALVES = [gb.bfloat16, gb.float16]


def drawn(seed: int, *sizes: int, dtype: gb.dtype = gb.bfloat16) -> gb.Tensor:
    of = gb.randn(*sizes, generator=gb.Generator().manual_seed(seed))
    return of.to(dtype).requires_grad_()


def expect_near(found: gb.Tensor, right: gb.Tensor) -> None:
    finer = 1 if found.dtype is gb.bfloat16 else 8
    largest = right.abs().max().item()
    gb.testing.assert_close(
        found.double(), right, rtol=0.02 / finer, atol=0.012 * largest / finer + 1e-6
    )


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("mask", ["none", "causal", "bool", "added"])
@pytest.mark.parametrize(("heads", "shared"), [(2, 2), (6, 2)])
@pytest.mark.parametrize(
    ("rows", "columns", "depth", "values"),
    [
        (1, 70, 64, 64),
        (7, 600, 48, 40),
        (17, 300, 31, 16),
        (130, 257, 64, 33),
        (300, 300, 80, 80),
        (3, 1, 1, 1),
    ],
)
def test_it_is_that_of_float64_with_its_gradients(
    dtype: gb.dtype,
    rows: int,
    columns: int,
    depth: int,
    values: int,
    heads: int,
    shared: int,
    mask: str,
) -> None:
    inputs = [
        drawn(1, 2, heads, rows, depth, dtype=dtype),
        drawn(2, 2, shared, columns, depth, dtype=dtype),
        drawn(3, 2, shared, columns, values, dtype=dtype),
    ]
    added = drawn(4, 2, 1, rows, columns, dtype=dtype).detach()
    seen = {"none": None, "causal": None, "bool": added > -1, "added": added}[mask]
    wide_seen = added.double() if mask == "added" else seen
    wide = [it.detach().double().requires_grad_() for it in inputs]

    out = attend(*inputs, attn_mask=seen, is_causal=mask == "causal", enable_gqa=True)
    expected = attend(*wide, attn_mask=wide_seen, is_causal=mask == "causal", enable_gqa=True)
    along = drawn(5, *out.shape, dtype=dtype).detach()
    gradients = gb.autograd.grad(out, inputs, along)
    by_double = gb.autograd.grad(expected, wide, along.double())

    assert out.dtype is dtype
    expect_near(out, expected)
    for found, right in zip(gradients, by_double, strict=True):
        expect_near(found, right)


def test_a_row_that_sees_nothing_is_zero_and_leaves_no_gradient() -> None:
    q, k, v = drawn(1, 1, 2, 5, 32), drawn(2, 1, 2, 40, 32), drawn(3, 1, 2, 40, 32)
    seen = gb.ones(5, 40, dtype=gb.bool)
    seen[2] = False

    out = attend(q, k, v, attn_mask=seen)
    gradients = gb.autograd.grad(out, [q, k, v], gb.ones_like(out))

    assert (out[:, :, 2] == 0).all()
    assert (gradients[0][:, :, 2] == 0).all()
    assert all(it.isfinite().all() for it in gradients)


def test_threads_change_no_bit_and_dropout_keeps_the_mean() -> None:
    q, k, v = drawn(1, 2, 3, 200, 64), drawn(2, 2, 3, 260, 64), gb.ones(2, 3, 260, 64).bfloat16()
    before, made = gb.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            made.append(attend(q, k, v))
    finally:
        gb.set_num_threads(before)
    gb.manual_seed(0)

    dropped = attend(q, k, v, dropout_p=0.25)

    assert gb.equal(made[0], made[1])
    assert gb.equal(made[0], made[2])
    assert dropped.float().mean().item() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("rows", [1, 40])
def test_keys_and_values_are_not_brought_to_float_in_memory(dtype: gb.dtype, rows: int) -> None:
    q, k, v = (gb.ones(1, 4, n, 32, dtype=dtype) for n in (rows, 3000, 3000))

    gb.memory.reset_peak_memory_stats()
    before = gb.memory.memory_allocated()
    attend(q, k, v)
    most = gb.memory.max_memory_allocated() - before

    assert most <= 2 * q.nbytes + 4096
