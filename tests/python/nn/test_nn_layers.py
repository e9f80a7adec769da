"""Layers, losses and nn.functional against NumPy, with their gradients."""

from __future__ import annotations

import math
import warnings

import garboard as gb
import numpy as np
import pytest
from garboard import nn
from garboard.nn import functional

from tests.support.finite_differences import check_first_order, check_second_order
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

X = np.random.default_rng(3).normal(size=(4, 3))
UP = np.random.default_rng(4).normal(size=(4, 3))


def leaf(array: np.ndarray) -> gb.Tensor:
    return gb.tensor(array, dtype=gb.float64).requires_grad_()


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


SHARE = np.vectorize(math.erfc)(-X / math.sqrt(2)) / 2
ROOT = math.sqrt(2 / math.pi)
TANH_SHARE = (1 + np.tanh(ROOT * (X + 0.044715 * X**3))) / 2
SIGMOID = 1 / (1 + np.exp(-X))
LAYERS = [
    (nn.ReLU(), np.maximum(X, 0), UP * (X > 0)),
    (nn.Tanh(), np.tanh(X), UP * (1 - np.tanh(X) ** 2)),
    (nn.Sigmoid(), SIGMOID, UP * SIGMOID * (1 - SIGMOID)),
    (nn.GELU(), X * SHARE, UP * (SHARE + X * np.exp(-(X**2) / 2) / math.sqrt(2 * math.pi))),
    (
        nn.GELU(approximate="tanh"),
        X * TANH_SHARE,
        UP * (TANH_SHARE + X * TANH_SHARE * (1 - TANH_SHARE) * 2 * ROOT * (1 + 0.134145 * X**2)),
    ),
    (nn.Identity(1, anything=2), X, UP),
    (
        nn.Softmax(dim=1),
        softmax(X, 1),
        softmax(X, 1) * (UP - (UP * softmax(X, 1)).sum(1, keepdims=True)),
    ),
    (
        nn.LogSoftmax(dim=0),
        np.log(softmax(X, 0)),
        UP - softmax(X, 0) * UP.sum(0, keepdims=True),
    ),
]


@pytest.mark.parametrize(("layer", "value", "gradient"), LAYERS, ids=lambda it: repr(it)[:12])
def test_a_layer_agrees_with_numpy(layer, value, gradient):
    x = leaf(X)

    result = layer(x)
    result.backward(gb.tensor(UP))

    np.testing.assert_allclose(result.detach().numpy(), value, rtol=1e-12)
    np.testing.assert_allclose(x.grad.numpy(), gradient, rtol=1e-11, atol=1e-14)


class TestLinear:
    def test_it_agrees_with_numpy(self):
        layer = nn.Linear(3, 2, dtype=gb.float64)
        up = np.arange(8.0).reshape(4, 2)
        x = leaf(X)

        result = layer(x)
        result.backward(gb.tensor(up))

        weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()
        np.testing.assert_allclose(result.detach().numpy(), X @ weight.T + bias, rtol=1e-12)
        np.testing.assert_allclose(x.grad.numpy(), up @ weight, rtol=1e-12)
        np.testing.assert_allclose(layer.weight.grad.numpy(), up.T @ X, rtol=1e-12)
        np.testing.assert_allclose(layer.bias.grad.numpy(), up.sum(0), rtol=1e-12)

    def test_it_keeps_further_dims(self):
        assert nn.Linear(3, 2)(gb.ones(5, 4, 3)).shape == (5, 4, 2)

    def test_without_bias(self):
        layer = nn.Linear(3, 2, bias=False)

        assert layer.bias is None
        assert layer(gb.zeros(1, 3)).tolist() == [[0.0, 0.0]]
        assert repr(layer) == "Linear(in_features=3, out_features=2, bias=False)"

    def test_it_starts_as_pytorchs_does(self):
        gb.manual_seed(5)
        layer = nn.Linear(400, 300)
        bound = 1 / math.sqrt(400)

        for parameter in (layer.weight, layer.bias):
            values = parameter.detach().numpy()
            assert np.abs(values).max() <= bound
            assert values.std() == pytest.approx(bound / math.sqrt(3), rel=0.1)

    def test_a_seed_starts_it_alike(self):
        gb.manual_seed(9)
        first = nn.Linear(3, 2).weight.tolist()
        gb.manual_seed(9)

        assert nn.Linear(3, 2).weight.tolist() == first

    def test_other_features_are_refused(self):
        layer = nn.Linear(3, 2)

        with pytest.raises(gb.ShapeError, match="linear"):
            layer(gb.ones(1, 4))

    def test_a_negative_size_is_refused(self):
        with pytest.raises(gb.ShapeError):
            nn.Linear(-1, 2)

    def test_no_features_at_all_are_allowed(self):
        layer = nn.Linear(0, 2)

        assert layer.weight.shape == (2, 0)
        assert layer.bias.shape == (2,)


