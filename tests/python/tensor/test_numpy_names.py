"""NumPy's names of `dim` and `keepdim`, wherever an op takes these."""

from __future__ import annotations

import inspect
from typing import Any

import garboard as gb
import pytest
from garboard import _engine


def row() -> gb.Tensor:
    return gb.arange(3.0).reshape(1, 3)


def others_of(op: str) -> dict[str, Any]:
    """Return what an op is given beside a row and a dim."""
    index, source = gb.tensor([[0]]), gb.ones(1, 1)
    first = gb.tensor([0])
    known: dict[str, dict[str, Any]] = {
        "cross": {"other": gb.ones(3, 3)},
        "gather": {"index": index},
        "index_add": {"index": first, "source": row()},
        "index_copy": {"index": first, "source": row()},
        "index_fill": {"index": first, "value": 1.0},
        "index_select": {"index": first},
        "kthvalue": {"k": 1},
        "nanquantile": {"q": 0.5},
        "quantile": {"q": 0.5},
        "scatter": {"index": index, "src": source},
        "scatter_add": {"index": index, "src": source},
        "scatter_reduce": {"index": index, "src": source, "reduce": "sum"},
        "take_along_dim": {"indices": index},
        "topk": {"k": 1},
        "chunk": {"chunks": 1},
        "narrow": {"start": 0, "length": 1},
        "repeat_interleave": {"repeats": 2},
        "select": {"index": 0},
        "split": {"split_size_or_sections": 1},
        "split_with_sizes": {"split_sizes": [1]},
        "tensor_split": {"indices_or_sections": 1},
        "unflatten": {"sizes": (1, 1)},
    }
    return known.get(op.removesuffix("_"), {})


OPS = sorted({name for name, *_ in _engine._op_table() if not name.startswith("_")})


def op_of(name: str) -> Any:
    found = getattr(gb.Tensor, name, None)
    return found if callable(found) else getattr(gb, name)


def taking(parameter: str) -> list[str]:
    return [name for name in OPS if parameter in inspect.signature(op_of(name)).parameters]


@pytest.mark.parametrize("op", taking("dim"))
def test_axis_is_dim(op):
    x = gb.ones(3, 3) if op == "cross" else row()
    given = [x, x] if op in ("cat", "stack") else x
    others = others_of(op)

    by_dim = op_of(op)(given, dim=0, **others)
    by_axis = op_of(op)(given, axis=0, **others)

    assert repr(by_axis) == repr(by_dim)
    with pytest.raises(TypeError, match=f"{op}: 'dim' is given twice; 'axis' is another name"):
        op_of(op)(given, dim=0, axis=0, **others)
    with pytest.raises(TypeError, match=f"{op}: 'dim' is given twice"):
        op_of(op)(given, axis=0, dim=0, **others)


@pytest.mark.parametrize("op", taking("keepdim"))
def test_keepdims_is_keepdim(op):
    x, others = row(), others_of(op)

    by_keepdim = op_of(op)(x, dim=1, keepdim=True, **others)
    by_keepdims = op_of(op)(x, axis=1, keepdims=True, **others)

    assert repr(by_keepdims) == repr(by_keepdim)
    with pytest.raises(TypeError, match=f"{op}: 'keepdim' is given twice"):
        op_of(op)(x, dim=1, keepdim=True, keepdims=True, **others)


def test_a_method_takes_them_with_a_name_that_was_made_on_the_way():
    x = row()

    assert x.sum(**{"".join(["ax", "is"]): 1, "".join(["keep", "dims"]): True}).shape == (1, 1)


def test_what_has_no_dim_has_no_axis():
    x = row()

    with pytest.raises(TypeError, match="exp: no parameter is named 'axis'"):
        gb.exp(x, axis=0)


@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
def test_the_functions_of_nn_take_them_too(op):
    x = row()
    function = getattr(gb.nn.functional, op)

    assert function(x, axis=1).tolist() == function(x, 1).tolist()
    with pytest.raises(TypeError, match=f"{op}: 'dim' is given twice"):
        function(x, 1, axis=1)


@pytest.mark.parametrize(("op", "extreme"), [("max", 2.0), ("min", 0.0)])
def test_extrema_of_all_elements_keep_the_dims_where_they_are_asked_to(op, extreme):
    x = row().requires_grad_()

    for kept in (op_of(op)(x, keepdim=True), op_of(op)(x, axis=None, keepdims=True)):
        assert kept.tolist() == [[extreme]]
    assert op_of(op)(x).shape == ()
    assert kept.grad_fn.name() == op
