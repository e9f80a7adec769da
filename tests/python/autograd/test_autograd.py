"""Recording ops, backward passes, gradients of functions, and the `.grad` of leaves."""

from __future__ import annotations

import threading

import garboard as gb
import numpy as np
import pytest


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


class TestRecording:
    def test_follows_what_asks_for_gradients(self):
        x, y = leaf(1, 2), gb.ones(2)

        z = x * y

        assert z.requires_grad
        assert not z.is_leaf
        assert not (y * y).requires_grad
        assert (y * y).is_leaf
        assert z.grad_fn.name() == "mul"
        assert (y * y).grad_fn is None
        assert x.grad_fn is None

    def test_makes_no_node_where_nothing_asks(self):
        x = gb.ones(2)
        before = gb.memory.live().nodes

        y = (x * 2 + x).exp().sum()

        assert gb.memory.live().nodes == before
        assert not y.requires_grad

    def test_links_nodes_in_the_order_of_their_serials(self):
        x = leaf(1, 2)

        y = x * 2
        z = y + y.exp()

        names = [node.name() for node, _ in z.grad_fn.next_functions]
        assert names == ["mul", "exp"]
        assert z.grad_fn.serial > y.grad_fn.serial
        assert z.grad_fn.next_functions[1][0].next_functions[0][0].serial == y.grad_fn.serial

    def test_ends_at_its_leaves_by_the_objects_that_programs_have(self, no_leaks):
        x, w = leaf(1, 2), leaf(3, 4)
        y = x * w + 1

        (product, number), *rest = y.grad_fn.next_functions
        ends = [end for end, _ in product.next_functions]

        assert number == 0
        assert all(pair == (None, 0) for pair in rest)
        assert [end.name() for end in ends] == ["AccumulateGrad"] * 2
        assert ends[0].variable is x
        assert ends[1].variable is w
        assert ends[0] == product.next_functions[0][0]
        assert ends[0] != ends[1]
        assert len({*ends, product.next_functions[0][0]}) == 2
        assert ends[0].next_functions == ()

    def test_comes_back_to_a_leaf_by_first_inputs_where_numbers_stand_on_the_left(self, no_leaks):
        x = leaf(1, 2)
        y = 1 + 2 * x.sin()

        names, node = [], y.grad_fn
        while node is not None:
            names.append(node.name())
            node = node.next_functions[0][0] if node.next_functions else None

        assert names == ["add", "mul", "sin", "AccumulateGrad"]

    def test_names_a_leaf_that_python_has_let_go_of(self, no_leaks):
        y = leaf(1, 2) * 2

        [(end, _), *_] = y.grad_fn.next_functions

        assert end.variable.tolist() == [1, 2]
        assert end.variable.requires_grad

    def test_calls_a_hook_of_an_end_after_the_gradient_has_come(self):
        x = leaf(1, 2)
        seen = []
        end, _ = x.expand_as(x).grad_fn.next_functions[0]

        handle = end.register_hook(lambda *of: seen.append((of[0], of[1][0].tolist())))
        (x * 3).sum().backward()
        handle.remove()
        (x * 3).sum().backward()

        assert seen == [((), [3, 3])]
        with pytest.raises(TypeError, match="register_hook: hook"):
            end.register_hook(3)

    def test_stops_inside_no_grad(self):
        x = leaf(1)

        with gb.no_grad():
            assert not gb.is_grad_enabled()
            y = x * 2
            with gb.enable_grad():
                z = x * 2
            assert not gb.is_grad_enabled()

        assert gb.is_grad_enabled()
        assert not y.requires_grad
        assert z.requires_grad

    def test_comes_back_after_an_exception(self):
        with pytest.raises(KeyError), gb.no_grad():
            raise KeyError

        assert gb.is_grad_enabled()

    def test_is_switched_by_decorators_and_by_a_call(self):
        x = leaf(1)

        @gb.no_grad()
        def quiet(a: gb.Tensor, *, scale: float) -> gb.Tensor:
            """Scale."""
            return a * scale

        assert not quiet(x, scale=2).requires_grad
        assert (quiet.__name__, quiet.__doc__) == ("quiet", "Scale.")
        gb.set_grad_enabled(False)
        assert not (x * 2).requires_grad
        gb.set_grad_enabled(True)
        with gb.set_grad_enabled(False):
            assert not (x * 2).requires_grad
        assert (x * 2).requires_grad

    def test_mode_belongs_to_a_thread(self):
        seen = []
        with gb.no_grad():
            thread = threading.Thread(target=lambda: seen.append(gb.is_grad_enabled()))
            thread.start()
            thread.join()

        assert seen == [True]

    def test_ends_at_detach(self):
        x = leaf(3)

        y = (x * 2).detach()
        z = x * y

        assert not y.requires_grad
        z.backward(gb.ones(1, dtype=gb.float64))
        assert x.grad.item() == 6

    def test_starts_where_it_is_asked_for(self):
        x = gb.ones(2)

        assert x.requires_grad_() is x
        y = x * 2
        x.requires_grad_(False)
        x.requires_grad = True

        assert y.requires_grad
        assert x.is_leaf
        assert x.requires_grad


