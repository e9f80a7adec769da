"""Which dtype two operands meet in: PyTorch's rules, written out."""

from __future__ import annotations

import garboard as gb
import pytest

# As torch.promote_types has it for these dtypes.
TABLE = """
         bool     uint8    int8     int16    int32    int64    float16  bfloat16 float32  float64
bool     bool     uint8    int8     int16    int32    int64    float16  bfloat16 float32  float64
uint8    uint8    uint8    int16    int16    int32    int64    float16  bfloat16 float32  float64
int8     int8     int16    int8     int16    int32    int64    float16  bfloat16 float32  float64
int16    int16    int16    int16    int16    int32    int64    float16  bfloat16 float32  float64
int32    int32    int32    int32    int32    int32    int64    float16  bfloat16 float32  float64
int64    int64    int64    int64    int64    int64    int64    float16  bfloat16 float32  float64
float16  float16  float16  float16  float16  float16  float16  float16  float32  float32  float64
bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 float32  bfloat16 float32  float64
float32  float32  float32  float32  float32  float32  float32  float32  float32  float32  float64
float64  float64  float64  float64  float64  float64  float64  float64  float64  float64  float64
"""
HEAD, *LINES = (line.split() for line in TABLE.strip().splitlines())
ROWS = [(row, list(zip(HEAD, cells, strict=True))) for row, *cells in LINES]
CATEGORY = {name: 2 if "float" in name else int(name != "bool") for name in HEAD}
NUMBERS = [(True, "bool"), (1, "int64"), (1.5, "float32")]  # and their dtype on their own


def one(dtype: str, *sizes: int) -> gb.Tensor:
    return gb.ones(*sizes, dtype=getattr(gb, dtype))


def meeting(strong: str, weak: str) -> str:
    """Return what a dtype and one of lower rank meet in: it counts if its category is higher."""
    return weak if CATEGORY[weak] > CATEGORY[strong] else strong


def name(dtype: gb.dtype) -> str:
    return str(dtype).removeprefix("garboard.")


@pytest.mark.parametrize(("a", "row"), ROWS, ids=HEAD)
class TestTwoTensors:
    def test_with_dims_meet_by_the_table(self, a, row):
        for b, expected in row:
            assert name((one(a, 2) + one(b, 2)).dtype) == expected, b
            assert name((one(a) + one(b)).dtype) == expected, b
            assert name(gb.maximum(one(a, 2), one(b, 1)).dtype) == expected, b
            assert name(gb.where(one("bool", 2), one(a, 2), one(b, 2)).dtype) == expected, b
            assert name(gb.cat([one(a, 2), one(b, 2)]).dtype) == expected, b
            assert name(gb.stack([one(a), one(b)]).dtype) == expected, b
            assert name(gb.promote_types(getattr(gb, a), getattr(gb, b))) == expected, b
            assert name(gb.result_type(one(a, 2), one(b, 2))) == expected, b

    def test_of_which_one_has_no_dims_meet_by_category(self, a, row):
        for b, _ in row:
            assert name((one(a, 2) + one(b)).dtype) == meeting(a, b), b
            assert name((one(b) + one(a, 2)).dtype) == meeting(a, b), b
            assert name((one(a, 0) + one(b)).dtype) == meeting(a, b), b
            assert name(gb.result_type(one(b), one(a, 2))) == meeting(a, b), b

    def test_compare_as_bools(self, a, row):
        for op in (gb.eq, gb.ne, gb.lt, gb.le, gb.gt, gb.ge, gb.logical_and, gb.logical_xor):
            for b, _ in row:
                result = op(one(a, 2), one(b, 2))

                assert result.dtype == gb.bool, b
                assert result.tolist() == [op in (gb.eq, gb.le, gb.ge, gb.logical_and)] * 2, b

    def test_divide_as_floats(self, a, row):
        for b, expected in row:
            wanted = expected if CATEGORY[expected] == 2 else "float32"

            assert name((one(a, 2) / one(b, 2)).dtype) == wanted, b

    def test_in_place_keep_the_first_dtype_or_refuse(self, a, row):
        for b, expected in row:
            x = one(a, 2)
            assert gb.can_cast(getattr(gb, expected), x.dtype) == (
                CATEGORY[expected] <= CATEGORY[a]
            )
            if CATEGORY[expected] <= CATEGORY[a]:
                x += one(b, 2)
                assert name(x.dtype) == a
                assert x.tolist() == [1 if a == "bool" else 2] * 2
            else:
                with pytest.raises(gb.DTypeError, match=rf"^add: a result of {expected} .*{a}; .+"):
                    x += one(b, 2)
                assert x.tolist() == [1, 1]
                assert x._version == 0


