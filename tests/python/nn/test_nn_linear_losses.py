"""The cross entropy of what a linear layer gives, at once and by parts."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

F = gb.nn.functional
Options = gb.nn.LinearCrossEntropyOptions
ROWS, FEATURES, CLASSES = 7, 5, 11
PARTS = [
    None,
    Options(),
    Options(batch_chunk_size=3, chunking_method=None),
    Options(chunking_method="aspect_ratio:2"),
]


def case(places=(), of_probabilities=False):
    rng = np.random.default_rng(3)
    x = gb.tensor(rng.standard_normal((ROWS, FEATURES)), requires_grad=True)
    matrix = gb.tensor(rng.standard_normal((CLASSES, *places, FEATURES)), requires_grad=True)
    bias = gb.tensor(rng.standard_normal((CLASSES, *places)), requires_grad=True)
    if of_probabilities:
        return x, matrix, bias, gb.tensor(rng.random((ROWS, CLASSES, *places)))
    return x, matrix, bias, gb.tensor(rng.integers(0, CLASSES, (ROWS, *places)))


@pytest.mark.parametrize("options", PARTS)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("of_probabilities", [False, True])
@pytest.mark.parametrize("places", [(), (2, 3)])
def test_a_loss_by_parts_is_that_of_all_logits(options, reduction, of_probabilities, places):
    x, matrix, bias, target = case(places, of_probabilities)
    counts = gb.arange(1.0, CLASSES + 1, dtype=gb.float64)
    asked = {"weight": counts, "reduction": reduction, "label_smoothing": 0.1}
    logits = F.linear(x, matrix.reshape(-1, FEATURES), bias.reshape(-1))
    expected = F.cross_entropy(logits.reshape(ROWS, CLASSES, *places), target, **asked)
    slopes = gb.autograd.grad((expected**2).sum(), [x, matrix, bias])

    found = F.linear_cross_entropy(x, matrix, target, linear_bias=bias, options=options, **asked)

    np.testing.assert_allclose(found.tolist(), expected.tolist(), rtol=1e-10)
    for slope, mine in zip(
        slopes, gb.autograd.grad((found**2).sum(), [x, matrix, bias]), strict=True
    ):
        np.testing.assert_allclose(mine.numpy(), slope.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("weighed", [False, True])
def test_a_mean_by_parts_leaves_out_what_is_ignored(weighed):
    x, matrix, _, target = case()
    counts = gb.arange(1.0, CLASSES + 1, dtype=gb.float64) if weighed else None
    ignored = int(target[0])
    expected = F.cross_entropy(x @ matrix.t(), target, counts, ignore_index=ignored)

    found = F.linear_cross_entropy(
        x, matrix, target, weight=counts, ignore_index=ignored, options=PARTS[2]
    )

    assert found.item() == pytest.approx(expected.item(), rel=1e-10)


def test_a_graph_of_parts_keeps_no_logits():
    x, matrix = gb.randn(64, 4, requires_grad=True), gb.randn(1000, 4, requires_grad=True)
    target = gb.zeros(64, dtype=gb.int64)
    before = gb.memory.live("cpu").bytes

    loss = F.linear_cross_entropy(x, matrix, target, options=Options(batch_chunk_size=8))

    assert loss.requires_grad
    assert gb.memory.live("cpu").bytes - before < 64 * 1000 * 4 / 8


def test_one_row_has_one_loss():
    x, matrix, bias, target = case()

    found = F.linear_cross_entropy(x[0], matrix, target[0], linear_bias=bias, options=Options())

    assert found.item() == pytest.approx(
        F.cross_entropy(F.linear(x[0], matrix, bias), target[0]).item()
    )


def learn():
    gb.manual_seed(0)
    loss = gb.nn.LinearCrossEntropyLoss(FEATURES, 4, out_features=(3,), bias=True)
    x, target = gb.randn(6, FEATURES), gb.randint(0, 4, (6, 3))
    optimizer = gb.optim.SGD(loss.parameters(), lr=0.5)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        value = loss(x, target)
        value.backward()
        optimizer.step()
        losses.append(value.item())
    return losses, {name: tuple(value.shape) for name, value in loss.state_dict().items()}


def test_a_loss_has_a_layer_of_its_own_and_learns():
    with gb.leaks.no_leaks():
        losses, sizes = learn()

    assert sizes == {"linear.weight": (12, FEATURES), "linear.bias": (12,)}
    assert losses[-1] < losses[0]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"input": gb.ones}, TypeError, "linear_cross_entropy: input"),
        ({"input": (2, 3, 4)}, gb.ShapeError, r"sizes \[2, 3, 4\].*\[rows, features\]"),
        ({"linear_weight": (4, 3)}, gb.ShapeError, r"\[classes, 5\] is needed"),
        ({"linear_bias": (3,)}, gb.ShapeError, r"linear_bias of sizes \[3\]; \[11\] are needed"),
        ({"options": 3}, TypeError, "options"),
        ({"reduction": "most"}, ValueError, "reduction 'most'"),
    ],
)
@pytest.mark.parametrize("options", PARTS[1:3])
def test_a_loss_says_what_does_not_fit(change, error, message, options):
    x, matrix, _, target = case()
    made = {name: gb.ones(it) if type(it) is tuple else it for name, it in change.items()}
    given = {"input": x, "linear_weight": matrix, "target": target, "options": options} | made

    with pytest.raises(error, match=message):
        F.linear_cross_entropy(**given)


def test_probabilities_ignore_no_class():
    x, matrix, _, target = case(of_probabilities=True)

    with pytest.raises(ValueError, match="ignore_index with probabilities"):
        F.linear_cross_entropy(x, matrix, target, ignore_index=3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"acc_policy": "best"},
        {"batch_chunk_size": 0},
        {"chunking_method": "aspect_ratio:0"},
        {"chunking_method": "aspect_ratio:" + "9" * 5000},
        {"chunking_method": "rows"},
    ],
)
def test_options_say_what_is_wrong(wrong):
    with pytest.raises(ValueError, match="LinearCrossEntropyOptions: "):
        Options(**wrong)
