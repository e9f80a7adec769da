"""Narrow dtypes beside those that arithmetic is done in: half types beside float32, small integers
beside int64. Whatever an op does, it must do the same there, and round or wrap once."""

from __future__ import annotations

import copy
import io
import math
import pickle
from functools import partial
from operator import attrgetter

import garboard as gb
import numpy as np
import pytest

from tests.python.ops.op_row import Row
from tests.python.ops.op_table import ROWS

HALVES = (gb.float16, gb.bfloat16)
EPS = {gb.float16: 2.0**-10, gb.bfloat16: 2.0**-7}
OF_FLOATS = [row for row in ROWS if "float32" in row.dtypes]
OF_INTEGERS = [row for row in ROWS if "int32" in row.dtypes]


def amax_by(index: gb.Tensor, x: gb.Tensor) -> gb.Tensor:
    return gb.zeros(3, 5, dtype=x.dtype).scatter_reduce(1, index, x, "amax")


def outputs(result) -> list[gb.Tensor]:
    return list(result) if isinstance(result, tuple) else [result]


def as_if_rounded(got: gb.Tensor, wide: gb.Tensor, row: Row) -> None:
    """Compare a half result with float32's: equal once that is rounded, or for an op made of
    several as near as one more rounding allows."""
    want = wide.to(got.dtype).float().numpy()
    values = got.float().numpy()
    if row.is_elementwise:
        np.testing.assert_array_equal(values, want)
        return
    eps = EPS[got.dtype]
    np.testing.assert_allclose(values, want, rtol=2 * eps, atol=eps * max(row.terms, 1))


