"""Elements of slices by their rank: what kthvalue, median and quantile look for digit by digit."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest
from garboard import ShapeError

FLOATS = [gb.float16, gb.bfloat16, gb.float32, gb.float64]
WHOLE = [gb.uint8, gb.int8, gb.int16, gb.int32, gb.int64]
COUNTS = [129, 1000, 8191, 8192, 50_000]


def numbers(dtype: gb.dtype, count: int) -> gb.Tensor:
    """Of all signs and sizes, many of them equal."""
    drawn = np.random.default_rng(count).normal(size=count) ** 3 * 100
    if dtype in WHOLE:
        least, most = gb.iinfo(dtype).min, gb.iinfo(dtype).max
        return gb.tensor(np.clip(drawn, least, most).astype(np.int64)).to(dtype)
    return gb.tensor(np.round(drawn, 1)).to(dtype)


@pytest.mark.parametrize("dtype", FLOATS + WHOLE, ids=str)
@pytest.mark.parametrize("count", COUNTS)
def test_is_the_one_that_a_stable_sort_has_there(dtype, count):
    x = numbers(dtype, count)
    values, places = x.sort(stable=True)

    for rank in (0, 1, count // 3, count - 2, count - 1):
        found = x.kthvalue(rank + 1)
        assert found.values.item() == values[rank].item()
        assert found.indices.item() == places[rank].item()
    middle = x.median(0)
    assert middle.indices.item() == places[(count - 1) // 2].item()


@pytest.mark.parametrize("count", COUNTS)
def test_of_equal_elements_the_first_comes_first(count):
    x = gb.full((count,), -0.5)

    assert x.kthvalue(1).indices.item() == 0
    assert x.kthvalue(count // 2).indices.item() == count // 2 - 1
    assert x.kthvalue(count).indices.item() == count - 1


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64], ids=str)
def test_tells_apart_what_differs_in_the_last_bit(dtype):
    count = 20_000
    bits = np.random.default_rng(3).permutation(count)
    whole = np.int32 if dtype == gb.float32 else np.int64
    one = np.ones(1, np.float32 if dtype == gb.float32 else np.float64).view(whole)
    x = gb.tensor((one + bits.astype(whole)).view(np.float32 if whole == np.int32 else np.float64))

    for rank in (0, 777, count - 1):
        assert x.kthvalue(rank + 1).indices.item() == int(np.flatnonzero(bits == rank)[0])


def test_slices_may_lie_in_any_way():
    x = numbers(gb.float32, 300 * 40).reshape(300, 40)

    for seen in (x, x.t().contiguous().t(), x.flip(0), x.repeat(1, 2)[:, ::2]):
        np.testing.assert_array_equal(
            seen.kthvalue(151, dim=0).values.numpy(), np.sort(seen.numpy(), 0)[150]
        )


@pytest.mark.parametrize("count", COUNTS)
def test_nan_is_the_last_of_all_and_the_middle_of_any(count):
    x = numbers(gb.float32, count)
    x[7] = gb.nan
    rest = np.delete(x.numpy(), 7)

    assert x.kthvalue(count).indices.item() == 7
    assert x.kthvalue(count - 1).values.item() == rest.max()
    assert x.median(0).indices.item() == 7
    assert x.nanmedian().item() == np.sort(rest)[(count - 2) // 2]
    assert x.quantile(0.25).isnan().item()


@pytest.mark.parametrize("interpolation", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("q", [0.0, 0.3, 0.5, 1.0, [0.1, 0.9], [0.0, 0.2, 0.4, 0.6, 1.0]])
@pytest.mark.parametrize("sizes", [(129,), (70_001,), (200, 3), (3, 200), (2, 150, 4)])
def test_quantiles_agree_with_numpy(sizes, q, interpolation):
    x = gb.tensor(np.random.default_rng(0).normal(size=sizes))
    given = gb.tensor(q, dtype=gb.float64) if isinstance(q, list) else q

    for dim in (None, *range(len(sizes))):
        np.testing.assert_allclose(
            x.quantile(given, dim, interpolation=interpolation).numpy(),
            np.quantile(x.numpy(), q, dim, method=interpolation),
            rtol=1e-12,
            err_msg=f"along {dim}",
        )


def test_a_gradient_goes_to_the_elements_on_both_sides():
    x = gb.arange(201.0, dtype=gb.float64).flip(0).requires_grad_()

    x.quantile(gb.tensor([0.2525, 0.5], dtype=gb.float64)).sum().backward()

    assert x.grad.nonzero().flatten().tolist() == [100, 149, 150]
    np.testing.assert_allclose(x.grad[[100, 149, 150]].numpy(), [1, 0.5, 0.5], rtol=1e-9)
    assert gb.autograd.gradcheck(lambda x: x.quantile(0.3), [x.detach().requires_grad_()])


@pytest.mark.parametrize("q", [1.5, -0.1, gb.nan])
@pytest.mark.parametrize("count", [5, 500])
def test_a_quantile_outside_of_0_to_1_is_refused(q, count):
    before = gb.memory.live()

    with pytest.raises(ShapeError, match=r"quantile: q .*; 0 to 1 is needed"):
        gb.zeros(count).quantile(gb.tensor([0.5, q]))

    assert gb.memory.live() == before


def test_neither_threads_nor_what_is_found_leave_anything(no_leaks):
    x = numbers(gb.float32, 4 * 9000).reshape(4, 9000)
    found = []
    before = gb.get_num_threads()
    try:
        for threads in (1, 2):
            gb.set_num_threads(threads)
            found.append((x.median(1).indices.tolist(), x.quantile(0.3, 1).tolist()))
    finally:
        gb.set_num_threads(before)

    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_a_share_of_the_way_has_the_slope_between_its_neighbours(name):
    x = gb.tensor([[3.0, 1.0, 2.0, 7.0], [5.0, 4.0, 9.0, 6.0]])
    q = gb.tensor([0.3, 0.71], requires_grad=True)

    getattr(gb, name)(x, q, dim=1).sum().backward()

    assert q.grad.tolist() == [6.0, 21.0]  # three times the sum of both rows' gaps
