"""First values of parameters: ranges, deviations, and what is refused."""

from __future__ import annotations

import math

import garboard as gb
import numpy as np
import pytest
from garboard.nn import Parameter, init

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

OUT, IN = 300, 200


def drawn(fill, *arguments, **named) -> np.ndarray:
    gb.manual_seed(11)
    weight = Parameter(gb.empty(OUT, IN, dtype=gb.float64))
    assert fill(weight, *arguments, **named) is weight
    assert weight.is_leaf
    return weight.detach().numpy()


@pytest.mark.parametrize(
    ("fill", "named", "bound"),
    [
        (init.uniform_, {"a": -2.0, "b": 2.0}, 2.0),
        (init.xavier_uniform_, {"gain": 2.0}, 2 * math.sqrt(6 / (IN + OUT))),
        (init.kaiming_uniform_, {"nonlinearity": "relu"}, math.sqrt(6 / IN)),
        (init.kaiming_uniform_, {"a": math.sqrt(5)}, 1 / math.sqrt(IN)),
        (init.kaiming_uniform_, {"mode": "fan_out", "nonlinearity": "linear"}, math.sqrt(3 / OUT)),
    ],
    ids=["uniform", "xavier", "kaiming", "default", "fan_out"],
)
def test_uniform_draws_fill_their_range(fill, named, bound):
    values = drawn(fill, **named)

    assert np.abs(values).max() <= bound
    assert np.abs(values).max() > 0.99 * bound
    assert values.mean() == pytest.approx(0, abs=0.02 * bound)


@pytest.mark.parametrize(
    ("fill", "named", "mean", "deviation"),
    [
        (init.normal_, {"mean": 3.0, "std": 2.0}, 3.0, 2.0),
        (init.xavier_normal_, {}, 0.0, math.sqrt(2 / (IN + OUT))),
        (init.kaiming_normal_, {"nonlinearity": "relu"}, 0.0, math.sqrt(2 / IN)),
    ],
    ids=["normal", "xavier", "kaiming"],
)
def test_normal_draws_have_their_deviation(fill, named, mean, deviation):
    values = drawn(fill, **named)

    assert values.mean() == pytest.approx(mean, abs=0.02 * deviation)
    assert values.std() == pytest.approx(deviation, rel=0.02)


def test_constants():
    assert (drawn(init.constant_, 0.5) == 0.5).all()
    assert (drawn(init.ones_) == 1).all()
    assert (drawn(init.zeros_) == 0).all()


def test_further_dims_widen_the_fans():
    weight = gb.empty(8, 4, 3, 3)

    init.kaiming_uniform_(weight, nonlinearity="relu")

    assert weight.abs().max().item() <= math.sqrt(6 / (4 * 9))
    assert weight.abs().max().item() > 0.9 * math.sqrt(6 / (4 * 9))


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("linear", None, 1),
        ("sigmoid", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("selu", None, 0.75),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
        ("leaky_relu", 2.0, math.sqrt(2 / 5)),
    ],
)
def test_gains_are_pytorchs(name, param, gain):
    assert init.calculate_gain(name, param) == pytest.approx(gain, rel=1e-15)


def test_bad_arguments_are_refused_and_nothing_is_written():
    weight = gb.ones(2, 2)

    with pytest.raises(ValueError, match="calculate_gain: nonlinearity 'gelu'; 'linear', 'sigmoid"):
        init.kaiming_normal_(weight, nonlinearity="gelu")
    with pytest.raises(ValueError, match="calculate_gain: nonlinearity of type ndarray; 'linear',"):
        init.kaiming_normal_(weight, nonlinearity=np.ones(2))
    with pytest.raises(TypeError, match="calculate_gain: param is of type str; a number is needed"):
        init.calculate_gain("leaky_relu", "0.1")
    with pytest.raises(ValueError, match="kaiming_uniform_: mode 'fan'; 'fan_in' or 'fan_out'"):
        init.kaiming_uniform_(weight, mode="fan")
    with pytest.raises(gb.ShapeError, match=r"xavier_uniform_: a tensor of sizes \[2\]; 2 or more"):
        init.xavier_uniform_(weight[0])
    with pytest.raises(gb.ShapeError):
        init.uniform_(weight, 1.0, -1.0)
    with pytest.raises(gb.DTypeError):
        init.normal_(gb.arange(3))

    assert weight.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_tensor_without_elements_is_left_as_it_is():
    assert init.kaiming_uniform_(gb.empty(2, 0)).shape == (2, 0)
    assert init.xavier_normal_(gb.empty(0, 0)).shape == (0, 0)


