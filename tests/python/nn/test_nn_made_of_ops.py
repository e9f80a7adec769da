"""Layers and losses made of ops beside stored values of PyTorch's, with their gradients."""

from __future__ import annotations

import warnings
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import nn
from garboard.nn import functional

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

X = np.sin(np.arange(24.0) * 1.7).reshape(4, 6) * 3
Y = np.cos(np.arange(24.0) * 0.9).reshape(4, 6)
Z = np.sin(np.arange(24.0) * 0.4 + 1).reshape(4, 6)
UP = np.cos(np.arange(24.0) * 0.3).reshape(4, 6)
CLASSES = [3, 1, 0, 5]
LABELS = [[3, 0, -1, 1, 1, 1], [0, 1, 2, -1, 0, 0], [-1, 0, 0, 0, 0, 0], [5, 4, 3, 2, 1, -1]]

# A function, PyTorch 2.15's result and gradient, each weighed and summed.
ROWS: list[Any] = [
    (lambda x, y, z, c, m: functional.leaky_relu(x, 0.2), 0.970645132936, 1.00451259032),
    (lambda x, y, z, c, m: functional.relu6(x), 0.411117824465, 1.33248047744),
    (lambda x, y, z, c, m: functional.hardtanh(x, -0.5, 2.0), 0.297847355456, 1.47572672378),
    (lambda x, y, z, c, m: functional.threshold(x, 0.3, 7.0), 2.89566044439, 1.33248047744),
    (lambda x, y, z, c, m: functional.elu(x, 1.5), 1.64428171365, 1.15431084141),
    (lambda x, y, z, c, m: functional.celu(x, 1.5), 1.53815470022, 0.893544581271),
    (lambda x, y, z, c, m: functional.selu(x), 1.87731165124, 1.19121194017),
    (lambda x, y, z, c, m: functional.silu(x), 0.86517510973, 1.5246460096),
    (lambda x, y, z, c, m: functional.mish(x), 0.741732168903, 1.70704198309),
    (lambda x, y, z, c, m: functional.hardsigmoid(x), 0.26433512446, -0.0512264945505),
    (lambda x, y, z, c, m: functional.hardswish(x), 0.791059339995, 1.23858215881),
    (lambda x, y, z, c, m: functional.softplus(x * 9, 0.8, 5.0), 4.66614986136, 15.9459586575),
    (lambda x, y, z, c, m: functional.softplus(x * 0), -0.374933388338, 0),
    (lambda x, y, z, c, m: functional.logsigmoid(x * 20), 55.2582444959, -42.7773535206),
    (lambda x, y, z, c, m: functional.softsign(x), 0.359318404092, 0.437033052915),
    (lambda x, y, z, c, m: functional.tanhshrink(x), 2.8989241219, -0.345070524884),
    (lambda x, y, z, c, m: functional.softshrink(x), 3.17593411776, -0.644243737915),
    (lambda x, y, z, c, m: functional.hardshrink(x), 3.50647842748, -0.644243737915),
    (lambda x, y, z, c, m: functional.softmin(x, 1), -0.992875663095, -0.123017162141),
    (lambda x, y, z, c, m: functional.glu(x, 1), 5.08651934798, -1.94851100962),
    (lambda x, y, z, c, m: functional.prelu(x, z[0]), 0.956679333191, -0.0981692541169),
    (lambda x, y, z, c, m: functional.rrelu(x), 1.05224286542, 0.956683940115),
    (lambda x, y, z, c, m: functional.normalize(x), 0.610863231469, -0.0638765681761),
    (lambda x, y, z, c, m: functional.normalize(x, p=1.0, dim=0), 0.414668485509, -0.0587580030324),
    (lambda x, y, z, c, m: functional.cosine_similarity(x, y), 0.638957980381, 0.0123719580121),
    (
        lambda x, y, z, c, m: functional.pairwise_distance(x, y, 3.0),
        -0.879005664766,
        0.596750528045,
    ),
    (
        lambda x, y, z, c, m: functional.batch_norm(x, None, None, y[0], z[0], True),
        1.64850377027,
        0.0269015155411,
    ),
    (
        lambda x, y, z, c, m: functional.batch_norm(
            x.reshape(2, 3, 4), y[0, :3], z[0, :3].abs(), training=False
        ),
        0.419092152762,
        -0.371652082583,
    ),
    (
        lambda x, y, z, c, m: functional.group_norm(x, 2, y[0], z[0]),
        0.497065034426,
        0.0623709784767,
    ),
    (
        lambda x, y, z, c, m: functional.instance_norm(x.reshape(2, 3, 4)),
        1.61453351832,
        0.0790720421528,
    ),
    (lambda x, y, z, c, m: functional.rms_norm(x, [6], y[0]), -0.836238104267, 0.891810292021),
    (
        lambda x, y, z, c, m: functional.local_response_norm(x.reshape(2, 3, 4), 2, 0.5),
        1.13098082819,
        0.0129286076678,
    ),
    (
        lambda x, y, z, c, m: functional.cross_entropy(x, c, y[0].abs(), label_smoothing=0.1),
        3.4375166999,
        0.0791984246354,
    ),
    (
        lambda x, y, z, c, m: functional.cross_entropy(
            x.reshape(2, 6, 2), c.reshape(2, 2), ignore_index=1
        ),
        2.09387859539,
        0.11826043814,
    ),
    (
        lambda x, y, z, c, m: functional.cross_entropy(
            x.reshape(2, 6, 2), c.reshape(2, 2), reduction="none"
        ),
        7.64670381993,
        -0.348313811713,
    ),
    (lambda x, y, z, c, m: functional.cross_entropy(x[0], c[0]), 6.37455868041, -0.00481853081285),
    (
        lambda x, y, z, c, m: functional.cross_entropy(x, y.abs(), z[0].abs(), label_smoothing=0.2),
        9.3160893597,
        -0.211632554326,
    ),
    (
        lambda x, y, z, c, m: functional.cross_entropy(
            x.reshape(2, 6, 2), y.reshape(2, 6, 2), reduction="sum"
        ),
        4.58825928543,
        -1.39972524558,
    ),
    (lambda x, y, z, c, m: functional.nll_loss(x, c, y[0].abs()), 0.0150085084846, 0.174181602414),
    (
        lambda x, y, z, c, m: functional.nll_loss(
            x.reshape(2, 6, 2), c.reshape(2, 2), ignore_index=1
        ),
        -1.28551851134,
        0.102745136967,
    ),
    (
        lambda x, y, z, c, m: functional.nll_loss(x, c, reduction="none"),
        7.95477942738,
        0.0855380964615,
    ),
    (lambda x, y, z, c, m: functional.mse_loss(x, y), 4.98061997806, 0.0647805065586),
    (
        lambda x, y, z, c, m: functional.l1_loss(x, y, reduction="sum"),
        47.6135097241,
        -2.12143485165,
    ),
    (
        lambda x, y, z, c, m: functional.smooth_l1_loss(x, y, beta=0.7),
        1.63805286318,
        -0.062618750566,
    ),
    (lambda x, y, z, c, m: functional.huber_loss(x, y, delta=0.7), 1.14663700423, -0.0438331253962),
    (
        lambda x, y, z, c, m: functional.binary_cross_entropy(x.sigmoid(), y.abs(), z.abs()),
        0.982425901015,
        0.0100522692815,
    ),
    (
        lambda x, y, z, c, m: functional.binary_cross_entropy_with_logits(
            x * 9, y.abs(), z.abs(), pos_weight=z[0].abs()
        ),
        6.34819424133,
        -0.107292982388,
    ),
    (
        lambda x, y, z, c, m: functional.kl_div(x, y.abs(), reduction="batchmean"),
        1.02423992819,
        -0.453317521553,
    ),
    (
        lambda x, y, z, c, m: functional.kl_div(x, y, log_target=True),
        0.802669162316,
        -0.215617428268,
    ),
    (
        lambda x, y, z, c, m: functional.poisson_nll_loss(x, y.abs() * 3, full=True),
        7.21266286125,
        0.630156983558,
    ),
    (
        lambda x, y, z, c, m: functional.poisson_nll_loss(x.abs(), y.abs(), log_input=False),
        2.35279940354,
        -0.0801432839337,
    ),
    (
        lambda x, y, z, c, m: functional.gaussian_nll_loss(x, y, z.abs(), full=True),
        17.4681986805,
        -5.52410985131,
    ),
    (
        lambda x, y, z, c, m: functional.soft_margin_loss(x, y.sign()),
        1.30949641394,
        -0.0116271126919,
    ),
    (
        lambda x, y, z, c, m: functional.margin_ranking_loss(x, y, z.sign(), 0.3),
        1.12790261489,
        -0.27829970669,
    ),
    (
        lambda x, y, z, c, m: functional.hinge_embedding_loss(x, y.sign(), 1.5),
        0.731384879588,
        0.0845307340219,
    ),
    (
        lambda x, y, z, c, m: functional.cosine_embedding_loss(x, y, z[:, 0].sign(), 0.1),
        0.470995818683,
        -0.0248236534028,
    ),
    (
        lambda x, y, z, c, m: functional.multilabel_soft_margin_loss(x, y.abs(), z[0].abs()),
        1.10434709819,
        -0.0214773547846,
    ),
    (
        lambda x, y, z, c, m: functional.multi_margin_loss(x, c, p=2, weight=y[0].abs()),
        6.44500971916,
        -0.181173636437,
    ),
    (lambda x, y, z, c, m: functional.multilabel_margin_loss(x, m), 1.9348329418, -0.229411222514),
    (
        lambda x, y, z, c, m: functional.triplet_margin_loss(x, y, z, 2.0, swap=True),
        4.93357021381,
        0.045931207372,
    ),
    (
        lambda x, y, z, c, m: functional.triplet_margin_with_distance_loss(
            x, y, z, margin=3.0, reduction="none"
        ),
        -0.0900755494028,
        0.791548458684,
    ),
]


