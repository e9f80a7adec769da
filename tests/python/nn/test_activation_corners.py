"""Activations at their corners and beyond all numbers: slopes are PyTorch's."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

F = gb.nn.functional
INF, NAN = float("inf"), float("nan")

# What, at these places, and the slopes there.
CORNERS = {
    "hardswish": (F.hardswish, [-4.0, -3.0, 0.0, 3.0, 4.0], [0.0, 0.0, 0.5, 1.0, 1.0]),
    "hardsigmoid": (F.hardsigmoid, [-3.0, 0.0, 3.0], [0.0, 1 / 6, 0.0]),
    "hardtanh": (F.hardtanh, [-1.0, 0.0, 1.0, NAN], [0.0, 1.0, 0.0, 1.0]),
    "relu6": (F.relu6, [0.0, 3.0, 6.0], [0.0, 1.0, 0.0]),
    "leaky_relu": (F.leaky_relu, [-1.0, 0.0, 1.0], [0.01, 0.01, 1.0]),
    "elu": (lambda x: F.elu(x, 0.5), [-INF, -99.0, 0.0, 1.0, INF, NAN], [0, 0, 0.5, 1, 1, 1]),
    "softshrink": (F.softshrink, [-1.0, 0.5, 1.0, NAN], [1.0, 0.0, 1.0, 1.0]),
    "hardshrink": (F.hardshrink, [-1.0, 0.5, 1.0, NAN], [1.0, 0.0, 1.0, 1.0]),
    "mish": (F.mish, [-INF, 0.0, INF], [0.0, 0.6, 1.0]),
    "logsigmoid": (F.logsigmoid, [-INF, 0.0, INF], [1.0, 0.5, 0.0]),
    "softplus": (F.softplus, [-INF, 0.0, 30.0, INF], [0.0, 0.5, 1.0, 1.0]),
    "huber": (
        lambda x: F.huber_loss(x, gb.zeros_like(x), "none", 2.0),
        [-9.0, -2.0, 1.0, INF],
        [-2.0, -2.0, 1.0, 2.0],
    ),
    "nan_to_num": (gb.nan_to_num, [-INF, 1.0, INF, NAN], [0.0, 1.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64], ids=str)
@pytest.mark.parametrize("name", CORNERS)
def test_slopes_at_corners_are_pytorchs(name, dtype):
    function, places, slopes = CORNERS[name]
    x = gb.tensor(places, dtype=dtype, requires_grad=True)

    function(x).backward(gb.ones_like(x))

    gb.testing.assert_close(x.grad, gb.tensor(slopes, dtype=dtype), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16], ids=str)
def test_what_is_as_far_as_the_bound_in_its_own_dtype_is_near(dtype):
    x = gb.tensor([0.3, -0.3, 0.6], dtype=dtype)

    assert F.hardshrink(x, 0.3).tolist()[:2] == [0.0, 0.0]
    assert F.softshrink(x, 0.3).tolist()[:2] == [0.0, 0.0]
    assert F.hardshrink(x, 0.3)[2] == x[2]


@pytest.mark.parametrize(
    "name",
    [
        *("hardswish", "mish", "hardsigmoid", "leaky_relu", "elu", "selu", "celu"),
        *("softplus", "logsigmoid"),
    ],
)
def test_slopes_of_slopes_are_differences(name):
    function = getattr(F, name)
    x = gb.tensor([-3.5, -2.0, -0.5, 0.7, 2.9, 3.5], dtype=gb.float64, requires_grad=True)

    assert gb.autograd.gradcheck(function, [x])
    assert gb.autograd.gradgradcheck(function, [x])


@pytest.mark.parametrize("count", [1, 7, 1031])
@pytest.mark.parametrize("name", CORNERS)
def test_half_types_are_computed_in_float(name, count):
    function, _, _ = CORNERS[name]
    x = (gb.arange(count) * 0.37 - count * 0.18).to(gb.bfloat16)

    gb.testing.assert_close(function(x), function(x.float()).to(gb.bfloat16))


@pytest.mark.parametrize("name", ["elu", "mish", "softplus"])
def test_the_input_alone_is_kept(name):
    x = gb.ones(1 << 16, requires_grad=True)
    before = gb.memory.memory_allocated()

    y = getattr(F, name)(x)

    assert gb.memory.memory_allocated() - before == y.nbytes


def test_the_end_of_softplus_is_no_negative_zero():
    assert not F.softplus(gb.tensor([-INF, -1e4])).signbit().any()


class TestGlu:
    @pytest.mark.parametrize("dim", [0, 1, -1])
    @pytest.mark.parametrize("count", [2, 40, 600])
    def test_is_one_half_times_the_logistic_function_of_the_other(self, dim, count, no_leaks):
        gb.manual_seed(0)
        x = gb.randn(count, 4, count, dtype=gb.float64).transpose(0, 2).requires_grad_()
        weight = gb.randn(F.glu(x, dim).shape, dtype=gb.float64)

        (F.glu(x, dim) * weight).sum().backward()

        found, y = x.grad, x.detach().requires_grad_()
        value, gate = y.chunk(2, dim)
        (value * gate.sigmoid() * weight).sum().backward()
        gb.testing.assert_close(found, y.grad, rtol=1e-12, atol=1e-12)

    def test_can_be_differentiated_again(self):
        gb.manual_seed(0)
        x = gb.randn(3, 4, dtype=gb.float64, requires_grad=True)

        assert gb.autograd.gradcheck(lambda it: F.glu(it, 1), x)
        assert gb.autograd.gradgradcheck(lambda it: F.glu(it, 1), x)

    @pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16, gb.float32], ids=str)
    def test_ends_where_its_gate_is_infinite(self, dtype):
        x = gb.tensor([[2.0, 2.0, -INF, INF], [2.0, 2.0, -1e4, 1e4]], dtype=dtype)
        x.requires_grad_()

        F.glu(x).sum().backward()

        assert F.glu(x).tolist() == [[0.0, 2.0]] * 2
        assert x.grad.tolist() == [[0.0, 1.0, 0.0, 0.0]] * 2

    def test_keeps_nothing_but_its_input(self):
        x = gb.randn(2, 1 << 16, requires_grad=True)

        before = gb.memory.memory_allocated()
        y = F.glu(x)

        assert gb.memory.memory_allocated() - before == y.nbytes

    @pytest.mark.parametrize(
        ("make", "dim", "error"),
        [
            (lambda: gb.ones(2, 3), 1, gb.ShapeError),
            (lambda: gb.tensor(1.0), 0, gb.ShapeError),
            (lambda: gb.ones(2, 2), 2, IndexError),
            (lambda: gb.ones(2, 2, dtype=gb.int64), 0, gb.DTypeError),
            (lambda: gb.ones(2, 2, dtype=gb.complex64), 0, gb.DTypeError),
        ],
    )
    def test_refuses_what_has_no_halves(self, make, dim, error):
        with pytest.raises(error, match=r"^glu: .*; "):
            F.glu(make(), dim)


@pytest.mark.parametrize("dtype", [gb.int8, gb.int16, gb.int32, gb.int64])
def test_integers_are_cut_off_at_bounds_that_they_hold(dtype):
    x = gb.tensor([-100, -2, 0, 3, 100], dtype=dtype)

    assert F.hardtanh(x, -1.5, 2.5).tolist() == [-1, -1, 0, 2, 2]
    assert F.hardtanh(x, -INF, 1e30).tolist() == x.tolist()
    assert F.relu6(x).tolist() == [0, 0, 0, 3, 6]
    assert F.relu6(x).dtype == dtype
    assert F.hardtanh(gb.tensor([0, 9], dtype=gb.uint8), -1.0, 1.0).tolist() == [0, 1]
