"""Activations that are told to write into their input: all who hold it see the result."""

from functools import partial

import garboard as gb
import pytest
from garboard import nn

pytestmark = pytest.mark.no_leaks

X = [-4.0, -0.3, 0.4, 7.0]
LAYERS = [
    *(nn.CELU, nn.ELU, nn.Hardsigmoid, nn.Hardswish, nn.Hardtanh, nn.LeakyReLU, nn.Mish, nn.ReLU),
    *(nn.ReLU6, nn.SELU, nn.SiLU, partial(nn.Threshold, 0.1, 2.0)),
]


def _gradient(make, inplace):
    """That of a skip connection which goes around the layer, and sees what it wrote."""
    leaf = gb.tensor(X, requires_grad=True)
    x = leaf * 1.0
    y = make(inplace=inplace)(x)
    seen = x if inplace else y
    (seen * gb.tensor([1.0, 2.0, 3.0, 4.0]) + 2 * y).sum().backward()
    return seen.tolist(), leaf.grad.tolist()


@pytest.mark.parametrize("make", LAYERS)
def test_who_holds_the_input_sees_the_activation_and_its_history(make):
    assert _gradient(make, inplace=True) == _gradient(make, inplace=False)


@pytest.mark.parametrize("make", [*LAYERS, nn.RReLU])
def test_a_leaf_that_requires_grad_is_not_written(make):
    leaf = gb.tensor(X, requires_grad=True)

    with pytest.raises(gb.GradientError, match="leaf"):
        make(inplace=True)(leaf)

    assert leaf.tolist() == pytest.approx(X)


@pytest.mark.parametrize("make", [nn.Dropout, nn.AlphaDropout, nn.Dropout1d])
def test_dropout_writes_zeros_where_a_gradient_is_recorded(make):
    gb.manual_seed(3)
    leaf = gb.ones(1, 8, 4, requires_grad=True)
    x = leaf * 1.0

    y = make(0.5, inplace=True)(x)
    x.sum().backward()

    assert y is x
    assert 0 < (leaf.grad == 0).sum() < 32
    assert gb.equal(leaf.grad == 0, x.detach() == x.detach().amin())


def test_a_dropout_that_does_not_train_returns_what_it_was_given():
    x = gb.ones(3, requires_grad=True) * 1.0

    assert nn.Dropout(0.5, inplace=True).eval()(x) is x


@pytest.mark.parametrize("make", LAYERS)
def test_behind_a_layer_of_a_sequential_the_input_is_nobody_elses(make):
    def run(inplace):
        layer = nn.Linear(4, 4, bias=False)
        with gb.no_grad():
            layer.weight.copy_(gb.eye(4))
        network = nn.Sequential(layer, make(inplace=inplace))
        network(gb.tensor([X])).square().sum().backward()
        return layer.weight.grad.tolist()

    assert run(True) == run(False)


def test_a_hook_of_the_layer_before_sees_what_is_written():
    network = nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(0.5, inplace=True))
    seen = []
    network[0].register_forward_hook(lambda layer, given, result: seen.append(result))

    result = network(gb.tensor([[-1.0, 2.0]]))

    assert result is seen[0]
    seen.clear()


def test_a_dropout_of_nothing_writes_nothing_into_what_backward_reads():
    x = gb.ones(4, requires_grad=True)

    gb.nn.Dropout(0.0, inplace=True)(x.softmax(0)).sum().backward()

    assert x.grad is not None
    assert x.grad.abs().max() < 1e-6
