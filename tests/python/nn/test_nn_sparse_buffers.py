"""Buffers that are tensors by coordinates, as whisper keeps the heads that it aligns by."""

from __future__ import annotations

import copy

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def module_of(buffer: object, *, persistent: bool = True) -> nn.Module:
    module = nn.Module()
    module.register_buffer("heads", buffer, persistent=persistent)
    return module


def test_are_registered_listed_and_replaced():
    module = module_of(gb.eye(3, dtype=gb.bool).to_sparse(), persistent=False)

    assert [name for name, _ in module.named_buffers()] == ["heads"]
    assert list(module.state_dict()) == []

    module.heads = (gb.eye(3) * 2).to_sparse()
    assert next(module.buffers()).to_dense().tolist() == (gb.eye(3) * 2).tolist()
    with pytest.raises(TypeError, match="buffer 'heads'"):
        module.heads = "none"
    with pytest.raises(TypeError, match="parameter 'weight'"):
        module.register_parameter("weight", gb.eye(3).to_sparse())


def test_are_converted_with_the_module():
    module = module_of(gb.eye(2).to_sparse())
    module.register_buffer("mask", gb.eye(2, dtype=gb.bool).to_sparse())

    module.double().to("cpu")

    assert module.heads.dtype == gb.float64
    assert module.mask.dtype == gb.bool
    assert module.heads.to_dense().tolist() == [[1, 0], [0, 1]]
    assert module.to_empty(device="cpu").heads.shape == (2, 2)


def test_are_saved_and_loaded():
    module, other = module_of(gb.eye(2).to_sparse()), module_of(gb.zeros(2, 2).to_sparse())

    state = module.state_dict()
    other.load_state_dict(state)

    assert other.heads.to_dense().tolist() == [[1, 0], [0, 1]]
    state["heads"].values().zero_()
    assert other.heads.to_dense().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(gb.ShapeError, match="size mismatch for heads"):
        other.load_state_dict({"heads": gb.eye(3).to_sparse()})
    with pytest.raises(gb.DTypeError, match="a SparseTensor is needed"):
        other.load_state_dict({"heads": gb.eye(2)})
    other.load_state_dict({"heads": gb.eye(2).to_sparse() * 3}, assign=True)
    assert other.heads.to_dense().tolist() == [[3, 0], [0, 3]]


def test_are_copied_in_depth():
    module = module_of(gb.eye(2).to_sparse())

    copied = copy.deepcopy(module)
    copied.heads.values().zero_()

    assert module.heads.to_dense().tolist() == [[1, 0], [0, 1]]
    assert copied.heads.to_dense().tolist() == [[0, 0], [0, 0]]


def test_outlive_a_scope_in_which_they_were_made():
    module = nn.Module()

    with gb.dispose_scope():
        module.register_buffer("heads", gb.eye(2).to_sparse())

    assert module.heads.to_dense().tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("name", ["to_sparse", "to_sparse_csr"])
def test_end_with_the_module(name):
    module = module_of(getattr(gb.eye(3), name)())

    with module:
        pass

    assert module.heads.is_disposed
    module.dispose()


def test_leave_a_scope_with_the_module():
    with gb.dispose_scope() as scope:
        module = module_of(gb.eye(2).to_sparse())
        scope.move_to_outer(module)

    assert module.heads.to_dense().tolist() == [[1, 0], [0, 1]]
