"""What pybind11 binds refuses arguments in the house's words, whatever they are."""

from __future__ import annotations

import garboard as gb
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
        gb.ones(3).storage(1, of=2)

    assert str(caught.value) == "storage: (int, of=int) given; () needed"


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
