"""What layers, losses, optimizers and loaders say of an argument that does not fit."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import nn, optim
from garboard.utils.data import DataLoader, Subset, TensorDataset, random_split

INT, NUMBER = "an integer is needed", "a number is needed"
SHARE = r"it must lie in \[0, 1\]"
SOME = "an integer, or a list or tuple of them, is needed"


def adam(**options: Any) -> optim.Optimizer:
    return optim.Adam([gb.ones(1)], **options)


def sgd(**options: Any) -> optim.Optimizer:
    return optim.SGD([gb.ones(1)], **options)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: nn.Linear("a", 2), TypeError, f"Linear: in_features is of type str; {INT}"),
        (lambda: nn.Linear(2, 2.5), TypeError, f"Linear: out_features is of type float; {INT}"),
        (lambda: nn.Linear(True, 2), TypeError, f"Linear: in_features is of type bool; {INT}"),
        (lambda: nn.Linear(-1, 2), gb.ShapeError, "Linear: in_features -1; 0 or more is needed"),
        (lambda: nn.Linear(2, 2, gb.float64), TypeError, "bias is of type dtype; True or False"),
        (
            lambda: nn.LayerNorm("a"),
            TypeError,
            f"LayerNorm: normalized_shape is of type str; {SOME}",
        ),
        (
            lambda: nn.LayerNorm([2, 2.5]),
            TypeError,
            rf"normalized_shape\[1\] is of type float; {INT}",
        ),
        (lambda: nn.LayerNorm(-3), gb.ShapeError, "LayerNorm: normalized_shape -3; 0 or more"),
        (lambda: nn.LayerNorm(3, eps="a"), TypeError, f"LayerNorm: eps is of type str; {NUMBER}"),
        (lambda: nn.LayerNorm(3, eps=-1), ValueError, "LayerNorm: eps -1; it must not be negative"),
        (lambda: nn.Dropout("a"), TypeError, f"Dropout: p is of type str; {NUMBER}"),
        (lambda: nn.Dropout(True), TypeError, f"Dropout: p is of type bool; {NUMBER}"),
        (lambda: nn.Dropout(1.5), ValueError, f"Dropout: p 1.5; {SHARE}"),
        (lambda: nn.Flatten("a"), TypeError, f"Flatten: start_dim is of type str; {INT}"),
        (lambda: nn.Flatten(1, 2.0), TypeError, f"Flatten: end_dim is of type float; {INT}"),
        (lambda: nn.Softmax("a"), TypeError, "Softmax: dim is of type str; an integer or None"),
        (lambda: nn.LogSoftmax(0.5), TypeError, "LogSoftmax: dim is of type float; an integer or"),
        (lambda: nn.ReLU("yes"), TypeError, "ReLU: inplace is of type str; True or False"),
        (lambda: nn.GELU("x"), ValueError, "GELU: approximate 'x'; 'none' or 'tanh' is needed"),
        (lambda: nn.MSELoss(reduction=1), ValueError, "MSELoss: reduction 1; 'mean', 'sum' or 'no"),
        (
            lambda: nn.CrossEntropyLoss([1.0]),
            TypeError,
            "CrossEntropyLoss: a value of type list for the buffer 'weight'",
        ),
        (
            lambda: nn.CrossEntropyLoss(reduction="avg"),
            ValueError,
            "CrossEntropyLoss: reduction 'avg'; 'mean', 'sum' or 'none' is needed",
        ),
        (
            lambda: nn.CrossEntropyLoss(label_smoothing=2),
            ValueError,
            f"CrossEntropyLoss: label_smoothing 2; {SHARE}",
        ),
        (
            lambda: nn.CrossEntropyLoss(ignore_index="a"),
            TypeError,
            f"CrossEntropyLoss: ignore_index is of type str; {INT}",
        ),
        (lambda: adam(lr="a"), TypeError, f"Adam: lr is of type str; {NUMBER}"),
        (lambda: adam(lr=None), TypeError, f"Adam: lr is of type NoneType; {NUMBER}"),
        (lambda: adam(lr=gb.ones(2)), TypeError, f"Adam: lr is of type Tensor; {NUMBER}"),
        (lambda: adam(lr=float("inf")), ValueError, "Adam: lr inf; it must not be .* infinite"),
        (lambda: adam(betas=0.9), ValueError, r"Adam: betas 0.9; two in \[0, 1\) are needed"),
        (lambda: adam(betas=(0.9, "a")), TypeError, rf"betas\[1\] is of type str; {NUMBER}"),
        (lambda: adam(betas=(0.9, 1.0)), ValueError, r"betas\[1\] 1.0; it must lie in \[0, 1\)"),
        (lambda: sgd(momentum="x"), TypeError, f"SGD: momentum is of type str; {NUMBER}"),
        (lambda: sgd(momentum=True), TypeError, f"SGD: momentum is of type bool; {NUMBER}"),
        (lambda: sgd(dampening=[]), TypeError, f"SGD: dampening is of type list; {NUMBER}"),
        (lambda: sgd(nesterov="no"), TypeError, "SGD: nesterov is of type str; True or False"),
        (lambda: optim.SGD(0.1), TypeError, "SGD: params is of type float; a list of Tensors"),
        (
            lambda: optim.SGD([{"lr": 1}]),
            ValueError,
            "SGD: a group without params",
        ),
        (lambda: DataLoader(5), TypeError, "DataLoader: dataset is of type int; a Dataset, or"),
        (lambda: DataLoader([1], "a"), TypeError, "batch_size is of type str; an int, or None, is"),
        (lambda: DataLoader([1], 2.0), TypeError, "batch_size is of type float; an int, or None,"),
        (lambda: DataLoader([1], shuffle="no"), TypeError, "shuffle is of type str; True or False"),
        (lambda: DataLoader([1], collate_fn=3), TypeError, "collate_fn is of type int; a function"),
        (lambda: TensorDataset([1]), TypeError, "TensorDataset: item 0 of tensors is of type list"),
        (lambda: Subset([1], 3), TypeError, "Subset: indices is of type int; a list of numbers"),
        (lambda: Subset(1, [3]), TypeError, "Subset: dataset is of type int"),
        (
            lambda: random_split([1], ["a"]),
            TypeError,
            "item 0 of lengths is of type str; a list of num",
        ),
    ],
)
def test_an_argument_that_does_not_fit_is_named(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_model_in_place_of_its_parameters_is_recognised():
    model = nn.Linear(1, 1)

    with pytest.raises(TypeError, match=r"Adam: params is a Module; give module.parameters\(\)"):
        optim.Adam(model)


def test_numpys_numbers_are_numbers():
    layer = nn.Linear(np.int64(3), np.int32(2), bias=np.bool_(False))
    norm = nn.LayerNorm(np.int64(3), eps=np.float32(0.5))

    assert (layer.in_features, layer.weight.shape, layer.bias) == (3, (2, 3), None)
    assert (norm.normalized_shape, norm.weight.shape) == ((3,), (3,))
    assert nn.Dropout(np.float64(0.25)).p == 0.25
    assert adam(lr=np.float32(0.5), betas=[0.5, np.float64(0.25)]).defaults["lr"] == 0.5
    assert DataLoader([1, 2], np.int64(2)).batch_size == 2


def test_a_tensor_of_one_integer_is_a_size():
    rows, columns = gb.tensor(4), gb.tensor([3])

    layer = nn.Linear(rows, columns)
    table = nn.Embedding(rows + 1, columns)

    assert (layer.in_features, layer.out_features) == (4, 3)
    assert type(layer.in_features) is int
    assert table.weight.shape == (5, 3)
    assert nn.Conv2d(rows, 2, columns).weight.shape == (2, 4, 3, 3)
    assert gb.tril_indices(rows, columns).shape == (2, 9)
    assert nn.functional.interpolate(gb.ones(1, 1, 2), size=rows).shape == (1, 1, 4)


@pytest.mark.parametrize("number", [2.0, True, [1, 2]])
def test_a_tensor_of_else_is_no_size(number):
    with pytest.raises(TypeError, match=f"Linear: in_features is of type Tensor; {INT}"):
        nn.Linear(gb.tensor(number), 2)


def test_a_tensor_without_dims_is_a_rate():
    x = gb.ones(1, requires_grad=True)
    optimizer = optim.SGD([x], lr=gb.tensor(0.5))

    (x * x).sum().backward()
    optimizer.step()

    assert x.item() == 0