class TestBackward:
    def test_adds_up_shared_expressions(self):
        x = leaf(3)

        y = x * x
        z = y * y + y + x
        z.backward(gb.ones(1, dtype=gb.float64))

        assert x.grad.item() == 4 * 27 + 6 + 1

    def test_accumulates_over_passes_in_the_same_memory(self):
        x = leaf(1, 2)

        (x * 2).sum().backward()
        first, address = x.grad, x.grad.data_ptr()
        (x * 3).sum().backward()

        assert x.grad is first
        assert x.grad.data_ptr() == address
        assert x.grad.tolist() == [5, 5]

    def test_adds_products_to_what_is_there_without_a_tensor_of_their_own(self):
        layer = gb.nn.Linear(512, 512)
        x = gb.rand(8, 512)
        layer(x).sum().backward()
        start = gb.memory.memory_allocated()
        gb.memory.reset_peak_memory_stats()
        layer(x).sum().backward()

        assert gb.memory.max_memory_allocated() - start < layer.weight.nbytes / 4
        assert gb.memory.memory_allocated() == start

    @pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
    @pytest.mark.parametrize(
        "gradient_of", ["a plain one", "a transposed one", "the other operand"]
    )
    def test_adds_products_to_any_gradient(self, shape, gradient_of):
        gb.manual_seed(0)
        a, b = (gb.rand(*shape, dtype=gb.float64, requires_grad=True) for _ in range(2))
        before = gb.rand(*shape, dtype=gb.float64)
        if gradient_of == "a transposed one":
            before = before.transpose(-1, -2)
        a.grad = b.detach() if gradient_of == "the other operand" else before.clone()
        expected = (gb.ones(*shape, dtype=gb.float64) @ b.transpose(-1, -2) + a.grad).tolist()
        b.requires_grad_(gradient_of != "the other operand")
        (a @ b).sum().backward()

        assert gb.tensor(expected).sub(gb.tensor(a.grad.tolist())).abs().max().item() < 1e-6

    def test_shows_hooks_the_new_part_of_a_product_alone(self):
        a = leaf(1, 2).view(1, 2).detach().requires_grad_()
        b = leaf(3, 4).detach().view(2, 1)
        (a @ b).sum().backward()
        seen = []
        a.register_hook(lambda gradient: seen.append(gradient.tolist()))
        (a @ b).sum().backward()

        assert seen == [[[3, 4]]]
        assert a.grad.tolist() == [[6, 8]]

    def test_adds_a_gradient_to_itself(self):
        x = leaf(1, 2)
        x.grad = gb.ones(2, dtype=gb.float64)
        (x + 0).backward(x.grad)

        assert x.grad.tolist() == [2, 2]

    def test_refuses_a_gradient_that_was_added_to_since_it_was_saved(self):
        a = gb.ones(2, 2, requires_grad=True)
        b = gb.ones(2, 2)
        (a @ b).sum().backward()
        c = gb.ones(2, 2, requires_grad=True)
        kept = (c * a.grad).sum()
        (a @ b).sum().backward()

        with pytest.raises(gb.VersionError, match="mul"):
            kept.backward()

    def test_never_writes_into_a_gradient_that_somebody_holds(self):
        x, y = leaf(1, 2), leaf(3, 4)

        (x + y).backward(seed := gb.ones(2, dtype=gb.float64))
        x.grad.mul_(10)
        (x + y).backward(seed)

        assert x.grad.tolist() == [11, 11]
        assert y.grad.tolist() == [2, 2]
        assert seed.tolist() == [1, 1]

    def test_starts_from_a_given_gradient(self):
        x = leaf(1, 2)

        (x * x).backward(gb.tensor([10.0, 100.0]))

        assert x.grad.tolist() == [20, 400]
        assert x.grad.dtype == gb.float64

    def test_of_a_leaf_is_one(self):
        x = gb.tensor(5.0, requires_grad=True)

        x.backward()

        assert x.grad.item() == 1

    def test_leaves_other_leaves_alone(self):
        x, y = leaf(1), leaf(1)

        (x * y.detach()).sum().backward()

        assert x.grad.item() == 1
        assert y.grad is None

    def test_sums_over_what_was_broadcast(self):
        row = gb.ones(1, 3, dtype=gb.float64, requires_grad=True)
        column = gb.ones(2, 1, dtype=gb.float64, requires_grad=True)
        point = gb.tensor(2.0, dtype=gb.float64, requires_grad=True)

        (row * column * point).sum().backward()

        assert row.grad.tolist() == [[4, 4, 4]]
        assert column.grad.tolist() == [[6], [6]]
        assert point.grad.tolist() == 6

    def test_a_second_time_needs_what_the_first_one_freed(self):
        x = leaf(1)
        y = (x * x).sum()

        y.backward(retain_graph=True)
        y.backward()
        assert x.grad.item() == 4
        with pytest.raises(
            gb.GradientError, match=r"^backward: the graph of mul was freed .*; give retain_graph"
        ):
            y.backward()
        assert x.grad.item() == 4
        assert y.grad_fn.next_functions[0][0].is_released

    @pytest.mark.parametrize(
        "trunk",
        [
            lambda x: x + 1,
            lambda x: x * 2,
            lambda x: x.expand(2, 3),
            lambda x: gb.stack([x, x]).sum(0),
            lambda x: x.view(3, 1).T.double().float(),
            lambda x: gb.cat([x, -x])[:3],
        ],
    )
    def test_goes_again_through_what_had_nothing_to_free(self, trunk):
        x = gb.ones(3, requires_grad=True)
        shared = trunk(x)
        first, second = (shared * shared).sum(), (shared * 3).sum()

        first.backward()
        x.grad = None
        second.backward()

        (expected,) = gb.autograd.grad((trunk(x) * 3).sum(), [x])
        assert x.grad.tolist() == expected.tolist()

    def test_keeps_no_bytes_for_a_second_time(self):
        x = gb.ones(1000, requires_grad=True)
        before = gb.memory.memory_allocated()

        loss = ((x * 2).exp() * 3).sum() + 1
        loss.backward()

        assert gb.memory.memory_allocated() - before == x.nbytes + loss.nbytes

    def test_of_several_outputs_is_one_pass(self):
        x = leaf(2)
        y = x * x

        gb.autograd.backward([y, y * x], [gb.ones(1), gb.ones(1)])

        assert x.grad.item() == 2 * 2 + 3 * 4

    def test_visits_the_youngest_node_first(self):
        x, order = leaf(1), []
        first = x * 2
        second = x * 3
        for name, tensor in (("first", first), ("second", second)):
            tensor.register_hook(lambda g, name=name: order.append(name))

        (first + second).sum().backward()

        assert order == ["second", "first"]

    def test_runs_in_other_threads(self):
        leaves = [leaf(i) for i in range(4)]

        def train(x: gb.Tensor) -> None:
            for _ in range(50):
                (x.exp() * x).sum().backward()

        threads = [threading.Thread(target=train, args=(x,)) for x in leaves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        for i, x in enumerate(leaves):
            assert x.grad.item() == pytest.approx(50 * np.exp(i) * (i + 1))


class TestGrad:
    def test_returns_gradients_and_adds_to_none(self):
        x, y = leaf(2), leaf(3)
        z = x * x * y

        for_x, for_y = gb.autograd.grad(z.sum(), [x, y])

        assert (for_x.item(), for_y.item()) == (12, 4)
        assert x.grad is None

    def test_of_what_lies_between(self):
        x = leaf(2)
        y = x * x

        (for_y,) = gb.autograd.grad((y * y).sum(), y)

        assert for_y.item() == 8

    def test_is_none_for_what_is_not_used(self):
        x, y = leaf(2), leaf(3)

        assert gb.autograd.grad(x.sum(), [y], allow_unused=True) == (None,)

    def test_can_be_differentiated_again_and_again(self):
        x = leaf(2)

        y, slopes = x**4, []
        for _ in range(5):
            (y,) = gb.autograd.grad(y.sum(), x, create_graph=True)
            slopes.append(y.item())

        assert slopes == pytest.approx([32, 48, 48, 24, 0])

    def test_multiplies_by_what_it_is_given(self):
        x = leaf(1, 2)

        (product,) = gb.autograd.grad(x * x, x, grad_outputs=leaf(1, 10).detach())

        assert product.tolist() == [2, 40]

    def test_recorded_into_grad_joins_the_graph(self):
        x = leaf(3)

        (x**3).sum().backward(create_graph=True)
        x.grad.sum().backward()

        assert x.grad.item() == 27 + 18
        x.grad = None  # else tensor and gradient own each other, as in PyTorch


class TestTheGradOfALeaf:
    @pytest.mark.parametrize("has_gradient", [False, True])
    @pytest.mark.parametrize("make", [lambda x: x * 2, lambda x: x @ x, lambda x: x[0]])
    def test_stays_as_it_is_where_the_leaf_was_frozen_after_the_forward_pass(
        self, make, has_gradient, no_leaks
    ):
        x = gb.ones(2, 2, requires_grad=True)
        x.grad = gb.ones(2, 2) if has_gradient else None
        loss = make(x).sum()

        x.requires_grad_(False)
        loss.backward()

        assert (x.grad.tolist() == [[1.0, 1.0]] * 2) if has_gradient else x.grad is None

    def test_is_one_object_until_it_changes(self):
        x = leaf(1)
        assert x.grad is None
        (x * 2).sum().backward()

        grad = x.grad

        assert x.grad is grad
        x.grad = None
        assert x.grad is None
        assert grad.item() == 2

    def test_outlives_the_scope_of_the_pass_uncounted(self):
        x = leaf(1)

        with gb.dispose_scope() as scope:
            (x * 2).sum().backward()
            count = len(scope)
            grad = x.grad
            assert len(scope) == count

        assert x.grad is grad
        assert x.grad.item() == 2

    def test_can_be_assigned_and_is_apart_from_what_it_was(self):
        x = leaf(1, 2)

        with gb.dispose_scope():
            given = gb.ones(2, dtype=gb.float64)
            x.grad = given
        (x * 2).sum().backward()

        assert given.is_disposed
        assert x.grad.tolist() == [3, 3]

    def test_is_written_in_place(self):
        x = leaf(1)
        (x * 2).sum().backward()

        x.grad.zero_()
        (x * 3).sum().backward()

        assert x.grad.item() == 3

    def test_is_dense_whatever_the_gradient_was(self):
        x = gb.ones(3, 2, requires_grad=True)

        x.sum().backward()

        assert x.grad.is_contiguous()
        assert x.grad.storage().nbytes() == 24


class TestEdges:
    """Gradients where a function has a kink, a pole or ties."""

    def slope(self, function, *values: float) -> list[float]:
        x = leaf(*values)
        function(x).sum().backward()
        return x.grad.tolist()

    def test_of_kinks_are_pytorchs(self):
        assert self.slope(gb.relu, -1, 0, 1) == [0, 0, 1]
        assert self.slope(gb.abs, -1, 0, 1) == [-1, 0, 1]
        assert self.slope(lambda x: x.clamp(0, 1), -1, 0, 0.5, 1, 2) == [0, 0, 1, 0, 0]
        assert self.slope(gb.nn.functional.elu, 0) == self.slope(gb.nn.functional.celu, 0) == [1]
        assert self.slope(lambda x: gb.logit(x, 0.25), 0, 0.25, 0.5) == pytest.approx(
            [0, 16 / 3, 4]
        )
        assert self.slope(gb.round, 0.2, 0.5) == [0, 0]
        assert self.slope(lambda x: x.sign() * gb.tensor(float("inf")), 1) == [0]

    def test_of_ties_are_shared_or_go_to_the_first(self):
        assert self.slope(lambda x: x.amax(), 1, 3, 3) == [0, 0.5, 0.5]
        assert self.slope(lambda x: x.max(), 1, 3, 3) == [0, 0.5, 0.5]
        assert self.slope(lambda x: x.median(), 1, 2, 2, 3) == [0, 0.5, 0.5, 0]
        assert self.slope(lambda x: x.median(), 1, float("nan"), float("nan")) == [0, 0.5, 0.5]
        assert self.slope(lambda x: x.nanmedian(), 2, float("nan"), 2) == [0.5, 0, 0.5]
        assert self.slope(lambda x: x.median(0).values, 1, 2, 2) == [0, 1, 0]
        assert self.slope(lambda x: x.max(0).values, 1, 3, 3) == [0, 1, 0]
        assert self.slope(lambda x: x.min(0).values, 1, 1, 3) == [1, 0, 0]
        assert self.slope(lambda x: gb.maximum(x, x.detach()), 1, 2) == [0.5, 0.5]
        assert self.slope(lambda x: gb.minimum(x, 1.0), 0, 1, 2) == [1, 0.5, 0]

    @pytest.mark.parametrize("extremum", [gb.maximum, gb.minimum])
    def test_of_extrema_do_not_need_the_result(self, extremum):
        a, b = gb.tensor([1.0, 4.0], requires_grad=True), gb.tensor([3.0, 2.0], requires_grad=True)

        extremum(a, b).clamp_(0, 10).mul_(2).sum().backward()

        one = [0, 2] if extremum is gb.maximum else [2, 0]
        assert a.grad.tolist() == one
        assert b.grad.tolist() == one[::-1]

    def test_of_powers(self):
        assert self.slope(lambda x: x**0, 0, 2) == [0, 0]
        assert self.slope(lambda x: x**1, 0, 2) == [1, 1]
        assert self.slope(lambda x: x**2, -3, 0) == [-6, 0]
        assert self.slope(lambda x: x**-1.0, 2) == [-0.25]
        assert self.slope(lambda x: 2**x, 0, 1) == pytest.approx([np.log(2), 2 * np.log(2)])
        assert self.slope(lambda x: gb.tensor(0.0) ** x, 0, 2) == [0, 0]
        assert self.slope(lambda x: x ** gb.tensor([0.0, 2.0]), 0, 0) == [0, 0]

    def test_of_products_with_zeros(self):
        assert self.slope(lambda x: x.prod(), 2, 3, 4) == [12, 8, 6]
        assert self.slope(lambda x: x.prod(), 2, 0, 4) == [0, 8, 0]
        assert self.slope(lambda x: x.prod(), 0, 0, 4) == [0, 0, 0]

    def test_of_what_was_not_chosen_are_zero_even_where_it_is_nan(self):
        x = leaf(0.0, 4.0)

        gb.where(x > 0, x.log(), x * 2).sum().backward()

        assert x.grad[1].item() == 0.25
        y, z = leaf(float("nan")), leaf(1.0)
        gb.where(gb.tensor([False]), y, z).sum().backward()
        assert (y.grad.item(), z.grad.item()) == (0, 1)

    def test_of_clamp_reach_tensor_bounds(self):
        x, low, high = leaf(-5, 0, 5), leaf(-1, -1, -1), leaf(1, 1, 1)

        x.clamp(low, high).sum().backward()

        assert x.grad.tolist() == [0, 1, 0]
        assert low.grad.tolist() == [1, 0, 0]
        assert high.grad.tolist() == [0, 0, 1]

    def test_of_clamp_are_shared_with_a_tensor_that_equals_the_input(self):
        x, low, high = leaf(0, 1, 2, 3), leaf(0, 0, 2, 4), leaf(1, 1, 2, 4)

        x.clamp(low, high).sum().backward()

        assert x.grad.tolist() == [0.5, 0.5, 1, 0]
        assert low.grad.tolist() == [0.5, 0, 0, 1]
        assert high.grad.tolist() == [0, 0.5, 0, 0]

    def test_of_clamp_go_to_the_upper_bound_where_the_bounds_cross(self):
        x, low, high = leaf(-5, 0, 5), leaf(2, 2, 2), leaf(-2, -2, -2)

        x.clamp(low, high).sum().backward()

        assert x.grad.tolist() == low.grad.tolist() == [0, 0, 0]
        assert high.grad.tolist() == [1, 1, 1]

    def test_of_nothing_are_nothing(self):
        x = gb.zeros(0, 3, requires_grad=True)

        (x.sum() + x.sum(0).sum() + (x * 2).prod()).backward()

        assert x.grad.shape == (0, 3)

    def test_of_joined_tensors_go_back_to_each(self):
        x, y = leaf(1, 2), leaf(3)

        (gb.cat([x, y, x]) * gb.arange(5.0)).sum().backward()

        assert x.grad.tolist() == [0 + 3, 1 + 4]
        assert y.grad.tolist() == [2]
