"""Functions of lists of tensors, under the names of the public module."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._root.foreach import FOREACH


def two() -> list[gb.Tensor]:
    return [gb.tensor([1.0, -2.0]), gb.tensor(3.0)]


def test_the_module_has_what_the_private_names_have():
    assert gb.foreach.__all__ == sorted(name.removeprefix("_foreach_") for name in FOREACH)


def test_a_function_answers_with_a_tuple():
    found = gb.foreach.mul(two(), [2, 10])

    assert isinstance(found, tuple)
    assert [it.tolist() for it in found] == [[2, -4], 30]


def test_a_form_in_place_returns_the_list_that_it_was_given():
    held = two()

    found = gb.foreach.addcmul_(held, two(), two(), value=[1, 2])

    assert found is held
    assert [it.tolist() for it in held] == [[2, 2], 21]


def test_gradients_pass_the_functions():
    leaf = gb.tensor([1.0, 2.0], requires_grad=True)

    sum(it.sum() for it in gb.foreach.exp([leaf, 2 * leaf])).backward()

    assert gb.allclose(leaf.grad, leaf.exp().detach() + 2 * (2 * leaf).exp().detach())


@pytest.mark.parametrize("name", ["maximum", "clamp_min"])
def test_bools_have_an_order_and_take_numbers(name):
    bools = [gb.tensor([True, False])]

    act = getattr(gb.foreach, name)

    assert act(bools, [gb.tensor([False, False])])[0].tolist() == [True, False]
    assert act(bools, 2)[0].tolist() == [2, 2]


def test_lists_that_do_not_fit_are_refused_as_pytorch_refuses_them():
    with pytest.raises(RuntimeError, match=r"foreach\.add: 1 beside 2 tensors; as many"):
        gb.foreach.add(two(), two()[:1])
    with pytest.raises(TypeError, match=r"foreach\.norm: tensors are of type Tensor"):
        gb.foreach.norm(gb.ones(2))