class TestPrivateNames:
    def test_fans_are_told_under_the_names_that_programs_import(self):
        weight = gb.zeros(8, 4, 3, 5)

        assert gb.nn.init._calculate_fan_in_and_fan_out(weight) == (60, 120)
        assert gb.nn.init._calculate_correct_fan(weight, "FAN_OUT") == 120
        with pytest.raises(gb.ShapeError, match=r"_calculate_fan_in_and_fan_out: a tensor of si"):
            gb.nn.init._calculate_fan_in_and_fan_out(gb.zeros(2))
        with pytest.raises(ValueError, match="_calculate_correct_fan: mode 'fan'"):
            gb.nn.init._calculate_correct_fan(weight, "fan")

    def test_each_fills_a_leaf_in_place(self):
        weight = gb.zeros(3, requires_grad=True)

        assert gb.nn.init._no_grad_fill_(weight, 2.0) is weight
        assert gb.nn.init._no_grad_normal_(weight, 5.0, 0.0).tolist() == [5.0] * 3
        assert gb.nn.init._no_grad_uniform_(weight, 1.0, 2.0).amin().item() >= 1
        assert gb.nn.init._no_grad_trunc_normal_(weight, 0.0, 1.0, -0.5, 0.5).amax().item() <= 0.5
        assert gb.nn.init._no_grad_zero_(weight).tolist() == [0.0] * 3


class TestOlderNames:
    @pytest.mark.parametrize(
        ("name", "given"),
        [
            ("normal", (1.0, 0.0)),
            ("uniform", (1.0, 1.0)),
            ("constant", (1.0,)),
            ("ones", ()),
            ("xavier_normal", ()),
            ("kaiming_uniform", ()),
            ("orthogonal", ()),
        ],
    )
    def test_warn_and_do_what_the_new_ones_do(self, name, given):
        older, newer = gb.empty(3, 3), gb.empty(3, 3)
        gb.manual_seed(3)
        getattr(init, f"{name}_")(newer, *given)
        gb.manual_seed(3)

        with pytest.warns(FutureWarning, match=f"init.{name} is the older name of .*{name}_") as it:
            found = getattr(init, name)(older, *given)

        assert found is older
        assert gb.equal(older, newer)
        assert it[0].filename == __file__

    def test_clip_gradients_too(self):
        x = Parameter(gb.ones(4))
        x.sum().backward()

        with pytest.warns(FutureWarning, match="clip_grad_norm_"):
            norm = gb.nn.utils.clip_grad_norm([x], 1.0)

        assert norm.item() == 2.0
        assert x.grad.norm().item() == pytest.approx(1.0)


@pytest.mark.parametrize("fill", [init.uniform_, init.kaiming_uniform_, init.xavier_uniform_])
def test_uniform_numbers_fill_both_parts_of_complex_ones(fill):
    x = gb.nn.Parameter(gb.zeros(40, 50, dtype=gb.complex64))

    assert fill(x) is x
    for part in (x.real, x.imag):
        assert part.std() > 0.01
    layer = gb.nn.Linear(3, 2, dtype=gb.complex64)
    assert layer(gb.ones(3, dtype=gb.complex64)).dtype == gb.complex64