class TestLayerNorm:
    def test_its_parameters_get_their_gradients(self):
        layer = nn.LayerNorm(3, dtype=gb.float64)
        x = leaf(X)

        layer(x).backward(gb.tensor(UP))

        normal = (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(layer.weight.grad.numpy(), (UP * normal).sum(0), rtol=1e-10)
        np.testing.assert_allclose(layer.bias.grad.numpy(), UP.sum(0), rtol=1e-12)
        assert x.grad.shape == (4, 3)

    @pytest.mark.parametrize("has_weight", [True, False])
    def test_without_weight_or_bias_its_slope_is_that_of_finite_differences(self, has_weight):
        def op(x: gb.Tensor, parameter: gb.Tensor) -> gb.Tensor:
            return functional.layer_norm(
                x, [3], *((parameter,) if has_weight else (None, parameter))
            )

        check_first_order(op, [X, X[0]])
        check_second_order(op, [X, X[0]])

    def test_it_starts_as_the_identity_of_what_is_normal(self):
        layer = nn.LayerNorm((2, 3))

        assert layer.weight.tolist() == [[1.0] * 3] * 2
        assert layer.bias.tolist() == [[0.0] * 3] * 2
        assert repr(layer) == "LayerNorm((2, 3), eps=1e-05, elementwise_affine=True, bias=True)"
        assert nn.LayerNorm(3, elementwise_affine=False).weight is None
        assert nn.LayerNorm(3, bias=False).bias is None

    def test_strided_inputs_are_read_as_they_are(self):
        x = gb.tensor(X)

        result = nn.LayerNorm(4, elementwise_affine=False)(x.T)

        expected = (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5)
        np.testing.assert_allclose(result.numpy(), expected.T, rtol=1e-12)

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            (([4],), gb.ShapeError, r"input of sizes \[2, 3\] and normalized_shape \[4\]; it must"),
            (([],), gb.ShapeError, r"input of sizes \[2, 3\] and normalized_shape \[\]; .+"),
            (([3], np.ones(2, "f4")), gb.ShapeError, r"weight of sizes \[2\]; \[3\] are needed"),
            (([3], None, np.ones(3)), gb.DTypeError, "bias of dtype float64, input of"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, arguments, error, message):
        sizes, *parameters = arguments
        tensors = [None if array is None else gb.tensor(array) for array in parameters]

        with pytest.raises(error, match=f"^layer_norm: {message}"):
            functional.layer_norm(gb.ones(2, 3), sizes, *tensors)


class TestDropout:
    def test_it_zeroes_and_scales_while_training(self):
        gb.manual_seed(2)
        x = leaf(np.ones((100, 100)))

        result = nn.Dropout(0.25)(x)
        result.sum().backward()

        values = result.detach().numpy()
        np.testing.assert_allclose(np.unique(values), [0, 4 / 3])
        assert (values == 0).mean() == pytest.approx(0.25, abs=0.02)
        np.testing.assert_array_equal(x.grad.numpy(), values)

    def test_after_eval_it_passes_its_input_on_as_another_alias(self):
        x = gb.ones(3)

        result = nn.Dropout().eval()(x)
        result.dispose()

        assert x.tolist() == [1.0, 1.0, 1.0]

    @pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
    def test_a_probability_out_of_range_is_refused(self, p):
        with pytest.raises(ValueError, match=r"Dropout: p .*; it must lie in \[0, 1\]"):
            nn.Dropout(p)


class TestFlatten:
    def test_it_keeps_the_batch(self):
        assert nn.Flatten()(gb.ones(2, 3, 4)).shape == (2, 12)
        assert nn.Flatten(0, 1)(gb.ones(2, 3, 4)).shape == (6, 4)

    def test_it_is_a_view_where_it_can(self):
        x = gb.zeros(2, 3, 4)

        nn.Flatten()(x).fill_(1)

        assert x.sum().item() == 24


class TestLosses:
    TARGETS = np.array([0, 2, 1, 2])

    def test_cross_entropy_agrees_with_numpy(self):
        logits = leaf(X)

        loss = nn.CrossEntropyLoss()(logits, gb.tensor(self.TARGETS))
        loss.backward()

        p = softmax(X, 1)
        one_hot = np.eye(3)[self.TARGETS]
        assert loss.item() == pytest.approx(-np.log(p[range(4), self.TARGETS]).mean(), rel=1e-12)
        np.testing.assert_allclose(logits.grad.numpy(), (p - one_hot) / 4, rtol=1e-11)

    @pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
    @pytest.mark.parametrize("smoothing", [0.0, 0.3])
    def test_weights_have_the_slope_of_finite_differences(self, reduction, smoothing):
        weight = gb.tensor([0.5, 2.0, 1.5], dtype=gb.float64)
        loss = nn.CrossEntropyLoss(
            weight, reduction=reduction, label_smoothing=smoothing, ignore_index=1
        )
        targets = gb.tensor(self.TARGETS)

        check_first_order(lambda logits: loss(logits, targets), [X])
        check_second_order(lambda logits: loss(logits, targets), [X])

    def test_the_mean_counts_each_row_as_its_targets_weight(self):
        weight = np.array([0.5, 2.0, 1.5])
        loss = nn.CrossEntropyLoss(gb.tensor(weight), label_smoothing=0.2)

        result = loss(gb.tensor(X), gb.tensor(self.TARGETS))

        minus_logs, counts = -np.log(softmax(X, 1)), weight[self.TARGETS]
        own = 0.8 * counts * minus_logs[range(4), self.TARGETS]
        even = 0.2 / 3 * (minus_logs * weight).sum(1)
        assert result.item() == pytest.approx((own + even).sum() / counts.sum(), rel=1e-12)
        assert list(loss.state_dict()) == ["weight"]

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"weight": (4, "float32")}, gb.ShapeError, r"weight of sizes \[4\]; \[3\], one for"),
            ({"weight": (3, "float64")}, gb.DTypeError, "weight of dtype float64, logits"),
            ({"label_smoothing": 1.5}, gb.ShapeError, "label_smoothing 1.5; 0 to 1 is needed"),
            ({"label_smoothing": math.nan}, gb.ShapeError, "label_smoothing nan; 0 to 1"),
        ],
    )
    def test_options_that_do_not_fit_are_refused(self, options, error, message):
        if "weight" in options:
            count, dtype = options["weight"]
            options = {"weight": gb.ones(count, dtype=getattr(gb, dtype))}

        with pytest.raises(error, match=f"^cross_entropy: {message}"):
            functional.cross_entropy(gb.ones(2, 3), gb.tensor([0, 1]), **options)

    def test_ignored_rows_do_not_count(self):
        logits, targets = gb.tensor(X), gb.tensor(self.TARGETS)

        loss = nn.CrossEntropyLoss(ignore_index=2)(logits, targets)

        kept = -np.log(softmax(X, 1)[[0, 2], [0, 1]]).mean()
        assert loss.item() == pytest.approx(kept, rel=1e-12)

    @pytest.mark.parametrize(
        ("reduction", "reduce"), [("mean", np.mean), ("sum", np.sum), ("none", np.asarray)]
    )
    def test_mse_agrees_with_numpy(self, reduction, reduce):
        x = leaf(X)

        loss = nn.MSELoss(reduction=reduction)(x, gb.tensor(UP))

        np.testing.assert_allclose(loss.detach().numpy(), reduce((X - UP) ** 2), rtol=1e-12)

    def test_an_unknown_reduction_is_refused(self):
        with pytest.raises(ValueError, match="'mean', 'sum' or 'none' is needed"):
            nn.MSELoss(reduction="median")
        with pytest.raises(ValueError, match="'mean', 'sum' or 'none' is needed"):
            nn.functional.mse_loss(gb.ones(1), gb.ones(1), reduction="median")

    def test_a_target_out_of_range_is_refused(self):
        with pytest.raises(gb.IndexOutOfRangeError, match="cross_entropy: the target of row 1"):
            nn.CrossEntropyLoss()(gb.zeros(2, 3), gb.tensor([0, 3]))


