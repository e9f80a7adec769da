"""Functions of functions: scans of what may be combined in any order."""

import garboard as gb
import pytest
from garboard._higher_order_ops.associative_scan import associative_scan

pytestmark = pytest.mark.no_leaks


@pytest.mark.parametrize("count", [1, 2, 5, 8])
@pytest.mark.parametrize("dim", [0, -1])
def test_a_scan_of_sums_is_a_running_sum(count, dim):
    x = gb.arange(3.0 * count).reshape(3, count).movedim(1, dim)

    assert gb.equal(associative_scan(gb.add, x, dim), x.cumsum(dim))
    backward = associative_scan(gb.add, x, dim, reverse=True, combine_mode="generic")
    assert gb.equal(backward, x.flip(dim).cumsum(dim).flip(dim))


def test_a_nest_is_combined_whole_and_has_gradients():
    a, b = gb.tensor([0.5, 2.0, 3.0], requires_grad=True), gb.tensor([1.0, 1.0, 4.0])

    _, states = associative_scan(
        lambda left, right: (left[0] * right[0], left[1] * right[0] + right[1]), (a, b), 0
    )
    states.sum().backward()

    assert states.tolist() == [1.0, 3.0, 13.0]  # s = a s + b
    assert a.grad.tolist() == [0.0, 4.0, 3.0]


def test_tensors_of_different_sizes_are_refused():
    with pytest.raises(gb.ShapeError, match=r"^associative_scan: 2 tensors of 2 sizes"):
        associative_scan(gb.add, (gb.ones(2), gb.ones(3)), 0)
