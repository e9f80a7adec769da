"""A program that sets the parts of `vmap`, for containers that know their batch."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard._functorch import vmap as home
from garboard._vmap_internals import _vmap

pytestmark = pytest.mark.no_leaks


class Box:
    """A container with the sizes of its batch: no nest that `vmap` would look into."""

    def __init__(self, sizes, **held):
        self.sizes, self.held = list(sizes), held


def _is_leaf(it):
    return isinstance(it, Box)


@pytest.fixture
def boxes(monkeypatch):
    def taken_apart(in_dims, args, func):
        leaves, form = home.tree_flatten(args, is_leaf=_is_leaf)
        dims = home._broadcast_to_and_flatten(in_dims, form)
        sizes = {
            it.sizes[dim] if isinstance(it, Box) else it.shape[dim]
            for it, dim in zip(leaves, dims, strict=True)
            if dim is not None
        }
        (size,) = sizes
        return size, dims, leaves, form

    def sample(it, dim, level):
        if dim is None:
            return it
        if not isinstance(it, Box):
            return home._add_batch_dim(it, dim, level)
        held = {name: home._add_batch_dim(one, dim, level) for name, one in it.held.items()}
        return Box([size for at, size in enumerate(it.sizes) if at != dim], **held)

    def samples(dims, leaves, level, form):
        made = [sample(it, dim, level) for it, dim in zip(leaves, dims, strict=True)]
        return home.tree_unflatten(made, form)

    def results(given, out_dims, level, size, func):
        name = home._get_name(func)
        if not isinstance(given, Box):
            return home._maybe_remove_batch_dim(name, given, level, size, out_dims)
        held = {
            key: home._maybe_remove_batch_dim(name, one, level, size, out_dims)
            for key, one in given.held.items()
        }
        return Box([*given.sizes[:out_dims], size, *given.sizes[out_dims:]], **held)

    monkeypatch.setattr(home, "_process_batched_inputs", taken_apart)
    monkeypatch.setattr(home, "_create_batched_inputs", samples)
    monkeypatch.setattr(home, "_unwrap_batched", results)


@pytest.mark.usefixtures("boxes")
def test_containers_are_given_and_returned_as_those_of_one_sample():
    seen = []

    def step(box, weight):
        seen.append((box.sizes, box.held["x"].shape))
        return Box(box.sizes, y=box.held["x"] * weight)

    made = gb.vmap(step, (0, None))(Box([3, 2], x=gb.ones(3, 2, 4)), gb.full((4,), 2.0))

    assert seen == [([2], (2, 4))]
    assert (made.sizes, made.held["y"].shape) == ([3, 2], (3, 2, 4))
    assert made.held["y"].sum().item() == 48


@pytest.mark.usefixtures("boxes")
def test_calls_inside_of_calls_are_counted():
    x = gb.arange(6.0).view(2, 3)

    made = gb.vmap(gb.vmap(lambda it: it + 1))(x)

    assert gb.equal(made, x + 1)
    assert gb.equal(gb.func.vmap(lambda it: it + 1, chunk_size=1)(x), x + 1)


@pytest.mark.usefixtures("boxes")
def test_a_result_without_a_dim_of_samples_is_the_same_for_all():
    assert gb.vmap(lambda it: 3, out_dims=None)(gb.ones(2)) == 3
    with pytest.raises(ValueError, match="out_dims is None where <lambda> returned samples"):
        gb.vmap(lambda it: it, out_dims=None)(gb.ones(2))
    with pytest.raises(ValueError, match="<lambda> returned a int; tensors are needed"):
        gb.vmap(lambda it: 3)(gb.ones(2))


def test_what_differs_between_samples_is_refused_as_one_for_all():
    x = gb.arange(6.0).view(2, 3)

    with pytest.raises(ValueError, match="vmap: out_dims None for a result that each sample has"):
        gb.vmap(lambda it: it.sum(), out_dims=None)(x)
    made, note, shared = gb.vmap(
        lambda it: (it + 1, "a note", gb.ones(2)), out_dims=(1, None, None)
    )(x)
    assert gb.equal(made, (x + 1).T)
    assert note == "a note"
    assert shared.shape == (2,)
    assert gb.vmap(lambda it: None, out_dims=None)(x) is None
    with pytest.raises(TypeError, match="item 1 of what the function returned is of type str"):
        gb.vmap(lambda it: (it, "a note"))(x)


def test_the_first_vmap_passes_gradients_that_are_none_where_it_may():
    x = gb.arange(3.0, requires_grad=True)
    unused = gb.ones(2, requires_grad=True)
    y = x**3

    def rows(v):
        return gb.autograd.grad(y, (x, unused), v, retain_graph=True, allow_unused=True)

    found, none = _vmap(rows, allow_none_pass_through=True)(gb.eye(3))

    assert gb.equal(found, gb.diag(3 * x**2))
    assert none is None
    turned, none = _vmap(lambda it: (it, None), 0, (1, 0), True)(gb.zeros(2, 3))
    assert turned.shape == (3, 2)
    assert _vmap(lambda it: it * 2, allow_none_pass_through=True)(gb.ones(2)).tolist() == [2, 2]
    with pytest.raises(TypeError, match="NoneType"):
        _vmap(rows)(gb.eye(3))


def test_parts_that_are_not_all_set_are_not_called(monkeypatch):
    monkeypatch.setattr(home, "_unwrap_batched", None)

    assert gb.vmap(lambda it: it + 1)(gb.zeros(2)).tolist() == [1, 1]
