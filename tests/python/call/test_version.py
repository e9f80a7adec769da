"""The version, as programs compare it: it follows the newest PyTorch, and is one of garboard's."""

from __future__ import annotations

import garboard as gb
import pytest


@pytest.mark.parametrize("asked", ["1.5.0", "2.15.0+cpu", "1.13.0a0", (1, 8), [2]])
def test_is_later_than_every_pytorch(asked):
    assert gb.__version__ >= asked
    assert gb.__version__ > asked
    assert not gb.__version__ < asked
    assert not gb.__version__ <= asked


def test_is_ordered_among_its_own():
    version = type(gb.__version__)("0.9.1")

    assert version > "0.9"
    assert version < "0.10"
    assert version >= (0, 9, 1)
    assert version <= "0.9.1rc1"
    assert not version > "0.9.1"


def test_is_a_text():
    assert gb.__version__ == gb.version.__version__
    assert str(gb.__version__).split(".")[0] == "0"
    with pytest.raises(TypeError, match="__version__: compared with what is of type int"):
        assert gb.__version__ >= 2  # type: ignore[operator]