@pytest.mark.parametrize(("call", "value", "gradient"), ROWS)
def test_a_function_and_its_gradient_agree_with_pytorchs(call, value, gradient):
    x = gb.tensor(X, requires_grad=True)
    with warnings.catch_warnings(), gb.leaks.no_leaks():
        warnings.simplefilter("ignore")

        result = call(x, gb.tensor(Y), gb.tensor(Z), gb.tensor(CLASSES), gb.tensor(LABELS))
        weights = gb.tensor(np.cos(np.arange(float(result.numel())))).reshape(result.shape)
        total = (result * weights).sum()
        total.backward()

        assert total.item() == pytest.approx(value, rel=1e-9, abs=1e-10)
        found = (x.grad * gb.tensor(UP)).sum().item()
        assert found == pytest.approx(gradient, rel=1e-7, abs=1e-7)
        x.grad = None
        del result, weights, total


LAYERS = [
    nn.LeakyReLU(0.2), nn.ReLU6(), nn.Hardtanh(-0.5, 2.0), nn.Threshold(0.3, 7.0), nn.ELU(1.5),
    nn.CELU(1.5), nn.SELU(), nn.SiLU(), nn.Mish(), nn.Hardsigmoid(), nn.Hardswish(), nn.Softplus(),
    nn.LogSigmoid(), nn.Softsign(), nn.Tanhshrink(), nn.Softshrink(), nn.Hardshrink(),
    nn.Softmin(1), nn.GLU(1), nn.RReLU().eval(), nn.RMSNorm(6, elementwise_affine=False),
    nn.GroupNorm(2, 6, affine=False),
]  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS, ids=lambda it: type(it).__name__)
def test_a_layer_calls_its_function_with_its_settings(layer):
    name = type(layer).__name__.lower()
    known = {"leakyrelu": "leaky_relu", "rmsnorm": "rms_norm", "groupnorm": "group_norm"}
    known["relu6"] = "hardtanh"  # whose bounds it has
    x = gb.tensor(X)

    result = layer(x)

    apart = ("training", "inplace", "elementwise_affine", "affine", "num_channels")
    options = {
        key: it
        for key, it in vars(layer).items()
        if key not in apart and key[0] != "_" and key not in ("weight", "bias")
    }
    expected = getattr(functional, known.get(name, name))(x, **options)
    assert gb.equal(result, expected)
    assert repr(layer).startswith(type(layer).__name__ + "(")


