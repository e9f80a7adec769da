"""Names that published libraries look for beneath those of programs."""

from importlib import import_module
from typing import get_type_hints

import garboard as gb
import pytest
from garboard import nn

pytestmark = pytest.mark.no_leaks


def test_ops_beneath_methods_and_brackets_have_names():
    x, aten = gb.arange(6.0).reshape(2, 3), gb.ops.aten

    copied = aten._to_copy.default(x, dtype=gb.float64)
    assert (copied.dtype, aten._to_copy.default(x).data_ptr() == x.data_ptr()) == (
        gb.float64,
        False,
    )
    assert gb.equal(aten.slice.Tensor(x, 1, 0, 3, 2), x[:, ::2])
    assert gb.equal(aten.index.Tensor(x, [None, gb.tensor([2, 0])]), x[:, [2, 0]])
    matrix = gb.eye(2).to_sparse()
    assert gb.equal(aten._sparse_addmm.default(x, matrix, x, beta=2.0, alpha=3.0), 5 * x)


def test_what_only_pytorch_makes_is_named_and_not_made():
    assert gb.serialization.DEFAULT_PROTOCOL == 2
    assert not isinstance(gb.ones(1), gb.PyTorchFileReader)
    with pytest.raises(TypeError, match=r"gb\.load"):
        gb.PyTorchFileReader("path")
    assert gb.autograd.profiler.EventList is gb.profiler.EventAverages
    assert gb.jit.interface(nn.Linear) is nn.Linear
    for path in ("distributed.rpc", "utils._device"):
        assert import_module(f"garboard.{path}").__all__ == []


def test_parts_of_what_a_tensor_prints_can_be_had():
    parts, x = import_module("garboard._tensor_str"), gb.tensor([[1.0, 2.0], [3.0, 4.0]])

    body = parts._tensor_str(x, 7)

    assert parts._add_suffixes("tensor(" + body, [], 7, False) == repr(x) == parts._str(x)
    assert parts._add_suffixes("tensor([", ["dtype=int"], 7, True) == (
        "tensor([,\n       dtype=int)"
    )
    assert parts._str_intern(x, tensor_contents="text") == "text"
    assert parts.PRINT_OPTS.linewidth == 80
    with parts.printoptions(precision=1):
        assert str(gb.tensor([1.25])) == "tensor([1.2])"
    assert str(gb.tensor([1.25])) == "tensor([1.2500])"


@pytest.mark.parametrize(
    ("given", "named", "found"),
    [
        ((), {}, (None, None, False, None)),
        (("cpu", gb.float16, True), {}, (gb.device("cpu"), gb.float16, True, None)),
        ((gb.float16, True), {}, (None, gb.float16, True, None)),
        ((), {"device": "cpu", "dtype": gb.float64}, (gb.device("cpu"), gb.float64, False, None)),
    ],
)
def test_what_to_is_given_is_taken_apart(given, named, found):
    assert gb._C._nn._parse_to(*given, **named) == found


def test_a_tensor_says_where_to_and_of_which_dtype():
    found = gb._C._nn._parse_to(gb.ones(1, dtype=gb.float64))

    assert found == (gb.device("cpu"), gb.float64, False, None)
    assert gb._C._nn.gelu is nn.functional.gelu


def test_asking_for_warnings_alone_is_remembered():
    try:
        gb.use_deterministic_algorithms(True, warn_only=True)
        assert gb.is_deterministic_algorithms_warn_only_enabled()
        gb.use_deterministic_algorithms(True)
        assert not gb.is_deterministic_algorithms_warn_only_enabled()
    finally:
        gb.use_deterministic_algorithms(False)


def test_a_mapping_of_the_class_of_a_modules_is_a_dict():
    parameters = nn.Linear(1, 1)._parameters

    assert type(type(parameters)({"a": 1})) is dict
    assert type(parameters)({"a": 1}) == {"a": 1}


def test_the_class_of_storages_is_told_to_programs_that_write_files():
    assert gb.serialization.normalize_storage_type(gb.UntypedStorage) is gb.UntypedStorage
    with pytest.raises(TypeError, match="the class of a storage is needed"):
        gb.serialization.normalize_storage_type(int)


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "sigmoid", "tanh", "softmax"])
def test_activations_take_attributes_as_functions_of_python_do(name):
    function = getattr(nn.functional, name)

    function.__default_init__ = nn.init.xavier_uniform_  # as fastai says how a layer before starts
    try:
        assert getattr(nn.functional, name).__default_init__ is nn.init.xavier_uniform_
    finally:
        del function.__default_init__


@pytest.mark.parametrize("name", [name for name in nn.__all__ if name.endswith("Loss")])
def test_annotations_of_a_loss_name_nothing_that_only_we_know(name):
    loss = object.__new__(getattr(nn, name))

    hints = get_type_hints(loss, globalns={}, localns={})  # as fastai reads them

    assert hints in ({}, {"reduction": str})
