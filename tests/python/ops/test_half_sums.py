"""Half types are summed as floats are, whichever way they are brought to them."""

import garboard as gb
import pytest


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 63, 64, 65, 72, 200, 1024, 1025, 1100, 70_001])
def test_a_sum_of_halves_has_the_bits_of_the_same_floats(dtype, count):
    x = gb.randn(3, count, generator=gb.Generator().manual_seed(5)).to(dtype)

    assert gb.equal(x.sum(1, dtype=gb.float32), x.float().sum(1))
    assert gb.equal(x[1].sum(dtype=gb.float32), x[1].float().sum())
    assert gb.equal(x.sum(0, dtype=gb.float32), x.float().sum(0))


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16])
def test_a_sum_of_halves_keeps_what_is_no_number(dtype):
    x = gb.ones(100, dtype=dtype)
    x[70] = float("inf")

    assert x.sum().item() == float("inf")
    x[3] = float("-inf")
    assert x.sum().isnan().item()


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16])
def test_the_norm_of_halves_squares_them_as_floats(dtype, no_leaks):
    x = gb.full((2, 300), 300.0, dtype=dtype).requires_grad_()  # squared beyond float16

    found = x.norm(dim=1)
    found.sum().backward()

    assert found.dtype is dtype
    gb.testing.assert_close(found, x.detach().float().norm(dim=1).to(dtype))
    gb.testing.assert_close(x.grad, gb.full((2, 300), 300**-0.5, dtype=dtype))


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16])
@pytest.mark.parametrize("count", [1, 31, 512, 513, 1500])
@pytest.mark.parametrize("scan", [gb.cumsum, gb.cumprod])
def test_a_running_result_of_halves_is_that_of_floats_rounded(dtype, count, scan):
    x = (1 + gb.randn(3, count, generator=gb.Generator().manual_seed(6)) / 32).to(dtype)

    assert gb.equal(scan(x, 1), scan(x.double(), 1).float().to(dtype))
    assert gb.equal(scan(x[1], 0), scan(x, 1)[1])
    assert gb.equal(scan(x.t(), 0), scan(x, 1).t())
