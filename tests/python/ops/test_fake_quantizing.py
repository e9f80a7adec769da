"""Rounding to few integers in floating tensors, with the gradient that training takes."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def test_numbers_are_rounded_and_clamped():
    x = gb.tensor([0.26, -9.0, 0.05, 0.9])

    made = gb.fake_quantize_per_tensor_affine(x, 0.1, 2, -8, 7)

    assert made.tolist() == pytest.approx([0.3, -1.0, 0.0, 0.5])
    by_tensors = gb.fake_quantize_per_tensor_affine(x, gb.tensor(0.1), gb.tensor(2), -8, 7)
    assert gb.equal(made, by_tensors)


def test_the_gradient_is_that_of_what_is_not_clamped():
    x = gb.tensor([0.26, -9.0, 0.9], requires_grad=True)

    gb.fake_quantize_per_tensor_affine(x, 0.1, 0, -8, 7).sum().backward()

    assert x.grad.tolist() == [1, 0, 0]


def test_channels_have_scales_of_their_own():
    x = gb.full((2, 3), 0.26)
    scale, zero = gb.tensor([0.1, 0.5, 1.0]), gb.tensor([0, 0, 0])

    made = gb.fake_quantize_per_channel_affine(x, scale, zero, 1, -8, 7)

    assert made[1].tolist() == pytest.approx([0.3, 0.5, 0.0])
    assert gb.equal(made.T, gb.fake_quantize_per_channel_affine(x.T, scale, zero, -2, -8, 7))


def test_what_does_not_fit_is_refused():
    x, one = gb.ones(2, 3), gb.ones(2)
    with pytest.raises(ValueError, match="quant_min 8 and quant_max 7"):
        gb.fake_quantize_per_tensor_affine(x, 0.1, 0, 8, 7)
    with pytest.raises(gb.ShapeError, match=r"scale of sizes \[2\], zero_point of \[2\]; \[3\]"):
        gb.fake_quantize_per_channel_affine(x, one, one, 1, -8, 7)
    with pytest.raises(TypeError, match="scale"):
        gb.fake_quantize_per_tensor_affine(x, "a", 0, -8, 7)  # type: ignore[arg-type]


def test_bytes_are_multiplied_in_int32():
    rows, columns = gb.full((3, 70), -128, dtype=gb.int8), gb.full((70, 2), 127, dtype=gb.int8)

    made = gb._int_mm(rows, columns)

    assert made.dtype == gb.int32
    assert made.tolist() == [[-128 * 127 * 70] * 2] * 3
    with pytest.raises(gb.DTypeError, match=r"mat2 of dtype garboard.int32; int8 is needed"):
        gb._int_mm(rows, columns.int())


def test_what_lies_on_a_half_goes_to_the_even_one_before_the_zero_point_is_added():
    x = gb.tensor([0.5, 1.5, -0.5, 2.5])

    by_number = gb.fake_quantize_per_tensor_affine(x, 1.0, 1, -8, 7)
    by_channel = gb.fake_quantize_per_channel_affine(
        x.view(1, 4), gb.ones(1), gb.tensor([1]), 0, -8, 7
    )

    assert by_number.tolist() == [0, 2, 0, 2]
    assert by_channel[0].tolist() == [0, 2, 0, 2]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_infinity_is_clamped_and_what_is_no_number_is_the_least(dtype: str):
    x = gb.tensor([gb.inf, -gb.inf, gb.nan, 0.5], dtype=getattr(gb, dtype), requires_grad=True)

    made = gb.fake_quantize_per_tensor_affine(x, 0.5, 0, -8, 7)
    made.sum().backward()

    assert made.tolist() == [3.5, -4, -4, 0.5]
    assert x.grad.tolist() == [0, 0, 0, 1]


def test_the_places_of_narrow_numbers_are_exact():
    x = gb.arange(100, dtype=gb.float16) * 0.1

    made = gb.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127)

    wide = gb.fake_quantize_per_tensor_affine(x.float(), 0.1, 0, -128, 127)
    assert made.dtype == gb.float16
    assert gb.equal(made, wide.half())


def test_a_zero_point_between_integers_is_added_before_rounding():
    x = gb.tensor([[0.5, 1.0]])

    made = gb.fake_quantize_per_channel_affine(x, gb.ones(1), gb.tensor([0.5]), 0, -8, 7)

    assert made.tolist() == [[0.5, 1.5]]


def test_zero_points_lie_among_the_integers():
    x, one = gb.ones(2, 3), gb.ones(2)
    with pytest.raises(ValueError, match="zero_point 300; a number from -128 to 127"):
        gb.fake_quantize_per_tensor_affine(x, 0.1, 300, -128, 127)
    with pytest.raises(RuntimeError, match="zero_point 300; a number from -128 to 127"):
        gb.fake_quantize_per_channel_affine(x, one, gb.tensor([0, 300]), 0, -128, 127)
    with pytest.raises(gb.ShapeError, match=r"scale of sizes \[2\]; one number is needed"):
        gb.fake_quantize_per_tensor_affine(x, one, gb.tensor(0), -8, 7)
    with pytest.raises(NotImplementedError, match=r"dtype garboard\.int64; a floating one"):
        gb.fake_quantize_per_tensor_affine(x.long(), 0.1, 0, -8, 7)