@pytest.mark.parametrize("make", [nn.SiLU, nn.LeakyReLU, nn.Hardtanh, nn.Mish, nn.ELU])
def test_in_place_writes_where_no_gradient_needs_what_was_there(make):
    x = gb.tensor(X)
    leaf = gb.tensor(X, requires_grad=True)

    assert make(inplace=True)(x) is x
    make(inplace=True)(leaf * 1).sum().backward()

    assert gb.equal(x, make()(leaf).detach())
    other = gb.tensor(X, requires_grad=True)
    make()(other).sum().backward()
    assert gb.equal(leaf.grad, other.grad)


class TestBatchNorm:
    def test_keeps_running_statistics_and_uses_them_after_eval(self):
        layer = nn.BatchNorm1d(6, dtype=gb.float64)
        x = gb.tensor(X)

        with gb.dispose_scope():
            for _ in range(2):
                layer(x)
        layer.eval()
        result = layer(x)

        mean = X.mean(0) * (1 - 0.9**2)
        var = 0.9**2 + X.var(0, ddof=1) * (1 - 0.9**2)
        np.testing.assert_allclose(layer.running_mean.numpy(), mean, rtol=1e-12)
        np.testing.assert_allclose(layer.running_var.numpy(), var, rtol=1e-12)
        np.testing.assert_allclose(result.detach().numpy(), (X - mean) / np.sqrt(var + 1e-5))
        assert layer.num_batches_tracked.item() == 2
        assert list(layer.state_dict()) == [
            "weight", "bias", "running_mean", "running_var", "num_batches_tracked",
        ]  # fmt: skip

    def test_without_momentum_takes_the_mean_of_all_batches(self):
        layer = nn.BatchNorm1d(6, momentum=None, dtype=gb.float64)

        layer(gb.tensor(X))
        layer(gb.tensor(Y))

        np.testing.assert_allclose(layer.running_mean.numpy(), (X.mean(0) + Y.mean(0)) / 2)

    def test_without_running_statistics_uses_those_of_the_batch(self):
        layer = nn.BatchNorm2d(2, affine=False, track_running_stats=False).eval()

        result = layer(gb.rand(3, 2, 4, 4))

        assert abs(result.mean().item()) < 1e-6
        assert layer.running_mean is None
        assert list(layer.state_dict()) == []

    @pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.InstanceNorm1d, nn.GroupNorm])
    def test_scales_without_a_bias(self, layer):
        made = layer(*([2] if layer is nn.GroupNorm else []), 4, affine=True, bias=False)

        result = made(gb.rand(3, 4, 5))

        assert abs(result.mean().item()) < 1e-6
        assert list(dict(made.named_parameters())) == ["weight"]
        assert "affine=True, bias=False" in repr(made)

    def test_trains_in_flat_memory(self):
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.SiLU(), nn.Linear(8, 1))
        optimizer = gb.optim.RMSprop(model.parameters())
        x, seen = gb.rand(16, 4), []

        for _ in range(4):
            with gb.dispose_scope():
                loss = nn.BCEWithLogitsLoss()(model(x).squeeze(1), gb.ones(16))
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            seen.append(gb.memory.live())

        assert seen[1] == seen[3]

    @pytest.mark.parametrize(
        ("make", "sizes", "message"),
        [
            (
                lambda: nn.BatchNorm1d(2),
                (2,),
                r"BatchNorm1d: an input of sizes \[2\]; \[rows, features\]",
            ),
            (
                lambda: nn.BatchNorm2d(2),
                (2, 2),
                r"BatchNorm2d: an input of sizes \[2, 2\]; \[rows, chan",
            ),
            (lambda: nn.BatchNorm1d(2), (4, 3), r"running_mean has sizes \[2\]; \[3\] are needed"),
            (
                lambda: nn.BatchNorm1d(2),
                (1, 2),
                "in training, one element a channel; more are needed",
            ),
            (lambda: nn.InstanceNorm2d(2), (2, 1, 1), "one place a channel; more are needed"),
            (
                lambda: nn.GroupNorm(2, 4),
                (1, 2),
                r"GroupNorm: an input of sizes \[1, 2\]; \[rows, 4",
            ),
            (
                lambda: nn.RMSNorm(3),
                (2, 2),
                r"rms_norm: an input of sizes \[2, 2\] and a normalized_shape",
            ),
            (lambda: nn.PReLU(3), (2, 2), "prelu: 3 slopes for an input of sizes"),
            (lambda: nn.GLU(), (2, 3), r"glu: sizes \[2, 3\], odd along dim 1; an even one"),
            (lambda: nn.Dropout2d(), (2,), "dropout2d: an input of sizes"),
        ],
    )
    def test_and_its_kin_refuse_other_sizes(self, make, sizes, message):
        with pytest.raises(gb.ShapeError, match=message):
            make()(gb.ones(*sizes))


