"""A gradient that was recorded holds the tensor it is of: the collector ends both together."""

from __future__ import annotations

import gc

import garboard as gb
import pytest

from tests.support.programs import run_program


@pytest.mark.parametrize(
    "differentiate",
    [
        lambda loss: loss.backward(create_graph=True),
        lambda loss: gb.autograd.backward(loss, create_graph=True),
    ],
    ids=["method", "function"],
)
def test_is_collected_when_nobody_has_the_tensor(differentiate):
    before = gb.memory.live()
    x = gb.ones(3, requires_grad=True)
    differentiate((x**3).sum())
    del x

    gc.collect()

    assert gb.memory.live() == before


@pytest.mark.parametrize(
    "cycle",
    [
        "x.grad = x",
        "x.grad = x * 2",
        "x.grad, y.grad = y, x",
        "x.sum().backward(); x.grad.add_(x * 2)",
    ],
)
def test_is_collected_where_it_was_assigned_or_written(cycle):
    said = run_program(  # in which nothing else asked the collector to look
        f"""
        import gc, garboard as gb
        def make():
            x, y = gb.eye(3, requires_grad=True), gb.ones(3, 3, requires_grad=True)
            {cycle}
        make()
        gc.collect()
        print(gb.memory.live().bytes, gb.memory.live().nodes)
        """
    )

    assert said == "0 0\n"


def test_is_collected_behind_a_scope():
    before = gb.memory.live()
    with gb.dispose_scope():
        x = gb.ones(3, requires_grad=True)
        (x**3).sum().backward(create_graph=True)

    gc.collect()

    assert gb.memory.live() == before


def test_is_collected_with_a_hook_that_knows_the_loss():
    before = gb.memory.live()
    x = gb.ones(3, requires_grad=True)
    loss = (x**3).sum()
    x.register_hook(lambda gradient, loss=loss: gradient * loss)
    loss.backward(create_graph=True)
    del x, loss

    for _ in range(2):  # the hook is dropped first, then what it held
        gc.collect()

    assert gb.memory.live() == before


def test_stays_while_somebody_has_the_tensor():
    x = gb.ones(3, requires_grad=True)
    (x**3).sum().backward(create_graph=True)

    gc.collect()

    assert x.grad.tolist() == [3.0, 3.0, 3.0]
    (second,) = gb.autograd.grad(x.grad.sum(), [x])
    assert second.tolist() == [6.0, 6.0, 6.0]


