"""Names of PyTorch's nn.functional that few programs ask for."""

import garboard as gb
import pytest
from garboard.nn import functional

pytestmark = pytest.mark.no_leaks


@pytest.mark.parametrize("name", ["max_pool", "adaptive_max_pool"])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_pools_with_indices_are_those_that_are_asked_for_them(name, dims):
    x = gb.arange(2.0 * 4**dims).reshape(1, 2, *[4] * dims).sin()
    pool = getattr(functional, f"{name}{dims}d")
    indexed = getattr(functional, f"{name}{dims}d_with_indices")

    found, places = indexed(x, 2)

    expected, their_places = pool(x, 2, return_indices=True)
    assert gb.equal(found, expected)
    assert gb.equal(places, their_places)
    assert indexed.__name__ == f"{name}{dims}d_with_indices"


def test_a_convolution_of_times_that_come_first_is_one_of_lines():
    x, weight, bias = gb.randn(5, 2, 3), gb.randn(3, 3, 4), gb.randn(4)

    found = functional.conv_tbc(x, weight, bias, pad=1)

    lines = functional.conv1d(x.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=1)
    assert gb.allclose(found, lines.permute(2, 0, 1))
    assert gb.conv_tbc is functional.conv_tbc
    with pytest.raises(gb.ShapeError, match=r"^conv_tbc: input of sizes"):
        gb.conv_tbc(gb.ones(2), weight, bias)


def test_a_functionalized_function_is_itself():
    assert gb.func.functionalize(gb.sin) is gb.sin
    with pytest.raises(ValueError, match=r"^functionalize: remove"):
        gb.func.functionalize(gb.sin, remove="nothing")
    with pytest.raises(ImportError, match="TorchFunctionMode"):
        from garboard.utils._python_dispatch import TorchDispatchMode  # noqa: F401
