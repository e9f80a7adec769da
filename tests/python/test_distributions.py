"""Distributions: probabilities against formulas, draws, gradients, divergences."""

from __future__ import annotations

import math

import garboard as gb
import numpy as np
import pytest
from garboard.distributions import Bernoulli, Categorical, Normal, kl_divergence

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def test_a_normal_agrees_with_its_formulas():
    loc, scale = gb.tensor([0.5, -1.0], requires_grad=True), gb.tensor([2.0, 0.5])
    gb.manual_seed(0)
    normal = Normal(loc, scale)

    drawn = normal.rsample((20000,))
    drawn.mean().backward()

    assert normal.log_prob(gb.tensor([0.0, 0.0])).tolist() == pytest.approx(
        [-0.0625 / 2 - math.log(2) - 0.918938533, -2 - math.log(0.5) - 0.918938533], abs=1e-6
    )
    assert normal.entropy().tolist() == pytest.approx(
        [1.418938533 + math.log(2), 1.418938533 - math.log(2)], abs=1e-6
    )
    assert drawn.detach().mean(0).tolist() == pytest.approx([0.5, -1.0], abs=0.05)
    assert loc.grad.tolist() == pytest.approx([0.5, 0.5])
    assert not normal.sample().requires_grad
    assert kl_divergence(normal, Normal(loc, scale)).detach().tolist() == [0.0, 0.0]


def test_classes_are_drawn_as_often_as_they_say():
    gb.manual_seed(1)
    probs = gb.tensor([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]])
    given = Categorical(probs)

    drawn = given.sample((8000,)).numpy()

    assert drawn.shape == (8000, 2)
    assert np.bincount(drawn[:, 0], minlength=3) / 8000 == pytest.approx([0.25, 0, 0.75], abs=0.02)
    assert set(drawn[:, 1]) == {1}
    assert given.log_prob(gb.tensor([2, 1])).tolist() == pytest.approx([math.log(0.75), 0])
    assert given.entropy().tolist() == pytest.approx([0.5623351, 0], abs=1e-5)


def test_a_policy_learns_by_its_log_probabilities():
    logits = gb.tensor([0.3, -0.2, 1.0], dtype=gb.float64, requires_grad=True)

    with gb.leaks.no_leaks():
        Categorical(logits=logits).log_prob(gb.tensor(2)).backward()

    share = np.exp([0.3, -0.2, 1.0]) / np.exp([0.3, -0.2, 1.0]).sum()
    np.testing.assert_allclose(logits.grad.numpy(), np.array([0, 0, 1]) - share, atol=1e-12)


def test_two_outcomes():
    gb.manual_seed(2)
    coin, other = Bernoulli(gb.tensor([0.25])), Bernoulli(logits=gb.tensor([0.0]))

    assert coin.sample((8000,)).mean().item() == pytest.approx(0.25, abs=0.02)
    assert coin.log_prob(gb.tensor([1.0])).item() == pytest.approx(math.log(0.25), abs=1e-5)
    assert other.entropy().item() == pytest.approx(math.log(2))
    expected = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    assert kl_divergence(coin, other).item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Normal(0.0, 0.0), ValueError, "Normal: a scale above 0 is needed"),
        (lambda: Bernoulli(1.5), ValueError, r"Bernoulli: probabilities in \[0, 1\] are needed"),
        (lambda: Bernoulli(), ValueError, "Bernoulli: probs and logits; one of them"),
        (lambda: Categorical(gb.ones(2), gb.ones(2)), ValueError, "one of them is needed"),
        (lambda: Categorical(gb.tensor([-1.0, 2.0])), ValueError, "that are not negative"),
        (lambda: Categorical(gb.zeros(2)), ValueError, "that are not all 0"),
        (lambda: Categorical(logits=gb.tensor(1.0)), gb.ShapeError, "a tensor without dims"),
        (lambda: Bernoulli(0.5).rsample(), NotImplementedError, r"no rsample\(\) of this"),
        (
            lambda: kl_divergence(Bernoulli(0.5), Normal(0.0, 1.0)),
            NotImplementedError,
            "Bernoulli and Normal; two of",
        ),
    ],
)
def test_what_does_not_fit_is_refused_by_name(make, error, message):
    with pytest.raises(error, match=message):
        make()
