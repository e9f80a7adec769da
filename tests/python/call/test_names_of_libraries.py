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
    assert gb.equal(aten._unsafe_view.default(x, [3, 2]), x.view(3, 2))


def test_ops_of_packages_have_names_with_the_package_in_front():
    x, aten = gb.tensor([[2.0, 0.0], [0.0, 4.0]]), gb.ops.aten

    assert gb.equal(aten.linalg_inv.default(x), gb.linalg.inv(x))
    assert gb.equal(aten.fft_rfft(x), gb.fft.rfft(x))
    assert gb.equal(aten.special_expit.default(x), gb.special.expit(x))
    with pytest.raises(AttributeError, match="aten::linalg_nothing"):
        aten.linalg_nothing  # noqa: B018


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


@pytest.mark.parametrize(
    ("path", "names", "error"),
    [
        ("export", "ExportedProgram export export_for_training load save", NotImplementedError),
        (
            "utils.cpp_extension",
            "BuildExtension CUDAExtension CppExtension load load_inline",
            NotImplementedError,
        ),
        ("_C", "Graph Value", TypeError),
    ],
)
def test_what_is_not_made_here_is_named_and_refuses_to_be_called(path, names, error):
    module = import_module(f"garboard.{path}")

    for name in names.split():
        with pytest.raises(error, match=f"{name}: .* here; "):
            getattr(module, name)("given", named=1)


class TestDim:
    def test_keeps_its_name_and_bounds(self):
        dim = gb.export.Dim("rows", min=2, max=8)

        assert (dim.name, dim.min, dim.max) == ("rows", 2, 8)
        assert repr(gb.export.Dim("rows")) == "Dim('rows', min=0, max=None)"
        assert {gb.export.Dim.AUTO, gb.export.Dim.STATIC, gb.export.Dim.DYNAMIC}

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            (((3,), {}), TypeError),
            ((("a",), {"min": 1.5}), TypeError),
            ((("a",), {"max": "3"}), TypeError),
            ((("a",), {"min": 3, "max": 2}), ValueError),
        ],
    )
    def test_of_other_things_is_refused(self, given, error):
        with pytest.raises(error, match="Dim: "):
            gb.export.Dim(*given[0], **given[1])

    def test_classes_are_heard_of(self):
        gb.export.register_dataclass(dict)

        with pytest.raises(TypeError, match="register_dataclass: "):
            gb.export.register_dataclass(3)


def test_one_generator_draws_for_all_cuda_devices():
    assert gb.cuda.default_generators == (gb.default_generator,) * gb.cuda.device_count()


@pytest.mark.parametrize("name", ["_softmax_backward_data", "_log_softmax_backward_data"])
def test_gradients_of_softmax_are_had_from_its_output(name):
    function = gb.log_softmax if "log" in name else gb.softmax
    x = gb.randn(3, 4, dtype=gb.float64, requires_grad=True)
    gradient = gb.randn(3, 4, dtype=gb.float64)
    output = function(x, 1)
    output.backward(gradient)

    found = getattr(gb, name)(gradient, output.detach(), -1, gb.float32)

    assert found.dtype is gb.float32
    gb.testing.assert_close(found, x.grad.float())
    for given in ((3, output, 1, gb.float32), (gradient, output, 1.5, gb.float32)):
        with pytest.raises(TypeError, match=name):
            getattr(gb, name)(*given)
    with pytest.raises(TypeError, match="input_dtype"):
        getattr(gb, name)(gradient, output, 1, "float32")


def test_floats_of_a_nest_are_cast_as_autocast_casts_them():
    cast = gb.amp.autocast_mode._cast
    nest = (gb.ones(2), {"a": [gb.ones(2, dtype=gb.float64), gb.arange(2)]}, "text", None)

    first, rest, *others = cast(nest, "cpu", gb.bfloat16)

    assert first.dtype is gb.bfloat16
    assert [it.dtype for it in rest["a"]] == [gb.float64, gb.int64]
    assert others == ["text", None]
    assert cast(nest, "cuda", gb.float16)[0] is nest[0]
    with pytest.raises(TypeError, match="_cast: dtype"):
        cast(nest, "cpu", "bfloat16")
