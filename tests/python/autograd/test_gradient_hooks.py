"""Hooks: what they see and change, and what ends them."""

from __future__ import annotations

import gc

import garboard as gb
import pytest


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


class TestHooks:
    def test_see_and_replace_gradients_in_order(self):
        x, seen = leaf(1, 2), []
        y = x * 2
        y.register_hook(lambda g: seen.append(g.tolist()))
        y.register_hook(lambda g: g * 10)
        x.register_hook(lambda g: seen.append(g.tolist()))
        x.register_hook(lambda g: g + 1)

        y.sum().backward()

        assert seen == [[1, 1], [20, 20]]
        assert x.grad.tolist() == [21, 21]

    def test_of_a_leaf_see_its_whole_gradient_once(self):
        x, seen = leaf(1), []
        x.register_hook(lambda g: seen.append(g.item()))
        x.register_hook(lambda g: g.clamp(max=4))

        (x * 2 + x * 3).sum().backward()
        assert gb.autograd.grad((x * x).sum(), x)[0].item() == 2

        assert seen == [5, 2]
        assert x.grad.item() == 4

    def test_of_a_leaf_fire_as_soon_as_its_gradient_is_whole(self):
        w, v, order = leaf(1), leaf(1), []
        w.register_hook(lambda g: order.append("w"))
        v.register_hook(lambda g: order.append("v"))

        (v * v * w * w).sum().backward()

        assert order == ["w", "v"]

    def test_are_taken_off_again(self):
        x, seen = leaf(1), []
        handle = x.register_hook(seen.append)
        with x.register_hook(seen.append):
            pass

        handle.remove()
        handle.remove()
        (x * 2).sum().backward()

        assert seen == []

    def test_are_taken_off_while_the_graph_alone_holds_the_tensor(self):
        x, seen = leaf(1), []
        handle = (y := x * 2).register_hook(seen.append)
        z = y.sum()
        del y

        handle.remove()
        z.backward()

        assert seen == []

    def test_may_take_themselves_off(self):
        x, seen = leaf(1), []

        def once(gradient: gb.Tensor) -> None:
            seen.append(gradient.item())
            handle.remove()

        handle = x.register_hook(once)
        (x * 2).sum().backward()
        (x * 3).sum().backward()

        assert seen == [2]

    def test_outlive_the_alias_they_were_registered_on(self):
        x, seen = leaf(1), []
        y = x * 2
        y.register_hook(lambda g: seen.append(g.item()))
        z = y.sum()
        del y
        gc.collect()

        z.backward()

        assert seen == [1]

    def test_errors_come_through_and_the_leaf_stays_usable(self):
        x = leaf(1)

        def fail(gradient: gb.Tensor) -> None:
            raise KeyError("from the hook")

        handle = (y := x * 2).register_hook(fail)
        with pytest.raises(KeyError, match="from the hook"):
            y.sum().backward()
        handle.remove()
        (x * 3).sum().backward()

        assert x.grad.item() == 3

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            (lambda g: 3, TypeError),
            (lambda g: g[:0], gb.ShapeError),
            (lambda g: g.float(), gb.DTypeError),
        ],
    )
    def test_must_return_what_fits(self, wrong, error):
        x = leaf(1)
        x.register_hook(wrong)

        with pytest.raises(error, match=r"^hook: it returned .*; "):
            (x * 2).sum().backward()

        assert x.grad is None

    def test_find_what_the_one_before_set_on_the_gradient(self, no_leaks):
        x = leaf(1)
        found = []

        def mark(gradient: gb.Tensor) -> None:
            gradient.note = "seen"

        def double(gradient: gb.Tensor) -> gb.Tensor:
            found.append(gradient.note)
            doubled = gradient * 2
            doubled.note = "doubled"
            return doubled

        def dispose(gradient: gb.Tensor) -> None:
            found.append(gradient.note)
            gradient.dispose()

        for hook in (mark, double, dispose, lambda gradient: gradient + 1):
            x.register_hook(hook)

        (x * 3).sum().backward()

        assert (found, x.grad.item()) == (["seen", "doubled"], 7)

    def test_may_run_a_pass_of_their_own(self):
        x, y = leaf(2), leaf(3)

        def run_another(gradient: gb.Tensor) -> None:
            with gb.enable_grad():
                (y * y).sum().backward()

        x.register_hook(run_another)

        (x * x).sum().backward()

        assert (x.grad.item(), y.grad.item()) == (4, 6)

    @pytest.mark.parametrize("on_leaf", [True, False])
    def test_that_hold_their_tensor_are_garbage_together(self, on_leaf):
        gc.collect()
        before = gb.memory.live()

        x = leaf(1)
        y = x if on_leaf else x * 2
        for kept in (y, y.alias()):
            y.register_hook(lambda g, kept=kept: kept)
        del x, y, kept
        gc.collect()

        assert gb.memory.live() == before


class TestBeforeALeafsGradient:
    def test_is_added_a_hook_may_replace_it(self, no_leaks):
        x = gb.ones(2, requires_grad=True)
        (end, _) = (x * 3).grad_fn.next_functions[0]
        seen = []
        handle = end.register_prehook(lambda given: seen.append(given[0].tolist()))
        other = end.register_prehook(lambda given: (given[0] * 10,))

        (x * 3).sum().backward()
        assert seen == [[3.0, 3.0]]
        assert x.grad.tolist() == [30.0, 30.0]
        handle.remove()
        other.remove()
        (x * 3).sum().backward()
        assert x.grad.tolist() == [33.0, 33.0]

    @pytest.mark.parametrize("made", [1, (), (None,), [gb.float32]])
    def test_is_added_a_hook_that_returns_something_else_is_refused(self, made):
        x = gb.ones(2, requires_grad=True)
        (x * 3).grad_fn.next_functions[0][0].register_prehook(lambda given: made)

        with pytest.raises(TypeError, match="register_prehook"):
            (x * 3).sum().backward()
        assert x.grad is None


def test_a_gradient_has_a_private_name_that_libraries_know():
    x = gb.ones(2, requires_grad=True)
    x._grad = gb.full((2,), 5.0)

    assert x.grad is x._grad
    assert x.grad.tolist() == [5.0, 5.0]


def test_a_handle_is_known_by_a_number_alone():
    x = gb.ones(2, requires_grad=True)
    make, (table, number) = x.register_hook(len).__reduce__()

    with pytest.raises(TypeError):
        make(table, x)  # which would keep its own table, and that it

    assert make(table, number).id == number
