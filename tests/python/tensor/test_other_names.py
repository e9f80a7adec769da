"""Second names of functions and methods: they are what they name, and say so."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import _engine

NAMES = _engine._other_names()


@pytest.mark.parametrize(("name", "of", "is_method"), NAMES)
def test_a_second_name_is_documented_as_what_it_names(name, of, is_method):
    owner = gb.Tensor if is_method else gb
    second, first = getattr(owner, name), getattr(owner, of)

    assert second.__text_signature__ == first.__text_signature__
    assert f"Another name of `{of}`, as errors call it." in second.__doc__
    assert first.__doc__.split("\n")[0] == second.__doc__.split("\n")[0]
    assert is_method or name in gb.__all__


def test_a_second_name_does_what_the_first_does():
    x = gb.tensor([-1.5, 2.0])

    assert gb.absolute(x).tolist() == x.absolute().tolist() == [1.5, 2.0]
    assert x.multiply_(2) is x
    assert x.tolist() == [-3.0, 4.0]
    assert gb.concat([x, x]).shape == (4,)
    with pytest.raises(gb.ShapeError, match=r"^mul: sizes \[2\] and \[3\]"):
        gb.multiply(x, gb.ones(3))


class TestNamesOfParameters:
    def test_of_sizes_are_pytorchs(self):
        x = gb.arange(6)

        assert x.view(size=(2, 3)).shape == (2, 3)
        assert gb.zeros(1, 3).expand(size=(2, 3)).shape == (2, 3)
        assert x.reshape(2, 3).swapaxes_(axis0=0, axis1=1).shape == (3, 2)

    def test_of_split_are_those_of_the_function_and_of_the_method(self):
        x = gb.arange(5)

        assert [len(it) for it in x.split(split_size=2)] == [2, 2, 1]
        assert [len(it) for it in gb.split(x, split_size_or_sections=[1, 4])] == [1, 4]
        with pytest.raises(TypeError, match="split: 'split_size_or_sections' is given twice"):
            x.split(2, split_size=2)

    def test_an_array_is_taken_by_force(self):
        x = gb.ones(2, requires_grad=True)

        array = x.numpy(force=True)

        assert array.tolist() == [1.0, 1.0]
        with pytest.raises(gb.GradientError):
            x.numpy(force=False)
        with gb.memory.SimulatedDevice("4 MiB") as device:
            assert gb.zeros(2, device=device).numpy(force=True).tolist() == [0.0, 0.0]

    def test_numbers_are_taken_from_a_range(self):
        assert gb.tensor(range(1, 4)).tolist() == [1, 2, 3]
        assert gb.tensor(range(2), dtype=gb.float32).dtype == gb.float32


class TestViewsOfBytes:
    @pytest.mark.parametrize("dtype", [gb.uint8, gb.int16, gb.int32, gb.float64])
    def test_are_those_of_numpy(self, dtype):
        x = gb.arange(16.0).reshape(2, 8)

        found = x.view(dtype)

        expected = x.numpy().view(str(dtype).removeprefix("garboard."))
        assert found.numpy().tolist() == expected.tolist()
        assert found.data_ptr() == x.data_ptr()

    def test_write_to_the_same_memory(self):
        x = gb.tensor([1.0, -2.0])

        x.view(gb.int32).bitwise_and_(0x7FFFFFFF)

        assert x.tolist() == [1.0, 2.0]

    def test_keep_the_gradient_of_the_same_dtype_alone(self):
        x = gb.ones(2, requires_grad=True)

        assert x.view(gb.float32).requires_grad
        assert not x.view(gb.int32).requires_grad

    def test_leave_nothing(self):
        x = gb.ones(2, 4)

        with gb.leaks.no_leaks():
            x.view(gb.uint8).view(gb.int64)

    @pytest.mark.parametrize(
        ("make", "dtype"),
        [
            (lambda: gb.tensor(1.0), gb.uint8),
            (lambda: gb.zeros(2, 4).T, gb.uint8),
            (lambda: gb.zeros(2, 3), gb.float64),
            (lambda: gb.zeros(2, 3)[:, :2], gb.float64),
            (lambda: gb.zeros(2, 4)[:, 1:3], gb.float64),
            (lambda: gb.zeros(1).as_strided((1, 1), (2**62, 1)), gb.uint8),
        ],
    )
    def test_refuse_what_fills_no_whole_elements(self, make, dtype):
        with pytest.raises(gb.ShapeError, match=r"view: float32 as .* is needed"):
            make().view(dtype)