class TestDropoutOfChannels:
    def test_zeroes_whole_channels_and_scales_the_rest(self):
        gb.manual_seed(0)
        x = gb.ones(20, 10, 4)

        result = nn.Dropout1d(0.25)(x)

        sums = result.sum(2).flatten().tolist()
        assert {round(it, 4) for it in sums} == {0.0, 5.3333}
        assert 20 < sums.count(0.0) < 80
        assert gb.equal(nn.Dropout1d().eval()(x), x)

    def test_of_alpha_keeps_mean_and_variance(self):
        gb.manual_seed(0)

        result = nn.AlphaDropout(0.3)(gb.randn(40000))

        assert abs(result.mean().item()) < 0.03
        assert abs(result.std().item() - 1) < 0.03
        assert nn.FeatureAlphaDropout(0.5)(gb.ones(2, 3, 4)).std(2).amax().item() == 0


class TestLosses:
    def test_of_sizes_that_differ_warn(self):
        with pytest.warns(UserWarning, match="mse_loss: sizes .* differ, and are broadcast"):
            functional.mse_loss(gb.ones(2, 1), gb.ones(2))

    @pytest.mark.parametrize(
        ("call", "error", "message"),
        [
            (
                lambda: functional.nll_loss(gb.zeros(2, 3), gb.tensor([0, 3])),
                IndexError,
                r"nll_loss: the target of row 1 is not in \[0, 3\)",
            ),
            (
                lambda: functional.cross_entropy(gb.zeros(2, 3), gb.tensor([0, 1, 2])),
                gb.ShapeError,
                "cross_entropy",
            ),
            (
                lambda: functional.cross_entropy(gb.zeros(2, 3, 4), gb.tensor([0, 1])),
                gb.ShapeError,
                r"target of sizes \[2\] for an input of sizes \[2, 3, 4\]; \[2, 4\] are needed",
            ),
            (
                lambda: functional.binary_cross_entropy(gb.ones(1) * 2, gb.ones(1)),
                RuntimeError,
                r"an input beyond \[0, 1\]; probabilities are needed",
            ),
            (
                lambda: functional.binary_cross_entropy_with_logits(gb.ones(2), gb.ones(3)),
                gb.ShapeError,
                "they must be equal",
            ),
            (
                lambda: nn.HuberLoss(delta=0)(gb.ones(1), gb.ones(1)),
                ValueError,
                "delta is not above",
            ),
            (lambda: nn.L1Loss(reduction="avg"), ValueError, "L1Loss: reduction 'avg'; 'mean', "),
            (lambda: nn.KLDivLoss(reduction="batchmeen"), ValueError, "or 'batchmean' is needed"),
            (
                lambda: functional.multi_margin_loss(gb.ones(2), gb.tensor(0), 3),
                ValueError,
                "p is n",
            ),
            (
                lambda: functional.gaussian_nll_loss(gb.ones(1), gb.ones(1), -gb.ones(1)),
                ValueError,
                "a negative variance",
            ),
            (lambda: functional.silu(3), TypeError, "silu: input is of type int; a Tensor"),
            (lambda: functional.softshrink(gb.ones(1), -1), ValueError, "lambd -1; it must not be"),
            (lambda: nn.GroupNorm(3, 4), ValueError, "4 channels in 3 groups; a number that div"),
        ],
    )
    def test_and_layers_refuse_what_does_not_fit(self, call, error, message):
        with pytest.raises(error, match=message):
            call()