class TestANumber:
    @pytest.mark.parametrize("dtype", HEAD)
    @pytest.mark.parametrize(("number", "own"), NUMBERS)
    def test_widens_across_categories_and_never_within_one(self, dtype, number, own):
        expected = meeting(dtype, own)

        for x in (one(dtype, 2), one(dtype)):
            assert name((x + number).dtype) == expected
            assert name((number + x).dtype) == expected
            assert name(gb.where(one("bool", 2), x, number).dtype) == expected
            assert name(gb.where(one("bool", 2), number, x).dtype) == expected
            assert name(gb.result_type(x, number)) == expected
            assert name(gb.result_type(number, x)) == expected

    @pytest.mark.parametrize("dtype", HEAD[1:])
    @pytest.mark.parametrize(("number", "own"), NUMBERS[1:])
    def test_bounds_a_clamp_by_the_same_rule(self, dtype, number, own):
        assert name(one(dtype, 2).clamp(max=number).dtype) == meeting(dtype, own)

    def test_in_place_is_refused_in_a_lower_category(self):
        for dtype, number in [("int64", 0.5), ("uint8", 1.0), ("bool", 2)]:
            x = one(dtype, 3)

            with pytest.raises(gb.DTypeError, match=rf"^add: .*{dtype}; .+"):
                x.add_(number)

            assert x.tolist() == [1, 1, 1]

    def test_keeps_its_own_precision_until_it_meets_the_tensor(self):
        x = gb.tensor([0.0], dtype=gb.float64)

        assert (x + 0.1).item() == 0.1
        assert (gb.tensor([2**53], dtype=gb.int64) + (2**53 + 1)).item() == 2**54 + 1

    def test_beyond_an_integer_dtype_wraps_in_sums_alone(self):
        x = gb.tensor([200], dtype=gb.uint8)

        assert (x + 300).item() == 244
        assert (x * -1).item() == 56
        for refused in (
            lambda: x < 300,
            lambda: x // -1,
            lambda: x == 256,
            lambda: x.clamp(max=300),
            lambda: gb.maximum(x, 1000),
            lambda: gb.where(x > 0, x, 256),
            lambda: x.fill_(256),
            lambda: gb.full((2,), -1, dtype=gb.uint8),
            lambda: gb.full((2,), float("nan"), dtype=gb.int64),
            lambda: gb.full((2,), 2.0**31, dtype=gb.int32),
        ):
            with pytest.raises(gb.DTypeError, match=r"^\w+: the number .* does not fit into .*; "):
                refused()
        assert x.tolist() == [200]


class TestResults:
    def test_of_sums_are_wide(self):
        for dtype in ("bool", "uint8", "int8", "int16", "int32"):
            assert one(dtype, 2).sum().dtype == gb.int64
            assert one(dtype, 2).prod(0).dtype == gb.int64
        for dtype in ("float16", "bfloat16", "float32", "float64"):
            assert name(one(dtype, 2).sum().dtype) == dtype
        assert one("uint8", 300).sum().item() == 300
        assert one("int64", 2).sum(dtype=gb.float64).dtype == gb.float64

    def test_of_functions_of_reals_are_float32_for_integers(self):
        for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64"):
            assert one(dtype, 2).exp().dtype == gb.float32
            assert one(dtype, 2).sqrt().dtype == gb.float32

    def test_of_gradients_have_the_dtype_of_their_leaf(self):
        narrow = gb.ones(2, requires_grad=True)
        wide = gb.ones(2, dtype=gb.float64, requires_grad=True)

        (narrow * wide).sum().backward()

        assert narrow.grad.dtype == gb.float32
        assert wide.grad.dtype == gb.float64

    def test_of_integers_ask_for_no_gradient(self):
        x = gb.ones(2, requires_grad=True)

        assert not x.long().requires_grad
        assert not x.sum(dtype=gb.int64).requires_grad
        assert not (x > 0).requires_grad
        assert not gb.zeros(2, dtype=gb.int64).copy_(x).requires_grad
        assert x.double().requires_grad
