"""Losses where targets are odd, and layers where there are no rows: what PyTorch makes of them."""

from __future__ import annotations

import math

import garboard as gb
import pytest

functional = gb.nn.functional


class TestLosses:
    def test_count_a_class_as_often_as_it_is_named(self):
        input = gb.tensor([0.1, 0.2, 0.4, 0.8], requires_grad=True)

        once = functional.multilabel_margin_loss(input, gb.tensor([3, -1, 0, 0]))
        twice = functional.multilabel_margin_loss(input, gb.tensor([3, 3, -1, 0]))
        twice.backward()

        assert twice.item() == pytest.approx(2 * once.item())
        assert input.grad is not None
        assert input.grad.tolist() == [0.5, 0.5, 0.5, -1.5]

    def test_have_no_divergence_from_what_is_no_probability(self):
        input = gb.zeros(3)
        target = gb.tensor([-0.5, 0.0, 1.0])

        losses = functional.kl_div(input, target, reduction="none").tolist()

        assert math.isnan(losses[0])
        assert losses[1:] == [0.0, 0.0]
        input, target = gb.tensor([-math.inf, -1.0]), gb.tensor([0.0, 1.0])
        assert math.isnan(functional.kl_div(input, target, reduction="sum"))  # as in PyTorch

    def test_of_probabilities_have_a_gradient_for_what_classes_count(self):
        input, target = gb.zeros(1, 2), gb.tensor([[0.25, 0.75]])
        weight = gb.tensor([1.0, 2.0], requires_grad=True)

        functional.cross_entropy(input, target, weight).backward()

        assert weight.grad is not None
        gb.testing.assert_close(weight.grad, target[0] * math.log(2))

    def test_ignore_classes_alone(self):
        with pytest.raises(ValueError, match="cross_entropy: ignore_index 1 of probabilities"):
            functional.cross_entropy(gb.zeros(2, 3), gb.full((2, 3), 1 / 3), ignore_index=1)


def test_no_rows_leave_running_statistics_as_they_are():
    layer = gb.nn.BatchNorm1d(3)

    out = layer(gb.ones(0, 3, 4))

    assert out.shape == (0, 3, 4)
    assert (layer.running_mean.tolist(), layer.running_var.tolist()) == ([0.0] * 3, [1.0] * 3)
    assert layer.num_batches_tracked.item() == 1


def test_a_decay_below_0_is_refused():
    with pytest.raises(ValueError, match=r"ASGD: lambd -0\.5"):
        gb.optim.ASGD([gb.nn.Parameter(gb.ones(1))], lambd=-0.5)


def test_a_cosine_loss_needs_two_inputs_of_as_many_dims():
    with pytest.raises(gb.ShapeError, match="for inputs of 2 and 1"):
        functional.cosine_embedding_loss(gb.ones(2, 3), gb.ones(3), gb.ones(2))


def test_classes_may_be_bytes():
    rows = gb.tensor([[0.25, 0.75]]).log()

    wanted = functional.nll_loss(rows, gb.tensor([1]))
    assert functional.nll_loss(rows, gb.tensor([1], dtype=gb.uint8)) == wanted


def test_an_option_out_of_range_is_a_runtime_error_too():
    for call in (
        lambda: functional.huber_loss(gb.ones(1), gb.ones(1), delta=-0.5),
        lambda: functional.cross_entropy(gb.ones(1, 2), gb.tensor([1]), label_smoothing=1.2),
    ):
        with pytest.raises(RuntimeError):
            call()


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
def test_a_probability_of_0_or_1_leaves_the_gradient_of_the_others(dtype):
    x = gb.tensor([0.0, 1.0, 0.0, 1.0, 0.25], dtype=dtype, requires_grad=True)
    target = gb.tensor([0.0, 1.0, 1.0, 0.0, 1.0], dtype=dtype)

    losses = functional.binary_cross_entropy(x, target, reduction="none")
    losses.sum().backward()

    assert losses.tolist() == pytest.approx([0.0, 0.0, 100.0, 100.0, math.log(4)])
    assert x.grad.tolist() == pytest.approx([0.0, 0.0, -1e12, 1e12, -4.0], rel=1e-6)
    logits = gb.tensor([-200.0, 200.0, 0.0], dtype=dtype, requires_grad=True)
    functional.binary_cross_entropy(logits.sigmoid(), gb.ones(3, dtype=dtype)).backward()
    assert logits.grad.isfinite().all()


def test_a_small_probability_loses_no_digits():
    x = gb.tensor([1e-6, 1e-9])

    losses = functional.binary_cross_entropy(x, gb.zeros(2), reduction="none")

    assert losses.tolist() == pytest.approx([1e-6, 1e-9], rel=1e-5)


def test_a_margin_of_one_row_has_the_dims_of_its_target():
    scores = gb.tensor([0.0, 1.0])

    for target, shape in ((gb.tensor(1), ()), (gb.tensor([1]), (1,))):
        loss = functional.multi_margin_loss(scores, target, reduction="none")

        assert (tuple(loss.shape), loss.sum().item()) == (shape, 0.0)


def test_margins_of_no_rows_are_none():
    scores = gb.zeros(0, 3, requires_grad=True)
    target = gb.zeros(0, dtype=gb.int64)

    found = functional.multi_margin_loss(scores, target, reduction="none")
    functional.multi_margin_loss(scores, target, reduction="sum").backward()

    assert found.shape == (0,)
    assert scores.grad is not None
    assert scores.grad.shape == (0, 3)


@pytest.mark.parametrize("shift", [1e4, 1e6, -1e6])
@pytest.mark.parametrize("shape", [(3, 2), (40, 10), (2, 3000), (2, 5, 7, 9)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_slopes_of_cross_entropy_do_not_depend_on_what_all_logits_share(shape, shift, smoothing):
    steps = gb.randint(-40, 40, shape, generator=gb.Generator().manual_seed(1)) / 16
    target = steps.sum(1).long().remainder(shape[1])

    def slopes(logits: gb.Tensor) -> gb.Tensor:
        leaf = logits.requires_grad_()
        loss = functional.cross_entropy(leaf, target, label_smoothing=smoothing)
        return gb.autograd.grad(loss, leaf)[0]

    found, right = slopes(steps + shift), slopes(steps.double())

    gb.testing.assert_close(found.double(), right, rtol=2e-5, atol=1e-9)