class TestOfHalfTypes:
    @pytest.mark.parametrize(
        "normal",
        [
            lambda x: gb.nn.functional.rms_norm(x, (3,)),
            lambda x: gb.nn.functional.group_norm(x, 1),
            lambda x: gb.nn.functional.batch_norm(x.T, None, None, training=True).T,
            lambda x: gb.nn.functional.instance_norm(x.unsqueeze(0)).squeeze(0),
        ],
        ids=["rms_norm", "group_norm", "batch_norm", "instance_norm"],
    )
    def test_squares_do_not_overflow(self, normal):
        x = gb.tensor([[300.0, -400.0, 1000.0], [1.0, 2.0, 4.0]])

        found = normal(x.half())

        assert found.dtype == gb.float16
        assert gb.allclose(found.float(), normal(x), atol=2e-3)


def test_a_slice_is_compared_with_one_that_is_broadcast_along_it():
    x, y = gb.tensor([[1.0, 2.0]]), gb.tensor([[3.0, 1.0], [4.0, 1.0]])
    wide = x.expand(2, 2)

    found = gb.nn.functional.cosine_similarity(x, y, dim=0)

    assert gb.allclose(found, gb.nn.functional.cosine_similarity(wide.clone(), y, dim=0))


def test_a_slice_of_integers_is_compared_with_a_floating_one():
    x, y = gb.tensor([1, 2, 3]), gb.tensor([2.0, 2.0, 3.0], dtype=gb.float64)

    found = gb.nn.functional.cosine_similarity(x, y, dim=0)

    assert found.item() == pytest.approx(15 / (14 * 17) ** 0.5, rel=1e-12)


def test_a_hinge_of_another_target_is_the_sum_of_both():
    loss = gb.nn.functional.hinge_embedding_loss(gb.tensor(0.25), gb.tensor(0.0))

    assert loss.item() == 1.0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("relu", ()),
        ("leaky_relu", (0.3,)),
        ("elu", (1.5,)),
        ("celu", (1.5,)),
        ("selu", ()),
        ("hardtanh", (-0.4, 0.6)),
        ("threshold", (0.1, 7.0)),
    ],
)
def test_activations_in_place_have_the_values_and_gradients_of_the_others(name, arguments):
    x = gb.tensor([-2.0, -0.5, 0.05, 3.0], requires_grad=True)
    expected = getattr(functional, name)(x * 1, *arguments)
    (slopes,) = gb.autograd.grad(expected.sum(), [x])

    written = x * 1
    made = getattr(functional, f"{name}_")(written, *arguments)
    (own_slopes,) = gb.autograd.grad(made.sum(), [x])

    assert made is written
    assert made.tolist() == expected.tolist()
    assert own_slopes.tolist() == slopes.tolist()
    with pytest.raises(gb.GradientError):
        getattr(functional, f"{name}_")(x, *arguments)
