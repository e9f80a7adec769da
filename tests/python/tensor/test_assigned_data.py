"""`x.data = y`: a tensor that takes over other elements."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn, optim

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# Elements that lie inside the tensor itself, and elements that have a block of their own.
COUNTS = pytest.mark.parametrize("count", [3, 300])


@COUNTS
class TestALeaf:
    def test_has_the_elements_that_it_is_given_and_stays_the_leaf_that_it_is(self, count):
        x = nn.Parameter(gb.zeros(count))
        (x * 3).sum().backward()

        x.data = given = gb.ones(count)
        given.mul_(2)
        x.sum().backward()

        assert x.tolist() == [2.0] * count
        assert x.grad.tolist() == [4.0] * count
        assert x.requires_grad
        assert x.is_leaf

    def test_gives_back_the_elements_that_were_kept(self, count):
        x = nn.Parameter(gb.zeros(count))

        kept = x.data
        x.data = gb.ones(count)
        seen = x.tolist()
        x.data = kept
        x.data.add_(5)

        assert (seen, kept.tolist(), x.tolist()) == ([1.0] * count, [5.0] * count, [5.0] * count)

    def test_is_trained_on(self, count):
        x = nn.Parameter(gb.zeros(count))
        trainer = optim.SGD([x], lr=1.0, momentum=0.5)
        for _ in range(3):
            trainer.zero_grad()
            x.sum().backward()
            trainer.step()
            x.data = x.data.clamp(min=-2.0)

        assert x.tolist() == [-2.0] * count

    def test_outlives_the_scope_of_what_it_is_given(self, count):
        x = nn.Parameter(gb.zeros(count))

        with gb.dispose_scope():
            x.data = gb.ones(count) + 1

        assert x.tolist() == [2.0] * count

    def test_ends_with_everything_whatever_it_was_given(self, count):
        before = gb.memory.live()
        for turns in range(4):
            x = gb.zeros(count)
            kept = x.data
            for turn in range(turns):
                x.data = kept if turn % 2 else gb.ones(2 * count)
            if turns % 2:
                del kept, x
            else:
                del x, kept

        assert gb.memory.live() == before

    def test_of_what_backward_needs_raises(self, count):
        x = nn.Parameter(gb.ones(count))
        y = (x * x).sum()

        x.data = gb.zeros(count)
        x.data = gb.zeros(count)

        with pytest.raises(gb.VersionError):
            y.backward()


def test_it_may_be_of_other_sizes_and_of_another_dtype():
    x = gb.zeros(2)

    x.data = gb.ones(3, 4, dtype=gb.float64).T

    assert (x.shape, x.dtype, x.is_contiguous()) == ((4, 3), gb.float64, False)


def made_in_inference_mode() -> gb.Tensor:
    with gb.inference_mode():
        return gb.ones(2)


def leaf() -> gb.Tensor:
    x = gb.zeros(2, requires_grad=True)
    x.sum().backward()
    return x


REFUSED = {
    "a view of what was computed, of other sizes": (
        lambda: (gb.zeros(2, requires_grad=True) * 2)[:1],
        lambda: gb.ones(2),
        gb.GradientError,
    ),
    "other sizes, of no leaf": (lambda: leaf() * 2, lambda: gb.ones(3), gb.GradientError),
    "another dtype, of no leaf": (
        lambda: leaf() * 2,
        lambda: gb.ones(2).double(),
        gb.GradientError,
    ),
    "no floating dtype": (leaf, lambda: gb.tensor([1, 2]), gb.DTypeError),
    "inference": (leaf, made_in_inference_mode, gb.GradientError),
    "sizes unlike the gradient's": (leaf, lambda: gb.ones(3), gb.ShapeError),
    "a dtype unlike the gradient's": (leaf, lambda: gb.ones(2).double(), gb.DTypeError),
    "no tensor": (leaf, lambda: [1.0, 2.0], TypeError),
}


@pytest.mark.parametrize(("make", "given", "error"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_is_refused(make, given, error):
    x = make()
    before = x.tolist()

    with pytest.raises(error, match="data"):
        x.data = given()

    assert x.tolist() == before


def test_what_was_computed_takes_other_elements_and_keeps_its_history():
    x = gb.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    squared = y * y

    y.data = given = gb.tensor([5.0, 6.0])

    assert y.data_ptr() == given.data_ptr()
    (y * gb.tensor([1.0, 3.0])).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [20.0, 60.0]
    with pytest.raises(gb.VersionError):
        squared.sum().backward()


@pytest.mark.parametrize("cut", [lambda y: y[1], lambda y: y.t()[3], lambda y: y.view(-1)[5:]])
@pytest.mark.parametrize("is_computed", [False, True])
def test_views_of_what_it_was_look_into_it_no_more(cut, is_computed):
    x, factor = gb.ones(3, 4, requires_grad=True), gb.tensor(3.0, requires_grad=True)
    y = x * 2 if is_computed else gb.ones(3, 4)
    view = cut(y)

    y.data = gb.ones(100)[50:62].view(3, 4)
    view.mul_(factor)

    assert y.tolist() == [[1.0] * 4] * 3
    assert y.requires_grad is is_computed
    if is_computed:
        y.sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [[2.0] * 4] * 3
    y.detach_().add_(1)
    view.sum().backward()
    assert factor.grad is not None
    assert factor.grad.item() == view.numel() * (1 + is_computed)


@pytest.mark.parametrize("count", [3, 300])
def test_a_view_that_is_given_elements_keeps_its_history_and_leaves_its_base(count):
    x, factor = gb.ones(2, count, requires_grad=True), gb.tensor(3.0, requires_grad=True)
    base = x * 2
    view, before = base[1], base[1]
    base.mul_(5)  # the history of both is now that of what was written

    view.data = given = gb.full((count,), 7.0)
    view.mul_(factor)

    assert base.tolist() == [[10.0] * count] * 2
    assert (before.tolist(), given.tolist()) == ([10.0] * count, [21.0] * count)
    view.sum().backward()
    assert x.grad.tolist() == [[0.0] * count, [30.0] * count]
    assert factor.grad.item() == 7 * count


def test_a_view_of_no_history_takes_elements_of_any_size():
    base = gb.zeros(4)
    view = base[1:3]

    view.data = gb.ones(2, 3)
    view.add_(1)

    assert (view.tolist(), base.tolist()) == ([[2.0] * 3] * 2, [0.0] * 4)


def test_it_is_no_leak():
    x, identity = nn.Parameter(gb.ones(2, 2)), gb.eye(2, requires_grad=True)

    with gb.leaks.no_leaks():
        x.data = x.data.T
        x.data = identity + x

    assert x.tolist() == [[2.0, 1.0], [1.0, 2.0]]
    assert x.is_leaf


def test_it_cannot_be_deleted():
    x = gb.zeros(2)

    with pytest.raises(TypeError, match="data"):
        del x.data


def test_in_inference_mode_it_may_be_of_inference_mode():
    x = gb.ones(2, requires_grad=True)

    with gb.inference_mode():
        x.data = x.data * 2

    assert (x.tolist(), x.requires_grad, x.is_inference()) == ([2, 2], True, True)


@pytest.mark.parametrize("made_inside", [True, False])
def test_a_module_is_converted_in_inference_mode(made_inside):
    layer = gb.nn.BatchNorm1d(2)

    with gb.inference_mode():
        if made_inside:
            layer = gb.nn.BatchNorm1d(2)
        layer.double().eval()
        y = layer(gb.ones(3, 2, dtype=gb.float64))

    assert (y.dtype, layer.weight.dtype, layer.weight.requires_grad) == (
        gb.float64,
        gb.float64,
        True,
    )
