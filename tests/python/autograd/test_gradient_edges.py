"""Edges of a graph, which stand for the tensors that they were asked of."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.autograd.graph import GradientEdge, get_gradient_edge

pytestmark = pytest.mark.no_leaks


def test_an_edge_stands_for_its_tensor():
    x = gb.ones(2, requires_grad=True)
    y = x * 3
    edge = get_gradient_edge(y)

    (slope,) = gb.autograd.grad((y * y).sum(), [edge])
    (other,) = gb.autograd.grad(get_gradient_edge(x.sum() * 2), x)

    assert isinstance(edge, GradientEdge)
    assert edge.node == y.grad_fn
    assert (edge.output_nr, y.output_nr) == (0, 0)
    assert slope.tolist() == [6, 6]
    assert other.tolist() == [2, 2]


def test_a_leaf_has_an_edge():
    x = gb.ones(2, requires_grad=True)

    (slope,) = gb.autograd.grad((x * 3).sum(), get_gradient_edge(x))

    assert slope.tolist() == [3, 3]


def test_what_requires_no_grad_has_none():
    with pytest.raises(gb.GradientError, match="no grad"):
        get_gradient_edge(gb.ones(2))
