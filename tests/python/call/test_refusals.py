"""What pybind11 binds refuses arguments in the house's words, whatever they are."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest
from garboard import _engine

PYBIND11 = [
    pytest.param(function, id=name)
    for name, function in vars(_engine).items()
    if type(function).__name__ == "builtin_function_or_method" and "pybind11" in repr(function)
]


class Unprintable:
    def __repr__(self) -> str:
        raise ValueError("printed")


@pytest.mark.parametrize("function", PYBIND11)
def test_no_function_answers_with_a_list_of_overloads(function):
    with pytest.raises(TypeError, match=r"^\w+: \(.*\) given; \(.*\) needed$") as caught:
        function(*[Unprintable()] * 9)

    assert "incompatible" not in str(caught.value)


def test_says_what_is_given_and_what_is_needed():
    with pytest.raises(TypeError) as caught:
        gb.set_num_threads("two")

    assert str(caught.value) == "set_num_threads: (str) given; (count: int) needed"


def test_says_what_a_method_is_given_without_its_tensor():
    with pytest.raises(TypeError) as caught:
        gb.ones(3).untyped_storage(1, of=2)

    assert str(caught.value) == "untyped_storage: (int, of=int) given; () needed"


def test_says_that_an_integer_is_out_of_range():
    with pytest.raises(TypeError, match="an integer out of range"):
        gb.set_num_threads(2**40)


def test_says_that_a_text_is_none():
    with pytest.raises(TypeError, match="half of a surrogate pair"):
        gb.memory.parse_bytes("\ud800")


def test_refuses_a_name_that_is_no_text():
    with pytest.raises(TypeError, match="parameter's name has half of a surrogate pair"):
        gb.memory.human_bytes(**{"\ud800": 1})


def test_does_not_print_the_tensors_it_is_given():
    with pytest.raises(TypeError) as caught:
        gb.get_num_threads(gb.tensor([12345.0]))

    assert "12345" not in str(caught.value)


def test_other_errors_come_out_as_they_are():
    with pytest.raises(gb.ShapeError, match="1 to 256 are possible"):
        gb.set_num_threads(0)


class Liar(dict):
    """A dict that says that it is endless."""

    def __len__(self):
        return 2**62

    def __length_hint__(self):
        return 2**62


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gb.nn.modules.lazy.LazyModuleMixin(), TypeError, "LazyLinear and others are"),
        (lambda: gb.zeros(2, device=1 << 70), gb.DeviceError, "beyond 64 bits"),
        (lambda: gb.zeros(2, device=-1), gb.DeviceError, 'device "cuda:-1"'),
        (lambda: gb.device("cuda", 10**5000), gb.DeviceError, "beyond 64 bits"),
        (lambda: gb.device("abacus", 1), gb.DeviceError, 'device "abacus:1"'),
        (lambda: gb.device("\ud800", 1), ValueError, "device: type"),
        (lambda: gb.amp.GradScaler("cpu").scale(endless()), TypeError, "at most 64 deep"),
        (
            lambda: gb.nn.functional.normalize(gb.eye(2), p=np.broadcast_to(1.0, (9, 9))),
            TypeError,
            "normalize: p",
        ),
        (
            lambda: gb.nn.modules.utils.consume_prefix_in_state_dict_if_present({1: 2}, "a"),
            TypeError,
            "state_dict",
        ),
    ],
)
def test_what_the_fuzzer_gave_is_refused_in_our_words(call, error, message):
    with pytest.raises(error, match=message):
        call()


def endless():
    nest = []
    nest.append(nest)
    return nest


def test_a_dict_that_lies_about_its_length_is_read_all_the_same():
    state = Liar({"module.a": gb.ones(1)})

    gb.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")

    assert dict.keys(state) == {"a"}


def test_a_weight_without_dims_may_be_assigned_to_its_norm():
    layer = gb.nn.utils.parametrizations.weight_norm(gb.nn.Linear(2, 2))

    layer.weight = gb.tensor(3.0)

    assert layer.weight.norm(dim=1).tolist() == pytest.approx([3.0, 3.0])


def test_a_range_of_a_name_that_no_file_can_have_is_opened():
    assert gb.cuda.nvtx.range_push("\ud800") == gb.cuda.nvtx.range_pop()


def test_a_loss_over_no_classes_is_smoothed_without_a_division():
    x = gb.ones(0)

    assert gb.nn.functional.cross_entropy(x, x, label_smoothing=0.5).numel() == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda x, dim: gb.slice_copy(x, dim),
        lambda x, dim: gb.segment_reduce(x, "sum", lengths=gb.tensor([1]), axis=dim),
        lambda x, dim: gb.fft.fftn(x, dim=(dim,)),
        lambda x, dim: gb.cat([x.to_sparse(), x.to_sparse()], dim),
    ],
    ids=["slice_copy", "segment_reduce", "fftn", "sparse cat"],
)
def test_refuses_a_dim_that_is_not_there(call):
    with pytest.raises(gb.IndexOutOfRangeError, match=r": (dim|axis) -3 of a tensor of 2 dims; "):
        call(gb.ones(2, 2), -3)
    with pytest.raises(gb.IndexOutOfRangeError, match=r" 2 of a tensor of 2 dims; "):
        call(gb.ones(2, 2), 2)


@pytest.mark.parametrize("call", [gb.slice_copy, lambda x: gb.segment_reduce(x, "sum", lengths=x)])
def test_refuses_a_dim_of_a_tensor_without_any(call):
    with pytest.raises(gb.IndexOutOfRangeError, match="of a tensor of 0 dims"):
        call(gb.tensor(1))
