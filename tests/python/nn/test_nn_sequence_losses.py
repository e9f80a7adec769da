"""Losses of labels without places, and of very many classes."""

from __future__ import annotations

from itertools import groupby, product
from math import inf

import garboard as gb
import numpy as np
import pytest

F = gb.nn.functional
STEPS, SAMPLES, CLASSES = 4, 3, 3


def likelihood(probabilities, labels, blank):
    """Of all ways to write the labels, one by one."""
    total = 0.0
    for way in product(range(probabilities.shape[1]), repeat=len(probabilities)):
        if [one for one, _ in groupby(way) if one != blank] == list(labels):
            total += np.prod([row[one] for row, one in zip(probabilities, way, strict=True)])
    return total


@pytest.mark.parametrize("blank", [0, 2])
def test_a_loss_counts_all_ways_to_write_the_labels(blank):
    rng = np.random.default_rng(2)
    logits = rng.standard_normal((STEPS, SAMPLES, CLASSES))
    one, two = (c for c in range(CLASSES) if c != blank)
    targets = [[one, one], [two], []]
    steps = [4, 3, 2]
    log_probs = gb.tensor(logits).log_softmax(2)
    padded = gb.tensor([[one, one], [two, one], [one, one]])
    expected = [
        -np.log(likelihood(np.exp(log_probs.numpy()[:count, n]), labels, blank))
        for n, (count, labels) in enumerate(zip(steps, targets, strict=True))
    ]

    losses = F.ctc_loss(log_probs, padded, steps, (2, 1, 0), blank, "none")
    flat = gb.tensor([label for labels in targets for label in labels], dtype=gb.int32)
    same = F.ctc_loss(log_probs, flat, gb.tensor(steps), gb.tensor([2, 1, 0]), blank, "none")

    np.testing.assert_allclose(losses.numpy(), expected, rtol=1e-12)
    assert gb.equal(losses, same)
    total = F.ctc_loss(log_probs, padded, steps, (2, 1, 0), blank, "sum").item()
    assert total == pytest.approx(sum(expected))
    mean = F.ctc_loss(log_probs, padded, steps, (2, 1, 0), blank).item()
    assert mean == pytest.approx((expected[0] / 2 + expected[1] + expected[2]) / 3)
    alone = F.ctc_loss(log_probs[:, 0], padded[0], (4,), (2,), blank, "none")
    assert alone.shape == ()
    assert alone.item() == pytest.approx(expected[0])


def test_the_gradient_is_the_slope_behind_a_log_softmax():
    rng = np.random.default_rng(3)
    logits = gb.tensor(rng.standard_normal((6, 2, 4)), requires_grad=True)
    targets = gb.tensor([[1, 1, 3], [2, 3, 1]])

    def loss(logits):
        return F.ctc_loss(logits.log_softmax(2), targets, (6, 5), (3, 2), reduction="none")

    assert gb.autograd.gradcheck(loss, (logits,))
    given = logits.detach().log_softmax(2).requires_grad_()
    F.ctc_loss(given, targets, (6, 5), (3, 2), reduction="sum").backward()
    assert given.grad is not None
    np.testing.assert_allclose(given.grad.sum(2).numpy(), 0.0, atol=1e-12)  # as if one were before
    assert given.grad[5, 1].tolist() == [0.0] * 4  # behind the sample's steps


def test_labels_that_do_not_fit_cost_infinitely_or_nothing():
    log_probs = gb.zeros(2, 2, 3).log_softmax(2).requires_grad_()
    targets = gb.tensor([[1, 1], [1, 2]])

    losses = F.ctc_loss(log_probs, targets, (2, 2), (2, 2), reduction="none")
    skipped = F.ctc_loss(log_probs, targets, (2, 2), (2, 2), reduction="none", zero_infinity=True)
    skipped.sum().backward()

    assert losses.tolist()[0] == inf  # a blank must stand between equal labels
    assert skipped.tolist()[0] == 0.0
    assert losses.tolist()[1] == skipped.tolist()[1] < inf
    assert log_probs.grad is not None
    assert log_probs.grad[:, 0].abs().sum().item() == 0.0
    assert log_probs.grad[:, 1].abs().sum().item() > 0.0