class TestHalfTypes:
    @pytest.mark.parametrize("row", OF_FLOATS, ids=attrgetter("name"))
    def test_give_what_float32_does_rounded_once(self, row):
        for half in HALVES:
            for case in row.cases[:4]:
                arrays = row.arrays(case, "float32", seed=31)
                narrow = [
                    x.to(half) if x.dtype == gb.float32 else x for x in map(gb.tensor, arrays)
                ]
                wide = [x.float() if x.dtype == half else x for x in narrow]

                got, want = (outputs(row.call(*given, case=case)) for given in (narrow, wide))

                for one, other in zip(got, want, strict=True):
                    if other.dtype != gb.float32:
                        assert one.dtype == other.dtype
                        assert gb.equal(one, other)
                        continue
                    assert one.dtype == half
                    as_if_rounded(one, other, row)

    @pytest.mark.parametrize(
        "row", [row for row in OF_FLOATS if row.gradient_order], ids=attrgetter("name")
    )
    def test_have_the_gradients_of_float32_rounded(self, row):
        case = row.cases[0]
        draws = row.slopes or row.draws
        for half in HALVES:
            arrays = row.arrays_from(draws, case, "float32", seed=32)
            gradients = []
            for dtype in (half, gb.float32):
                leaves = [
                    gb.tensor(array).to(half).to(dtype).requires_grad_()
                    if array.dtype == np.float32
                    else gb.tensor(array)
                    for array in arrays
                ]
                result = outputs(row.call(*leaves, case=case))[0]
                result.backward(gb.ones_like(result))
                gradients.append([leaf.grad for leaf in leaves if leaf.requires_grad])

            for got, want in zip(*gradients, strict=True):
                assert (got is None) == (want is None)
                if got is None:
                    continue
                assert got.dtype == half
                scale = max(1.0, want.abs().max().item()) if want.numel() else 1.0
                np.testing.assert_allclose(
                    got.float().numpy(),
                    want.numpy(),
                    rtol=8 * EPS[half],
                    atol=8 * EPS[half] * scale,
                )

    def test_sum_many_numbers_with_the_digits_of_float32(self):
        for half in HALVES:
            x = gb.full((3, 5000), 0.25, dtype=half)
            of_all, of_row = (3750.0, 1250.0) if half == gb.float16 else (3744.0, 1248.0)

            assert x.sum().item() == of_all
            assert x.mean().item() == 0.25
            assert x.sum(1).tolist() == [of_row] * 3
            assert x.sum(dtype=gb.float32).item() == 3750.0
            assert gb.full((4000,), 60.0, dtype=half).mean().item() == 60.0
            assert x.cumsum(1)[0, -1].item() == of_row
            assert gb.full((300,), 300.0, dtype=half).std().item() == 0.0

    def test_round_halves_to_even_and_keep_nan_and_infinities(self):
        x = gb.tensor([1 + 2**-11, 1 + 3 * 2**-11, 65520.0, -1e9, math.nan, 2.0**-25, 3 * 2.0**-25])
        y = gb.tensor([1 + 2**-8, 1 + 3 * 2**-8, 3.4e38, -math.inf, math.nan])

        expected = [1.0, 1 + 2**-9, math.inf, -math.inf, math.nan, 0.0, 2**-23]
        np.testing.assert_array_equal(x.half().tolist(), expected)
        np.testing.assert_array_equal(
            y.bfloat16().tolist(), [1.0, 1 + 2**-6, math.inf, -math.inf, math.nan]
        )

    @pytest.mark.parametrize("count", [1, 7, 31, 513, 40_000])
    def test_convert_alike_whatever_their_number(self, count):
        x = gb.randn(count) * 100
        wide = x.numpy()

        np.testing.assert_array_equal(x.half().numpy(), wide.astype(np.float16))
        np.testing.assert_array_equal(x.half().float().numpy(), wide.astype(np.float16))
        bits = wide.view(np.uint32).astype(np.uint64)
        rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32)
        np.testing.assert_array_equal(x.bfloat16().float().numpy(), rounded.view(np.float32))

    @pytest.mark.parametrize("count", [1, 5, 700])
    def test_meet_numbers_that_are_not_rounded_before(self, count):
        for half in HALVES:
            x = gb.rand(count, dtype=half) + 1
            wide, strided = x.float(), gb.stack([x, x], 1)[:, 0]
            spread = x[:1].expand(count)

            for got, want in (
                (x * 0.1, wide * 0.1),
                (0.1 - x, 0.1 - wide),
                (strided / 0.3, wide / 0.3),
                (x**0.7, wide**0.7),
                (0.7**x, 0.7**wide),
                (spread * 0.1, wide[:1].expand(count) * 0.1),
                (0.1 / spread, 0.1 / wide[:1].expand(count)),
                (x.clone().mul_(0.1), wide * 0.1),
            ):
                assert gb.equal(got, want.to(half))
            assert (gb.full((count,), 0.1, dtype=half) == 0.1).all().item()  # but to be compared

    @pytest.mark.parametrize("dtype", HALVES, ids=str)
    @pytest.mark.parametrize("weight", [0.999, 0.3, 70000.0])
    def test_move_by_numbers_that_are_not_rounded_before(self, dtype, weight):
        x, y = (gb.tensor([1.0, -2.5, 0.0], dtype=dtype), gb.tensor([3.0, 4.0, 0.1], dtype=dtype))
        expected = x.float().lerp(y.float(), weight).to(dtype)
        leaf = x.clone().requires_grad_()

        leaf.lerp(y, weight).sum().backward()

        assert gb.equal(x.lerp(y, weight), expected)
        assert gb.equal(gb.lerp(x, y, weight, out=gb.empty(3, dtype=dtype)), expected)
        assert gb.equal(x.clone().lerp_(y, weight), expected)
        assert leaf.grad.tolist() == [gb.tensor(1 - weight).to(dtype).item()] * 3
        assert x.lerp(y.float(), 0.5).dtype == gb.float32

    def test_multiply_matrices_in_float32(self):
        for half in HALVES:
            for sizes in ((1, 3, 1), (2, 300, 5), (33, 65, 70), (1, 40, 1)):
                m, k, n = sizes
                a, b = gb.randn(m, k, dtype=half), gb.randn(n, k, dtype=half)
                bias = gb.randn(n, dtype=half)
                wide = a.float() @ b.float().T

                for got, want in (
                    (a @ b.T, wide),
                    (a @ b.T.contiguous(), wide),
                    (a.T.contiguous().T @ b.T, wide),
                    (gb.nn.functional.linear(a, b, bias), wide + bias.float()),
                    (a.reshape(1, m, k).expand(3, m, k) @ b.T, wide.expand(3, m, n)),
                ):
                    assert got.dtype == half
                    error = (got.float() - want).abs().max().item()
                    assert error <= EPS[half] * want.abs().max().item()

    def test_slide_windows_in_float32_and_attend_near_it(self):
        nn = gb.nn.functional
        for half in HALVES:
            x, w = gb.randn(2, 4, 9, dtype=half), gb.randn(6, 4, 3, dtype=half)
            for run in (
                lambda x, w: nn.conv1d(x, w, padding=1),
                lambda x, w: nn.conv_transpose1d(x, w.transpose(0, 1), stride=2),
                lambda x, w: nn.max_pool1d(x, 3),
                lambda x, w: nn.avg_pool1d(x, 2),
                lambda x, w: nn.adaptive_avg_pool1d(x, 4),
                lambda x, w: nn.interpolate(x, scale_factor=2.0, mode="linear"),
            ):
                got, want = run(x, w), run(x.float(), w.float())

                assert got.dtype == half
                assert gb.equal(got, want.to(half))
            attended = nn.scaled_dot_product_attention(x, x, x)
            wide = nn.scaled_dot_product_attention(*[x.float()] * 3)
            assert attended.dtype == half
            gb.testing.assert_close(attended.float(), wide, rtol=0.02, atol=0.02)
            w.requires_grad_()
            nn.conv1d(x, w).sum().backward()
            assert w.grad.dtype == half

    def test_sort_scatter_and_run_along_dims_as_float32_does(self):
        for half in HALVES:
            x = gb.randn(3, 40, dtype=half)
            x[0, 3] = math.nan
            index = gb.randint(0, 5, (3, 40))
            for run in (
                lambda x: x.sort(1)[1],
                lambda x: x.sort(1, descending=True)[0],
                lambda x: x.topk(7, 1)[1],
                lambda x: x.median(1)[1],
                lambda x: x.cumprod(1),
                lambda x: x.cummax(1)[1],
                lambda x: x.logcumsumexp(1),
                partial(amax_by, index),
            ):
                got, want = run(x), run(x.float())

                np.testing.assert_array_equal(
                    got.double().numpy(), want.to(got.dtype).double().numpy()
                )

    def test_are_drawn_from_every_distribution(self):
        for half in HALVES:
            gb.manual_seed(5)
            units = gb.rand(4000, dtype=half)
            numbers = gb.empty(4000, dtype=half).uniform_(-3, 3)
            normal = gb.randn(4000, dtype=half)
            whole = gb.randint(0, 100, (4000,), dtype=half)

            assert 0 <= units.min().item() < 0.01
            assert 0.98 < units.max().item() < 1  # never 1, however few digits there are
            assert -3 <= numbers.min().item() < -2.9
            assert 2.9 < numbers.max().item() < 3
            assert abs(units.float().mean().item() - 0.5) < 0.02
            assert abs(normal.float().mean().item()) < 0.05
            assert abs(normal.float().std().item() - 1) < 0.05
            assert gb.equal(whole, whole.float().floor().to(half))

    def test_train_a_layer_as_float32_does(self):
        for half in HALVES:
            gb.manual_seed(3)
            layer = gb.nn.Sequential(gb.nn.Linear(8, 16), gb.nn.ReLU(), gb.nn.LayerNorm(16))
            layer.to(half)
            optimizers = gb.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
            x, y = gb.randn(32, 8, dtype=half), gb.randint(0, 16, (32,))
            losses = []
            for _ in range(20):
                loss = gb.nn.functional.cross_entropy(layer(x), y)
                optimizers.zero_grad()
                loss.backward()
                optimizers.step()
                losses.append(loss.item())

            assert loss.dtype == half
            assert all(p.dtype == p.grad.dtype == half for p in layer.parameters())
            assert losses[-1] < 0.7 * losses[0]

    def test_take_steps_that_are_rounded_once(self):
        for half in HALVES:
            for make in (
                lambda p: gb.optim.SGD(p, lr=0.1, weight_decay=0.1),
                lambda p: gb.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
                lambda p: gb.optim.Adam(p, lr=0.1, weight_decay=0.1),
                lambda p: gb.optim.AdamW(p, lr=0.1),
            ):
                start = gb.randn(2000, dtype=half)
                slope = gb.randn(2000, dtype=half)
                narrow, wide = gb.nn.Parameter(start), gb.nn.Parameter(start.float())
                narrow.grad, wide.grad = slope, slope.float()

                make([narrow]).step()
                make([wide]).step()

                assert gb.equal(narrow.detach(), wide.detach().to(half))

    def test_leave_nothing_behind(self):
        with gb.leaks.no_leaks():
            x = gb.randn(64, 64, dtype=gb.bfloat16).requires_grad_()
            gb.nn.functional.softmax(x @ x.T, 1).sum().backward()
            del x

    def test_of_bfloat16_have_no_array(self):
        x = gb.tensor([1.5, -2.0], dtype=gb.bfloat16)

        with pytest.raises(gb.DTypeError, match=r"^numpy: .*bfloat16.*: x\.float\(\)\.numpy\(\)$"):
            x.numpy()
        with pytest.raises(
            gb.DTypeError, match=r"^buffer: a tensor of dtype bfloat16, .*float\(\)"
        ):
            memoryview(x)
        assert x.tolist() == [1.5, -2.0]
        assert x[0].item() == 1.5
        assert repr(x) == "tensor([ 1.5000, -2.0000], dtype=garboard.bfloat16)"

    def test_are_pickled_saved_and_copied_to_the_bit(self):
        for half in HALVES:
            x = gb.randn(3, 2, dtype=half)
            file = io.BytesIO()
            gb.save({"x": x}, file)
            file.seek(0)

            for copied in (
                pickle.loads(pickle.dumps(x, protocol=2)),
                pickle.loads(pickle.dumps(x, protocol=5)),
                gb.load(file)["x"],
                copy.deepcopy(x),
            ):
                assert copied.dtype == half
                assert copied.tolist() == x.tolist()


