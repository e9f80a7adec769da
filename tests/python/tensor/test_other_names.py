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
