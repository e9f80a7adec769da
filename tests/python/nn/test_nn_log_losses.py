"""nll_loss: what stands at the target of each row."""

from __future__ import annotations

import math

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

nll_loss = gb.nn.functional.nll_loss


def drawn(*sizes, dtype=gb.float64):
    gb.manual_seed(0)
    return gb.randn(sizes).log_softmax(1).to(dtype)


def expected(logs, target, weight, ignored, reduction):
    """By loops over rows and places."""
    logs, target = np.array(logs.tolist()), np.array(target.tolist())
    losses, shares = np.zeros(target.shape), np.zeros(target.shape)
    for at in np.ndindex(target.shape):
        if target[at] != ignored:
            shares[at] = weight[target[at]]
            losses[at] = -weight[target[at]] * logs[(at[0], target[at], *at[1:])]
    if reduction == "none":
        return losses
    return losses.sum() / (shares.sum() if reduction == "mean" else 1)


@pytest.mark.parametrize("sizes", [(5, 3), (4, 3, 2), (2, 4, 3, 2), (700, 3), (3, 700)])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses_are_those_of_each_place(sizes, reduction):
    logs, classes = drawn(*sizes), sizes[1]
    target = gb.arange(logs.numel() // classes).reshape(sizes[0], *sizes[2:]) % classes
    for weights in (None, [1.0, 2.0, 0.5] + [1.0] * (classes - 3)):
        weight = gb.tensor(weights, dtype=gb.float64) if weights else None
        for ignored in (-100, 1):
            found = nll_loss(logs, target, weight, ignore_index=ignored, reduction=reduction)

            wanted = expected(logs, target, weights or [1.0] * classes, ignored, reduction)
            np.testing.assert_allclose(found.tolist(), wanted, rtol=1e-12)


@pytest.mark.parametrize("is_strided", [False, True])
def test_gradients_are_those_of_differences(is_strided):
    logs = drawn(3, 4, 2).requires_grad_()
    target = gb.tensor([[0, 3], [1, -100], [3, 3]])
    weight = gb.tensor([0.5, 2.0, 1.0, 0.0], dtype=gb.float64)

    def loss(it, reduction):
        it = it.transpose(1, 2).clone().transpose(1, 2) if is_strided else it
        return nll_loss(it, target, weight, reduction=reduction)

    for reduction in ("mean", "sum", "none"):
        assert gb.autograd.gradcheck(lambda it, way=reduction: loss(it, way), logs)
        assert gb.autograd.gradgradcheck(lambda it, way=reduction: loss(it, way), logs)


def test_a_row_has_a_loss_without_dims():
    row = gb.tensor([-0.5, -1.5], requires_grad=True)

    loss = nll_loss(row, gb.tensor(1), reduction="none")
    loss.backward()

    assert (loss.shape, loss.item()) == ((), 1.5)
    assert row.grad.tolist() == [0, -1]


def test_a_class_without_weight_counts_for_nothing():
    logs = gb.tensor([[-math.inf, 0.0], [0.0, -2.0]])

    assert nll_loss(logs, gb.tensor([0, 1]), gb.tensor([0.0, 1.0])).item() == 2
    assert math.isnan(nll_loss(logs, gb.tensor([-100, -100])).item())  # the mean of none


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16])
def test_losses_of_half_types_are_rounded_once(dtype):
    logs = drawn(300, 5, dtype=dtype).requires_grad_()
    target = gb.arange(300) % 5

    nll_loss(logs, target).backward()

    wide = logs.detach().float().requires_grad_()
    loss = nll_loss(wide, target)
    loss.backward()
    assert gb.equal(nll_loss(logs, target), loss.to(dtype))
    assert logs.grad.dtype == dtype
    assert gb.equal(logs.grad, wide.grad.to(dtype))


def test_the_graph_keeps_the_target_alone():
    logs = gb.zeros(1000, 100, requires_grad=True)
    target = gb.zeros(1000, dtype=gb.int64)
    before = gb.memory.live("cpu").bytes

    loss = nll_loss(logs.clone(), target)

    assert gb.memory.live("cpu").bytes - before < 1000
    loss.backward()
    assert logs.grad.sum().item() == pytest.approx(-1)


def test_targets_may_be_narrow():
    logs = drawn(3, 4)

    for dtype in (gb.int32, gb.uint8):
        found = nll_loss(logs, gb.tensor([0, 1, 3], dtype=dtype))
        assert found.item() == nll_loss(logs, gb.tensor([0, 1, 3])).item()
    with pytest.raises(gb.DTypeError, match="nll_loss: targets of dtype int16; class numbers"):
        nll_loss(logs, gb.tensor([0, 1, 3], dtype=gb.int16))


def test_a_target_that_was_overwritten_from_outside_is_found():
    array = np.array([0, 1])
    logs = gb.zeros(2, 3, requires_grad=True)

    loss = nll_loss(logs, gb.from_numpy(array))
    array[1] = 7

    with pytest.raises(gb.VersionError, match=r"nll_loss: the target of row 1 .* \[0, 3\)"):
        loss.backward()
    assert logs.grad is None
    array[1] = 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (lambda: (gb.zeros(2, 3), gb.tensor([0])), gb.ShapeError, r"targets of sizes \[1\]"),
        (lambda: (gb.zeros(2, 3, 2), gb.tensor([0, 1])), gb.ShapeError, r"\[2, 2\] are needed"),
        (lambda: (gb.zeros(()), gb.tensor(0)), gb.ShapeError, "for an input of sizes"),
        (lambda: (gb.zeros(2, 3).long(), gb.tensor([0, 1])), gb.DTypeError, "input of dtype int64"),
        (lambda: (gb.zeros(2, 3), gb.tensor([0.0, 1])), gb.DTypeError, "targets of dtype float32"),
        (lambda: (gb.zeros(2, 3), gb.tensor([0, -1])), IndexError, "target of row 1 is not in"),
        (
            lambda: (gb.zeros(2, 3), gb.tensor([0, 1]), gb.ones(2)),
            gb.ShapeError,
            r"weight of sizes \[2\]; \[3\], one for each class",
        ),
        (
            lambda: (gb.zeros(2, 3), gb.tensor([0, 1]), gb.ones(3).double()),
            gb.DTypeError,
            "weight of dtype float64, input of float32",
        ),
    ],
)
def test_what_does_not_fit_is_refused(arguments, error, message):
    with pytest.raises(error, match=f"^nll_loss: .*{message}"):
        nll_loss(*arguments())