class TestFunctional:
    @pytest.mark.parametrize(("ndim", "picked"), [(1, 0), (2, 1), (3, 0), (4, 1)])
    @pytest.mark.parametrize("op", [functional.softmax, functional.log_softmax])
    def test_without_dim_one_is_picked_with_a_warning_at_the_callers_line(self, op, ndim, picked):
        x = gb.arange(16).double().reshape(*[2] * (ndim - 1), -1)

        with pytest.warns(UserWarning, match=rf"no dim is given and {picked} was picked") as seen:
            result = op(x)

        assert result.tolist() == op(x, dim=picked).tolist()
        assert seen[0].filename == __file__

    def test_a_layer_without_dim_warns_at_the_callers_line(self):
        with pytest.warns(UserWarning, match="1 was picked") as seen:
            nn.Sequential(nn.Softmax())(gb.ones(2, 2))

        assert seen[0].filename == __file__

    def test_with_dim_nothing_is_said(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            functional.softmax(gb.ones(2), 0)

    def test_relu_in_place_returns_its_input(self):
        x = gb.tensor([-1.0, 1.0])

        assert functional.relu(x, inplace=True) is x
        assert nn.ReLU(inplace=True)(x) is x
        assert x.tolist() == [0.0, 1.0]

    def test_it_offers_every_name_it_lists(self):
        assert all(callable(getattr(functional, name)) for name in functional.__all__)


def test_gelu_names_the_approximations_it_knows():
    with pytest.raises(ValueError, match=r"^gelu: approximate 'sigmoid'; 'none' or 'tanh' is"):
        functional.gelu(gb.ones(2), approximate="sigmoid")
    with pytest.raises(ValueError, match=r"^gelu: approximate None; .+"):
        functional.gelu(gb.ones(2), approximate=None)
    assert repr(nn.GELU("tanh")) == "GELU(approximate='tanh')"


@pytest.mark.parametrize("word", ["other", "\ud800", None, 3, ["mean"], "x" * 200])
def test_functions_and_layers_refuse_the_same_words_alike(word):
    x, target = gb.ones(2, 3), gb.tensor([0, 1])
    calls = [
        (lambda: functional.gelu(x, approximate=word), lambda: nn.GELU(word)),
        (lambda: functional.mse_loss(x, x, reduction=word), lambda: nn.MSELoss(reduction=word)),
        (
            lambda: functional.cross_entropy(x, target, reduction=word),
            lambda: nn.CrossEntropyLoss(reduction=word),
        ),
    ]
    for pair in calls:
        texts = []
        for call in pair:
            with pytest.raises(
                ValueError, match=r"^\w+: (approximate|reduction) .*; 'm?\w+'"
            ) as it:
                call()
            texts.append(str(it.value).partition(": ")[2][:90])
        assert texts[0] == texts[1]
