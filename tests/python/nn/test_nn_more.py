"""Conv1d, the rest of nn.init, and functions that write in place or count twice."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest
from garboard import nn
from garboard.nn import functional, init

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestConv1d:
    def test_slides_weights_along_its_input(self):
        layer = nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2, dtype=gb.float64)
        x = gb.rand(2, 4, 9, dtype=gb.float64)

        result = layer(x).detach().numpy()

        padded = np.pad(x.numpy(), ((0, 0), (0, 0), (1, 1)))
        weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()
        for r, o, t in np.ndindex(*result.shape):
            inputs = padded[r, 2 * (o // 3) : 2 * (o // 3) + 2, 2 * t : 2 * t + 5 : 2]
            assert result[r, o, t] == pytest.approx((inputs * weight[o]).sum() + bias[o])

    def test_keeps_the_length_and_needs_no_rows(self):
        layer = nn.Conv1d(2, 3, (4,), padding="same", bias=False)

        assert layer(gb.ones(2, 7)).shape == (3, 7)
        text = "Conv1d(2, 3, kernel_size=(4,), stride=(1,), padding=same, bias=False)"
        assert list(layer.state_dict()) == ["weight"]
        assert repr(layer) == text

    @pytest.mark.parametrize(
        ("make", "error", "message"),
        [
            (lambda: nn.Conv1d(3, 4, 1, groups=2), gb.ShapeError, "in_channels 3, groups 2"),
            (lambda: nn.Conv1d(2, 2, 0), gb.ShapeError, r"kernel_size \(0,\)"),
            (lambda: nn.Conv1d(2, 2, 1, padding="full"), ValueError, "padding 'full'; 'same' or"),
            (lambda: nn.Conv1d(2, 2, 1, 2, "same"), gb.ShapeError, "'same' needs stride 1"),
            (lambda: nn.Conv1d(2, 2, 1, padding_mode="x"), ValueError, "padding_mode 'x'"),
            (lambda: nn.Conv1d(2, 2, 1)(gb.ones(2)), gb.ShapeError, r"input \[2\], weight"),
        ],
    )
    def test_refuses_what_does_not_fit(self, make, error, message):
        with pytest.raises(error, match=message):
            make()


class TestInit:
    def test_orthogonal_rows_or_columns(self):
        for sizes in ((3, 5), (5, 3), (4, 2, 2)):
            x = init.orthogonal_(nn.Parameter(gb.zeros(*sizes, dtype=gb.float64)), gain=2.0)
            m = x.detach().reshape(sizes[0], -1).numpy()
            square = m @ m.T if m.shape[0] <= m.shape[1] else m.T @ m
            np.testing.assert_allclose(square, 4 * np.eye(len(square)), atol=1e-12)

    def test_a_truncated_normal_stays_within_its_bounds(self):
        gb.manual_seed(0)

        x = init.trunc_normal_(gb.zeros(20000), mean=1.0, std=2.0, a=0.0, b=2.0)

        assert (x.amin().item() >= 0, x.amax().item() <= 2) == (True, True)
        assert x.mean().item() == pytest.approx(1, abs=0.02)
        assert ((x == 0) | (x == 2)).sum().item() < 5

    def test_the_others(self):
        gb.manual_seed(0)

        assert init.eye_(gb.ones(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
        assert init.dirac_(gb.ones(4, 1, 1), groups=4).flatten().tolist() == [1, 1, 1, 1]
        sparse = init.sparse_(gb.zeros(10, 4), 0.5)
        assert (sparse == 0).sum(0).tolist() == [5, 5, 5, 5]
        assert init.calculate_gain("conv2d") == 1.0

    @pytest.mark.parametrize(
        ("act", "error", "message"),
        [
            (lambda: init.orthogonal_(gb.ones(3)), gb.ShapeError, r"orthogonal_: .* \[3\]; 2 or"),
            (
                lambda: init.orthogonal_(gb.ones(3, 3), generator=1),
                TypeError,
                "generator",
            ),
            (lambda: init.trunc_normal_(3), TypeError, "trunc_normal_: tensor is of type int"),
            (lambda: init.eye_(gb.ones(3)), gb.ShapeError, "eye_: .* two dims are needed"),
            (lambda: init.dirac_(gb.ones(3, 3)), gb.ShapeError, "dirac_: .* three to five dims"),
            (lambda: init.sparse_(gb.ones(3, 3), 2), ValueError, "sparsity 2; it must lie in"),
        ],
    )
    def test_refuse_what_does_not_fit(self, act, error, message):
        with pytest.raises(error, match=message):
            act()


def test_a_class_that_is_named_twice_counts_twice():
    x = gb.tensor([[0.5, 0.25, 0.0]])

    once = functional.multilabel_margin_loss(x, gb.tensor([[1, -1, 0]]), reduction="sum")
    twice = functional.multilabel_margin_loss(x, gb.tensor([[1, 1, -1]]), reduction="sum")

    assert once.item() == pytest.approx(2 / 3)  # (1 - 0.25 + 0.5 + 1 - 0.25 + 0) / 3
    assert twice.item() == 2 * once.item()


@pytest.mark.parametrize("name", ["dropout", "dropout2d", "alpha_dropout", "feature_alpha_dropout"])
def test_dropout_in_place_returns_its_input_when_nothing_is_trained(name):
    x = gb.ones(2, 3, 4, 4)

    found = getattr(functional, name)(x, 0.5, training=False, inplace=True)

    assert found is x


@pytest.mark.parametrize(
    ("call", "sizes", "leading"),
    [
        (functional.dropout1d, (20, 6), 1),
        (functional.dropout1d, (20, 6, 5), 2),
        (functional.dropout2d, (20, 6, 5), 2),  # rows, channels and a length, as in PyTorch
        (functional.dropout2d, (20, 6, 5, 2), 2),
        (functional.dropout3d, (20, 6, 5, 2), 1),
        (functional.dropout3d, (20, 6, 5, 2, 2), 2),
    ],
)
def test_dropout_of_channels_zeroes_what_lies_behind_rows_and_channels(call, sizes, leading):
    gb.manual_seed(0)

    found = call(gb.ones(*sizes), 0.5).flatten(leading)

    assert set(found.flatten().tolist()) == {0.0, 2.0}
    assert gb.equal(found.amin(-1), found.amax(-1))
    assert len(found.flatten(0, -2).amin(-1).unique()) == 2


def test_dropout_of_channels_warns_of_dims_that_it_guesses_at():
    with pytest.warns(
        UserWarning, match=r"dropout2d: .* \[8, 64\]; 3 or 4 dims are needed"
    ) as told:
        found = functional.dropout2d(gb.ones(8, 64), 0.5)

    assert told[0].filename == __file__
    assert set(found.flatten().tolist()) == {0.0, 2.0}
    assert len(found.sum(0).unique()) > 2
    assert len(found.sum(1).unique()) > 2
