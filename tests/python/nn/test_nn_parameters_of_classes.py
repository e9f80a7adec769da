"""Parameters that are of a class made of Tensor, and what such classes keep."""

from __future__ import annotations

import copy
import pickle

import garboard as gb
import numpy as np
import pytest
from garboard import nn

pytestmark = pytest.mark.no_leaks


class Tagged(gb.Tensor):
    """A class that is made with more than a tensor."""

    def __new__(cls, x, tag):
        return gb.Tensor._make_subclass(cls, x)

    def __init__(self, x, tag):
        self.tag = tag


def test_a_parameter_of_an_object_of_a_class_is_of_that_class():
    p = nn.Parameter(Tagged(gb.ones(2), "a"))

    assert type(p) is Tagged
    assert isinstance(p, nn.Parameter)
    assert p.requires_grad
    assert repr(p) == "Parameter(Tagged([1., 1.], requires_grad=True))"
    assert type(p * 2) is Tagged


def test_other_tensors_are_no_parameters():
    class Kind(nn.Parameter):
        pass

    assert not isinstance(Tagged(gb.ones(2), "a"), nn.Parameter)
    assert not isinstance(nn.Parameter(Tagged(gb.ones(2), "a")), Kind)
    assert isinstance(Kind(gb.ones(2)), nn.Parameter)


def test_a_module_learns_a_parameter_of_a_class():
    layer = nn.Linear(2, 2)
    layer.weight = nn.Parameter(layer.weight.detach().as_subclass(Tagged))
    before = layer.weight.tolist()

    layer(gb.ones(1, 2)).sum().backward()
    gb.optim.SGD(layer.parameters(), lr=0.5).step()
    layer.double()

    assert len(list(layer.parameters())) == 2
    assert type(layer.weight) is Tagged
    np.testing.assert_allclose(layer.weight.tolist(), np.array(before) - 0.5, rtol=1e-6)
    assert isinstance(copy.deepcopy(layer).weight, nn.Parameter)


def test_a_class_that_detaches_to_another_makes_no_parameter():
    class Odd(gb.Tensor):
        def detach(self):
            return gb.ones(1)

    with pytest.raises(RuntimeError, match="detach"):
        nn.Parameter(gb.ones(2).as_subclass(Odd))


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copy_has_the_class_and_the_attributes(copied):
    x = Tagged(gb.ones(2), ["a"])

    y = copied(x)

    assert type(y) is Tagged
    assert y.tag == ["a"]
    assert y.tolist() == [1, 1]


def test_a_copy_of_a_tensor_has_its_attributes():
    x = gb.ones(2, requires_grad=True)
    x.tag = 5

    assert [copy.copy(x).tag, pickle.loads(pickle.dumps(x)).tag] == [5, 5]
    assert copy.copy(x).requires_grad
    assert copy.copy(x).is_leaf
    assert copy.copy(x).data_ptr() == x.data_ptr()


@pytest.mark.parametrize("transform", ["fft", "ifft", "rfft", "irfft", "fftn", "hfft", "ihfft"])
def test_a_transform_of_a_class_is_of_it(transform):
    assert type(getattr(gb.fft, transform)(gb.ones(4).as_subclass(Tagged))) is Tagged


def test_a_gradient_for_an_object_of_a_class_is_of_it():
    x = gb.ones(2).as_subclass(Tagged).requires_grad_()

    (slope,) = gb.autograd.grad((x * x).sum(), x, create_graph=True)

    assert type(slope) is Tagged
    assert slope.requires_grad