def test_a_recognizer_trains_and_leaves_nothing():
    layer, loss = gb.nn.Linear(4, 5), gb.nn.CTCLoss(zero_infinity=True)
    x, targets = gb.randn(7, 3, 4), gb.randint(1, 5, (3, 2))

    with gb.leaks.no_leaks():
        loss(layer(x).log_softmax(2), targets, (7, 6, 5), (2, 2, 1)).backward()
        layer.zero_grad()

    half = layer(x).log_softmax(2).bfloat16()
    assert loss(half, targets, (7, 6, 5), (2, 2, 1)).dtype == gb.bfloat16


def logs():
    return gb.zeros(4, 2, 3)


def labels():
    return gb.tensor([[1, 2], [2, 1]])


@pytest.mark.parametrize(
    ("error", "match", "arguments"),
    [
        (gb.ShapeError, "0 to 4 is needed", lambda: (logs(), labels(), (5, 4), (2, 2))),
        (gb.ShapeError, "0 to 2 is needed", lambda: (logs(), labels(), (4, 4), (2, 3))),
        (gb.ShapeError, "1 input_lengths for 2", lambda: (logs(), labels(), (4,), (2, 2))),
        (gb.ShapeError, "4 labels in all", lambda: (logs(), gb.tensor([1, 2, 1]), (4, 4), (2, 2))),
        (gb.ShapeError, "are needed", lambda: (logs(), gb.tensor([[1, 2]]), (4, 4), (2, 2))),
        (gb.ShapeError, "are needed", lambda: (logs()[0, 0], labels(), (4, 4), (2, 2))),
        (
            gb.IndexOutOfRangeError,
            "sample 1; labels",
            lambda: (logs(), labels() + 1, (4, 4), (1, 2)),
        ),
        (gb.IndexOutOfRangeError, "blank 3", lambda: (logs(), labels(), (4, 4), (2, 2), 3)),
        (gb.DTypeError, "a floating one", lambda: (logs().long(), labels(), (4, 4), (2, 2))),
        (gb.DTypeError, "targets of dtype", lambda: (logs(), labels().float(), (4, 4), (2, 2))),
        (gb.DTypeError, "integers", lambda: (logs(), labels(), gb.ones(2), (2, 2))),
        (TypeError, "an integer", lambda: (logs(), labels(), (4.0, 4), (2, 2))),
        (ValueError, "reduction 'max'", lambda: (logs(), labels(), (4, 4), (2, 2), 0, "max")),
    ],
)
def test_what_does_not_fit_is_refused(error, match, arguments):
    with gb.leaks.no_leaks(), pytest.raises(error, match=match):
        F.ctc_loss(*arguments())


def test_a_gradient_is_not_differentiated_again():
    x = logs().log_softmax(2).requires_grad_()
    loss = F.ctc_loss(x, labels(), (4, 4), (2, 2))

    with pytest.raises(gb.GradientError, match="no gradient of its own"):
        gb.autograd.grad(loss, x, create_graph=True)


class TestAdaptiveSoftmax:
    def test_its_probabilities_add_up_and_the_loss_is_their_mean(self):
        gb.manual_seed(1)
        layer = gb.nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[4, 9], head_bias=True)
        x, targets = gb.randn(5, 8), gb.tensor([0, 19, 5, 9, 3])

        with gb.leaks.no_leaks():
            output, loss = layer(x, targets)
            loss.backward()
            layer.zero_grad()
            logs = layer.log_prob(x)
            picked = logs.gather(1, targets.unsqueeze(1)).squeeze(1)
            np.testing.assert_allclose(logs.exp().sum(1).detach().numpy(), 1.0, rtol=1e-5)
            np.testing.assert_allclose(output.detach().numpy(), picked.detach().numpy(), rtol=1e-5)
            assert loss.item() == pytest.approx(-picked.mean().item())
            assert gb.equal(layer.predict(x), logs.argmax(1))
            alone = layer(x[1], targets[1])
            assert alone.output.item() == pytest.approx(picked[1].item())
            del output, loss, logs, picked, alone

    def test_refuses_what_does_not_fit(self):
        with pytest.raises(ValueError, match="ascending numbers from 1 to 9"):
            gb.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[5, 3])
        with pytest.raises(ValueError, match="ascending"):
            gb.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[10])
        layer = gb.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs=[5])
        with pytest.raises(gb.IndexOutOfRangeError, match="target 10 of 10"):
            layer(gb.ones(1, 4), gb.tensor([10]))
        with pytest.raises(gb.ShapeError, match="are needed"):
            layer(gb.ones(1, 4), gb.tensor([1, 2]))
