"""Which dtype two operands meet in: PyTorch's rules, written out."""

from __future__ import annotations

import garboard as gb
import pytest

# As torch.promote_types has it for these dtypes.
TABLE = """
          bool     uint8    int32    int64    float32  float64
bool      bool     uint8    int32    int64    float32  float64
uint8     uint8    uint8    int32    int64    float32  float64
int32     int32    int32    int32    int64    float32  float64
int64     int64    int64    int64    int64    float32  float64
float32   float32  float32  float32  float32  float32  float64
float64   float64  float64  float64  float64  float64  float64
"""
HEAD, *LINES = (line.split() for line in TABLE.strip().splitlines())
PAIRS = [(row, col, cell) for row, *cells in LINES for col, cell in zip(HEAD, cells, strict=True)]
CATEGORY = {"bool": 0, "uint8": 1, "int32": 1, "int64": 1, "float32": 2, "float64": 2}
NUMBERS = [(True, "bool"), (1, "int64"), (1.5, "float32")]  # and their dtype on their own


def one(dtype: str, *sizes: int) -> gb.Tensor:
    return gb.ones(*sizes, dtype=getattr(gb, dtype))


def meeting(strong: str, weak: str) -> str:
    """Return what a dtype and one of lower rank meet in: it counts if its category is higher."""
    return weak if CATEGORY[weak] > CATEGORY[strong] else strong


def name(dtype: gb.dtype) -> str:
    return str(dtype).removeprefix("garboard.")


@pytest.mark.parametrize(("a", "b", "expected"), PAIRS)
class TestTwoTensors:
    def test_with_dims_meet_by_the_table(self, a, b, expected):
        assert name((one(a, 2) + one(b, 2)).dtype) == expected
        assert name((one(a) + one(b)).dtype) == expected
        assert name(gb.maximum(one(a, 2), one(b, 1)).dtype) == expected
        assert name(gb.where(one("bool", 2), one(a, 2), one(b, 2)).dtype) == expected
        assert name(gb.cat([one(a, 2), one(b, 2)]).dtype) == expected
        assert name(gb.stack([one(a), one(b)]).dtype) == expected

    def test_of_which_one_has_no_dims_meet_by_category(self, a, b, expected):
        assert name((one(a, 2) + one(b)).dtype) == meeting(a, b)
        assert name((one(b) + one(a, 2)).dtype) == meeting(a, b)
        assert name((one(a, 0) + one(b)).dtype) == meeting(a, b)

    def test_compare_as_bools(self, a, b, expected):
        for op in (gb.eq, gb.ne, gb.lt, gb.le, gb.gt, gb.ge, gb.logical_and, gb.logical_xor):
            assert op(one(a, 2), one(b, 2)).dtype == gb.bool

    def test_divide_as_floats(self, a, b, expected):
        wanted = expected if CATEGORY[expected] == 2 else "float32"

        assert name((one(a, 2) / one(b, 2)).dtype) == wanted

    def test_in_place_keep_the_first_dtype_or_refuse(self, a, b, expected):
        x = one(a, 2)
        if CATEGORY[expected] <= CATEGORY[a]:
            x += one(b, 2)
            assert name(x.dtype) == a
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

    @pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "float64"])
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
        for dtype in ("bool", "uint8", "int32"):
            assert one(dtype, 2).sum().dtype == gb.int64
            assert one(dtype, 2).prod(0).dtype == gb.int64
        assert one("float32", 2).sum().dtype == gb.float32
        assert one("uint8", 300).sum().item() == 300
        assert one("int64", 2).sum(dtype=gb.float64).dtype == gb.float64

    def test_of_functions_of_reals_are_float32_for_integers(self):
        for dtype in ("bool", "uint8", "int32", "int64"):
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
