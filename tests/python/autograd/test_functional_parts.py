"""Parts of `autograd.functional` that libraries make Jacobians of their own from."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._vmap_internals import _vmap
from garboard.autograd.functional import (
    _as_tuple,
    _construct_standard_basis_for,
    _grad_postprocess,
    _tuple_postprocess,
)

pytestmark = pytest.mark.no_leaks


def test_a_jacobian_of_outputs_is_made_of_them():
    x = gb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    is_tuple, outputs = _as_tuple(x[:2] ** 2, "outputs", "jacobian")
    (rows,) = _construct_standard_basis_for(outputs, [2])

    found = _vmap(lambda v: gb.autograd.grad(outputs, x, v, retain_graph=True))(rows)

    (made,) = _grad_postprocess(found, False)
    assert not is_tuple
    assert made.tolist() == [[2, 0, 0], [0, 4, 0]]
    assert _tuple_postprocess(((made,),), (False, False)) is made
    assert _tuple_postprocess((made,), True) == (made,)


def test_a_basis_has_columns_for_each_tensor():
    first, second = _construct_standard_basis_for((gb.ones(2), gb.ones(1)), (2, 1))

    assert gb.equal(gb.cat([first, second], 1), gb.eye(3))


def test_a_history_is_kept_where_it_is_asked_for():
    y = gb.ones(1, requires_grad=True) * 2

    assert _grad_postprocess((y,), True)[0].requires_grad
    assert not _grad_postprocess(((y,),), False)[0][0].requires_grad


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="jacobian: inputs holds 3; a Tensor, or a tuple"):
        _as_tuple((gb.ones(1), 3), "inputs", "jacobian")