class TestSmallIntegers:
    @pytest.mark.parametrize("row", OF_INTEGERS, ids=attrgetter("name"))
    def test_give_what_int64_does_wrapped(self, row):
        for dtype in (gb.int8, gb.int16):
            for case in row.cases[:4]:
                arrays = row.arrays(case, "int8", seed=33)
                narrow = [x.to(dtype) if x.dtype == gb.int8 else x for x in map(gb.tensor, arrays)]
                wide = [x.long() if x.dtype == dtype else x for x in narrow]

                got, want = (outputs(row.call(*given, case=case)) for given in (narrow, wide))

                for one, other in zip(got, want, strict=True):
                    expected = dtype if row.result("int8") == "int8" else other.dtype
                    assert one.dtype in (expected, other.dtype)
                    np.testing.assert_array_equal(one.tolist(), other.to(one.dtype).tolist())

    def test_wrap_at_their_ends(self):
        x = gb.tensor([127, -128], dtype=gb.int8)
        y = gb.tensor([32767, -32768], dtype=gb.int16)

        assert (x + 1).tolist() == [-128, -127]
        assert (-x).tolist() == [-127, -128]
        assert x.abs().tolist() == [127, -128]
        assert (y * y).tolist() == [1, 0]
        assert (y @ y).item() == 1
        assert (y // -1).tolist() == [-32767, -32768]
        assert gb.tensor([300, -129]).char().tolist() == [44, 127]
        assert gb.tensor([70_000, -32_769]).short().tolist() == [4464, 32767]
        assert gb.tensor([-1.5, 200.0]).char().tolist() == [-1, -56]

    def test_go_to_arrays_and_back(self):
        for dtype in (np.int8, np.int16, np.float16):
            array = np.arange(-3, 3).astype(dtype)
            x = gb.from_numpy(array)
            x[0] = 5

            assert array[0] == 5
            assert x.dtype == getattr(gb, np.dtype(dtype).name)
            assert gb.tensor(array).tolist() == array.tolist()
            assert gb.ones(2, dtype=x.dtype).numpy().dtype == dtype