def test_stays_while_somebody_has_what_was_computed_from_it():
    x = gb.ones(3, requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    penalty = (x.grad * x.grad).sum()
    gradient = x.grad
    del x

    gc.collect()
    penalty.backward()

    assert gradient.tolist() == [3.0, 3.0, 3.0]


@pytest.mark.parametrize(
    "differentiate",
    [
        lambda x, y: x.backward(gradient=x, create_graph=True),
        lambda x, y: gb.autograd.backward(x, grad_tensors=x, create_graph=True),
        lambda x, y: (
            x.backward(gradient=y, create_graph=True),
            y.backward(gradient=x, create_graph=True),
        ),
        lambda x, y: (
            x.register_hook(lambda gradient, x=x: x),
            x.sum().backward(create_graph=True),
        ),
    ],
    ids=["method", "function", "each the other's", "by a hook"],
)
def test_is_collected_where_a_leaf_was_given_as_its_own_gradient(differentiate):
    before = gb.memory.live()
    x, y = gb.ones(3, requires_grad=True), gb.ones(3, requires_grad=True)
    differentiate(x, y)
    del x, y

    for _ in range(2):
        gc.collect()

    assert gb.memory.live() == before


def test_shares_no_bytes_with_the_gradient_that_was_given():
    x, given = gb.ones(3, requires_grad=True), gb.ones(3, requires_grad=True)
    x.backward(gradient=given, create_graph=True)
    (slope,) = gb.autograd.grad((x.grad * x.grad).sum(), [given])

    with gb.no_grad():
        x.grad.zero_()

    assert given.tolist() == [1.0, 1.0, 1.0]
    assert slope.tolist() == [2.0, 2.0, 2.0]


def test_shares_no_bytes_with_the_gradient_of_another_tensor():
    x, y = gb.ones(3, requires_grad=True), gb.ones(3, requires_grad=True)
    (x + y).sum().backward(create_graph=True)

    with gb.no_grad():
        x.grad.zero_()

    assert y.grad.tolist() == [1.0, 1.0, 1.0]


def rested(values: int = 3) -> tuple[gb.Tensor, gb.Tensor]:
    """A leaf whose flag was cleared, and a tensor whose history leads to it still."""
    x = gb.ones(values, requires_grad=True)
    y = x * 2
    return x.requires_grad_(False), y


@pytest.mark.parametrize(
    "write",
    [
        lambda x, y: x.mul_(y),
        lambda x, y: x.add_(y),
        lambda x, y: x[1:].mul_(y.exp()[1:]),
    ],
    ids=["it", "it, with nothing saved", "a view of it"],
)
def test_a_leaf_whose_flag_was_cleared_does_not_hold_what_is_written_to(write):
    before = gb.memory.live()

    write(*rested())

    assert gb.memory.live() == before


def test_a_view_of_a_leaf_whose_flag_was_cleared_does_not_hold_the_leaf():
    before = gb.memory.live()
    x = gb.ones(3, requires_grad=True)
    view = x[1:]
    x.requires_grad_(False)

    view.mul_(2)

    del x, view
    assert gb.memory.live() == before


def test_a_leaf_may_be_its_own_gradient():
    before = gb.memory.live()
    x = gb.ones(2, requires_grad=True)

    gb.autograd.backward([x], grad_tensors=[x], inputs=[x])

    assert x.grad is not None
    assert not x.grad.requires_grad
    del x
    assert gb.memory.live() == before


@pytest.mark.parametrize(
    "write", [lambda grad, x: grad.copy_(x), lambda grad, x: grad[1:].mul_(x[1:])]
)
def test_is_collected_where_a_gradient_is_written_with_the_tensor_it_is_of(write):
    before = gb.memory.live()
    x = gb.ones(2, requires_grad=True)
    x.grad = gb.ones(2)
    write(x.grad, x)
    assert x.grad.requires_grad
    del x

    gc.collect()

    assert gb.memory.live() == before


@pytest.mark.parametrize(
    "pack",
    [
        lambda kept, x: (kept, x),
        lambda kept, x: [kept, x],
        lambda kept, x: (kept, x[1:]),
        lambda kept, x: (kept, lambda: x),
    ],
    ids=["a tuple", "a list", "a view", "a function"],
)
@pytest.mark.parametrize("is_inside", [True, False])
def test_is_collected_where_what_is_kept_for_backward_was_packed_with_the_tensor(pack, is_inside):
    before = gb.memory.live()
    x = gb.ones(3, requires_grad=True)
    hooks = gb.autograd.graph.saved_tensors_hooks(lambda it, x=x: pack(it, x), lambda it: it[0])
    with hooks:
        y = x.exp().softmax(-1)
        if is_inside:
            y.backward(gb.ones(3), create_graph=True)
    if not is_inside:
        y.backward(gb.ones(3), create_graph=True)
    del x, y, hooks

    for _ in range(2):
        gc.collect()

    assert gb.memory.live() == before


@pytest.mark.parametrize(
    "write",
    [lambda x, view: x.mul_(view), lambda x, view: x.add_(view), lambda x, view: x.add_(view * 2)],
    ids=["it", "it, with nothing saved", "what is computed from it"],
)
def test_what_is_written_with_a_leaf_that_is_a_view_of_it_is_not_held_by_that(write):
    before = gb.memory.live()
    x = gb.ones(3)
    view = x.view(3).requires_grad_()

    write(x, view)
    x.sum().backward()

    assert view.is_leaf
    assert view.grad is not None
    del x, view
    assert gb.memory.live() == before


def test_is_collected_where_a_gradient_with_a_history_is_assigned():
    before = gb.memory.live()
    x = gb.ones(2, requires_grad=True)
    (slope,) = gb.autograd.grad(x.exp().sum(), x, create_graph=True)
    x.grad = slope
    assert x.grad.requires_grad
    del x, slope

    gc.collect()

    assert gb.memory.live() == before


@pytest.mark.parametrize("make", [lambda x: x, lambda x: x * 2, lambda x: (x * 2)[:]])
def test_is_collected_where_a_tensor_is_its_own_gradient(make):
    before = gb.memory.live()
    x = make(gb.ones(2, requires_grad=True))
    x.grad = x
    del x

    gc.collect()

    assert gb.memory.live() == before


@pytest.mark.parametrize("looks", [0, 1, 3])
def test_is_collected_behind_a_checkpoint_however_often_was_looked_before(looks):
    gc.collect()
    before = gb.memory.live()

    def make() -> None:
        x = gb.rand(3, requires_grad=True)
        y = gb.utils.checkpoint.checkpoint(lambda it: (it * x).exp(), x, use_reentrant=False)
        y.backward(gb.ones_like(y), create_graph=True)
        for _ in range(looks):
            gc.collect()

    make()
    for _ in range(3):  # what a graph held of Python's goes first
        gc.collect()

    assert gb.memory.live() == before


def test_is_collected_however_deep_the_graph_behind_a_hook_is():
    said = run_program(  # which a deep recursion would end
        """
        import gc, garboard as gb
        def make():
            first = gb.ones(1, requires_grad=True) * 2
            last = first
            for _ in range(200_000):
                last = last + 1
            first.register_hook(lambda gradient, kept=last: gradient)
            gc.collect()
        make()
        gc.collect()
        print(gb.memory.live().bytes, gb.memory.live().nodes)
        """
    )

    assert said == "0 0\n"
