"""What `autograd.grad` computes, frees and calls: what lies between outputs and inputs, alone; and
what it and `backward` refuse."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator

import garboard as gb
import numpy as np
import pytest
from garboard import _engine
from garboard.autograd import backward, grad


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


def ran(function: Callable[[], object]) -> Counter[str]:
    """Run `function`, and count the ops that it ran, by name."""
    with gb.profiler.profile() as profile:
        function()
    return Counter({row.key: row.count for row in profile.key_averages()})


def made(function: Callable[[], object]) -> int:
    """Run `function`, and count the storages that it made."""
    first = _engine._next_serials()[1]
    function()
    return int(_engine._next_serials()[1] - first)


class TestGradRuns:
    def test_the_ops_that_lead_to_an_input_alone(self):
        x, w = leaf(1, 2), leaf(3, 4)
        loss = (x.exp() * w.sin().tanh()).sum()

        ops = ran(lambda: grad(loss, x))

        assert ops["exp (backward)"] == ops["mul (backward)"] == ops["sum (backward)"] == 1
        assert ops["sin (backward)"] == ops["tanh (backward)"] == ops["cos"] == 0

    def test_no_product_for_the_other_factor(self):
        x, w = leaf(1, 2), leaf(3, 4)
        product = x * w
        given = gb.ones(2, dtype=gb.float64)

        assert made(lambda: grad(product, x, given, retain_graph=True)) == 1
        assert made(lambda: grad(product, [x, w], given)) == 2

    def test_one_matrix_product_of_a_linear_layer(self):
        x = gb.rand(3, 4, requires_grad=True)
        weight, bias = gb.rand(5, 4, requires_grad=True), gb.rand(5, requires_grad=True)
        y = gb.nn.functional.linear(x, weight, bias)
        given = gb.ones(3, 5)

        for one in (x, weight, bias):
            assert made(lambda one=one: grad(y, one, given, retain_graph=True)) == 1
        assert made(lambda: grad(y, [x, weight, bias], given)) == 3

    def test_nothing_behind_an_input_that_was_computed(self):
        x = leaf(1, 2)
        h = x.exp().exp().exp()
        loss = h.sin().sum()

        ops = ran(lambda: grad(loss, h))

        assert ops["sin (backward)"] == 1
        assert ops["exp (backward)"] == 0

    def test_nothing_where_an_output_is_the_input(self):
        x = leaf(1, 2)
        y = x.exp()
        given = gb.ones(2, dtype=gb.float64)

        found = []
        ops = ran(lambda: found.extend(grad(y, y, given)))

        assert [g.tolist() for g in found] == [[1, 1]]
        assert ops["exp (backward)"] == 0

    def test_nothing_where_no_input_is_behind(self):
        x, other = leaf(1), leaf(2)
        y = x.exp()

        assert grad(y, [other, other], allow_unused=True) == (None, None)
        y.backward()  # nothing was freed

        assert x.grad.tolist() == pytest.approx([np.e])

    def test_a_long_graph_without_recursion(self):
        x, w = leaf(1), leaf(1)
        y = x
        for _ in range(50_000):
            y = y + w

        assert [g.item() for g in grad(y, [x], retain_graph=True)] == [1]
        assert [g.item() for g in grad(y, [w, x])] == [50_000, 1]

    def test_a_write_into_a_view_for_the_base_or_for_what_was_written(self):
        def written(x: gb.Tensor, w: gb.Tensor) -> gb.Tensor:
            y = x * 2
            y[1:].mul_(w)
            return (y * y).sum()

        def both() -> tuple[gb.Tensor, gb.Tensor]:
            return leaf(1, 2, 3), leaf(4, 5)

        x, w = both()
        expected = [g.tolist() for g in grad(written(x, w), [x, w])]
        assert expected == [[8, 256, 600], [128, 360]]

        assert [g.tolist() for g in grad(written(x, w), x)] == expected[:1]
        assert [g.tolist() for g in grad(written(x, w), w)] == expected[1:]

    def test_only_some_of_many_joined_tensors(self):
        parts = [leaf(i) for i in range(100)]
        joined = gb.cat([part * 2 for part in parts])
        loss = (joined * joined).sum()

        found = []
        ops = ran(lambda: found.extend(grad(loss, [parts[70], parts[3]])))

        assert [g.item() for g in found] == [8 * 70, 8 * 3]
        assert ops["mul (backward)"] == 1 + 2


class TestGradFinds:
    def test_inner_tensors_and_leaves_at_once(self):
        x, w = leaf(2), leaf(5)
        h = x * x
        loss = (h * w * x).sum()

        found = grad(loss, [h, w, x])

        assert [g.item() for g in found] == [10, 8, 60]

    def test_a_tensor_behind_another_wanted_one(self):
        x = leaf(2)
        a = x * x
        b = a * a

        found = grad((b * a).sum(), [b, a, x])

        assert [g.item() for g in found] == [4, 48, 192]

    def test_one_tensor_twice(self):
        x = leaf(3)
        h = x * 2

        found = grad(h * h, [h, x, h, x])

        assert [g.item() for g in found] == [12, 24, 12, 24]

    def test_outputs_among_the_inputs(self):
        x = leaf(3)
        h = x * 2
        y = h * h

        found = grad([y, h, x], [h, x, y])

        assert [g.item() for g in found] == [13, 27, 1]

    def test_one_output_twice(self):
        x = leaf(3)
        y, z = x * x, x.exp()

        assert grad([y, y, z * 0, y], x, retain_graph=True)[0].item() == 18
        backward([y, z * 0, y])
        assert x.grad.item() == 12

    def test_none_for_what_is_unused_among_what_is_used(self):
        x, other = leaf(3), leaf(1)

        found = grad(x * x, [other, x], allow_unused=True)

        assert found[0] is None
        assert found[1].item() == 6
        with pytest.raises(gb.GradientError, match=r"^grad: .*inputs \[0\]; give allow_unused"):
            grad(x * x, [other, x])

    def test_what_finite_differences_find_with_a_graph_of_its_own(self):
        x, w = leaf(0.5, 0.25), leaf(2, 3)

        (slope,) = grad((x.exp() * w).sum(), x, create_graph=True)
        (curve,) = grad((slope * slope).sum(), [w])

        expected = 2 * w.detach() * (2 * x.detach()).exp()
        assert gb.allclose(curve, expected)
        assert w.grad is None

    def test_the_same_as_backward_does(self):
        model = gb.nn.Sequential(gb.nn.Linear(4, 8), gb.nn.LayerNorm(8), gb.nn.Linear(8, 3))
        x, y = gb.rand(6, 4), gb.tensor([0, 1, 2, 0, 1, 2])
        parameters = list(model.parameters())
        loss = gb.nn.functional.cross_entropy(model(x), y)

        found = grad(loss, parameters, retain_graph=True)
        loss.backward()

        for gradient, parameter in zip(found, parameters, strict=True):
            assert gb.allclose(gradient, parameter.grad)


class TestGradFrees:
    def test_what_it_ran_and_nothing_else(self):
        x, w = leaf(1), leaf(2)
        a, b = x.exp(), w.exp()
        y = a * b

        grad(y, x)

        assert y.grad_fn.is_released
        assert a.grad_fn.is_released
        assert not b.grad_fn.is_released
        b.backward()
        assert w.grad.item() == pytest.approx(np.exp(2))
        with pytest.raises(gb.GradientError, match=r"^grad: the graph of mul was freed .*retain"):
            grad(y, w)

    def test_nothing_with_retain_graph(self):
        x, w = leaf(1), leaf(2)
        y = x.exp() * w.exp()

        for _ in range(3):
            assert grad(y, x, retain_graph=True)[0].item() == pytest.approx(np.exp(3))
        y.backward()

        assert w.grad.item() == pytest.approx(np.exp(3))

    def test_what_no_longer_tells_where_it_led(self):
        x, w = leaf(1), leaf(2)
        b = w.exp()
        y = x.exp() * b
        b.sum().backward()

        with pytest.raises(gb.GradientError, match=r"^grad: the graph of exp was freed"):
            grad(y, x, allow_unused=True)
        assert grad(y, b)[0].item() == pytest.approx(np.e)  # what is freed is not run

    def test_all_bytes_in_the_end(self):
        x, w = leaf(*range(64)), leaf(*range(64))
        before = gb.memory.live()

        y = (x.exp() * w.exp()).sum()
        found = grad(y, x)
        del y, found

        assert gb.memory.live() == before


class TestGradCalls:
    def test_hooks_of_what_lies_between_alone(self):
        x, w = leaf(1), leaf(2)
        a, b = x * 1, w * 1
        y = a * b
        called = []
        for name, tensor in {"x": x, "w": w, "a": a, "b": b, "y": y}.items():
            tensor.register_hook(lambda g, name=name: called.append(name))

        grad(y, a, retain_graph=True)
        assert called == ["y", "a"]
        called.clear()
        grad(y, x)
        assert called == ["y", "a", "x"]

    def test_the_hook_of_a_leaf_once_with_the_whole_sum(self):
        x, w = leaf(3), leaf(1)
        seen = []
        x.register_hook(lambda g: seen.append(g.item()))

        (found,) = grad(x * x + x * w, x)

        assert seen == [7]
        assert found.item() == 7

    def test_hooks_that_change_what_is_found(self):
        x = leaf(3)
        h = x * 2
        h.register_hook(lambda g: g * 10)

        assert [g.item() for g in grad(h * 1, [h, x])] == [10, 20]

    def test_another_pass_in_a_hook_within_the_same_graph(self):
        x, w = leaf(2), leaf(3)
        trunk = x * x
        a, b = trunk.exp(), w * 5
        y = a * b
        found = []
        a.register_hook(lambda g: found.extend(grad(b, w, retain_graph=True)))
        b_only = b + trunk
        y.register_hook(lambda g: found.extend(grad(b_only, [b], retain_graph=True)))

        grad(y, x)

        assert [g.item() for g in found] == [1, 5]

    def test_a_pass_in_a_hook_that_needs_what_is_under_way(self):
        x = leaf(2)
        h = x * x
        y = h.exp()
        h.register_hook(lambda g: grad(y, x, allow_unused=True))

        for retain_graph in (True, False):
            with pytest.raises(
                gb.GradientError, match=r"^grad: another .*; give retain_graph=True"
            ):
                grad(y, x, retain_graph=retain_graph)

    def test_a_pass_in_a_hook_that_keeps_what_is_under_way(self):
        x, w = leaf(2), leaf(3)
        trunk = x * x
        a, b = trunk.exp(), trunk * w
        y = a * b
        inner = []
        b.register_hook(lambda g: inner.extend(grad(a, [x], retain_graph=True)))

        (outer,) = grad(y, [x])

        assert inner[0].item() == pytest.approx(4 * math.exp(4))
        assert outer.item() == pytest.approx(60 * math.exp(4))

    def test_a_pass_in_a_backward_of_ones_own_that_goes_on_into_the_same_graph(self):
        class Doubled(gb.autograd.Function):
            @staticmethod
            def forward(ctx, x, side):
                ctx.x, ctx.side = x.detach(), side
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                with gb.enable_grad():
                    again = ctx.x.requires_grad_() * 2 * ctx.side
                again.backward(gradient, retain_graph=True)
                return ctx.x.grad, None

        x, w = leaf(2), leaf(3)
        side = w * w
        y = Doubled.apply(x * 1, side) + side

        y.backward()

        assert x.grad.item() == 18
        assert w.grad.item() == 2 * 3 * 4 + 2 * 3

    def test_a_pass_in_a_backward_of_ones_own_that_ends_at_what_is_under_way(self):
        class Squared(gb.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                with gb.enable_grad():
                    again = x * x
                return grad(again, x, gradient)

        x = leaf(3)

        Squared.apply(x.exp()).backward()

        assert x.grad.item() == pytest.approx(2 * math.exp(6))

    def test_a_pass_that_fails_in_a_hook_leaves_the_one_around_it_as_it_was(self):
        x = leaf(2)
        trunk = x * x
        a, b = trunk.exp(), trunk * 3
        refused = []

        def fail(gradient: gb.Tensor) -> None:
            h = trunk.alias()
            handle = h.register_hook(lambda g: 1 / 0)
            try:
                grad(a, x, retain_graph=True)
                grad(h * 1, x, retain_graph=True)
            except ZeroDivisionError as error:
                refused.append(error)
            handle.remove()

        b.register_hook(fail)
        (whole,) = grad(a + b, x)

        assert len(refused) == 1
        assert whole.item() == pytest.approx(4 * math.exp(4) + 12)

    def test_two_threads_in_halves_of_one_graph(self):
        x, w = leaf(*[0.5] * 4096), leaf(*[0.25] * 4096)
        a, b = x, w
        for _ in range(20):
            a, b = a.sin(), b.sin()
        y = (a * b).sum()
        gradient = gb.ones(4096, dtype=gb.float64)
        found: dict[str, gb.Tensor] = {}

        def walk(name: str, output: gb.Tensor, leaf: gb.Tensor) -> None:
            found[name] = grad(output, leaf, gradient, retain_graph=True)[0]

        threads = [
            threading.Thread(target=walk, args=("a", a, x)),
            threading.Thread(target=walk, args=("b", b, w)),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert found["a"].shape == found["b"].shape == x.shape
        del y


def of_disposed() -> gb.Tensor:
    tensor = leaf(1)
    tensor.dispose()
    return tensor


class TestWhatIsRefused:
    @pytest.mark.parametrize("walk", [backward, lambda y, g=None: grad(y, leaf(1), g)])
    @pytest.mark.parametrize(
        ("outputs", "error", "told"),
        [
            (lambda: None, TypeError, "of type NoneType; "),
            (lambda: [None], TypeError, "item 0 of .* is of type NoneType; "),
            (lambda: [leaf(1) * 1, None], TypeError, "item 1 of .* is of type NoneType; "),
            (lambda: (each for each in [leaf(1) * 1, 2]), TypeError, "item 1 of .* of type int; "),
            (lambda: [np.zeros(1)], TypeError, "item 0 of .* of type ndarray; "),
            (lambda: 3.5, TypeError, "of type float; "),
            (lambda: {"a": leaf(1)}, TypeError, "item 0 of .* of type str; "),
            (list, gb.GradientError, "no tensors to start from; at least one is needed"),
            (lambda: iter(()), gb.GradientError, "no tensors to start from; at least one"),
            (of_disposed, gb.DisposedError, "item 0 of (tensors|outputs) is a disposed tensor"),
            (lambda: [leaf(1) * 1, of_disposed()], gb.DisposedError, "item 1 of "),
            (lambda: leaf(1).detach(), gb.GradientError, "grad and does not have a grad_fn"),
            (lambda: leaf(1, 2) * 1, gb.GradientError, r"sizes \[2\]; one element, or a"),
        ],
    )
    def test_as_outputs(self, walk, outputs, error, told):
        before = gb.memory.live()

        with pytest.raises(error, match=rf"^(backward|grad): .*{told}"):
            walk(outputs())

        assert gb.memory.live().bytes <= before.bytes + 64  # the leaf of the parameters

    @pytest.mark.parametrize("walk", [backward, lambda y, g: grad(y, leaf(1), g)])
    @pytest.mark.parametrize(
        ("gradients", "error", "told"),
        [
            (lambda: 1.0, TypeError, "of type float; "),
            (lambda: [1.0], TypeError, "item 0 of .* is of type float; "),
            (list, gb.GradientError, "1 outputs, and fewer grad_"),
            (lambda: [None, None], gb.GradientError, "1 outputs, and more grad_"),
            (of_disposed, gb.DisposedError, "item 0 of grad_.* is a disposed tensor"),
            (lambda: gb.ones(2), gb.ShapeError, r"sizes \[2\] for an output of sizes \[1\]"),
            (lambda: gb.ones(1, 1), gb.ShapeError, r"sizes \[1, 1\] for an output"),
        ],
    )
    def test_as_gradients(self, walk, gradients, error, told):
        with pytest.raises(error, match=rf"^(backward|grad): .*{told}"):
            walk(leaf(1) * 2, gradients())

    @pytest.mark.parametrize(
        ("inputs", "error", "told"),
        [
            (lambda: None, TypeError, "inputs is of type NoneType; "),
            (lambda: [None], TypeError, "item 0 of inputs is of type NoneType; "),
            (lambda: [leaf(1), "x"], TypeError, "item 1 of inputs is of type str; "),
            (list, gb.GradientError, "no inputs; at least one is needed"),
            (lambda: iter(()), gb.GradientError, "no inputs; at least one is needed"),
            (of_disposed, gb.DisposedError, "item 0 of inputs is a disposed tensor"),
            (lambda: gb.ones(1), gb.GradientError, "an input that does not require grad; set"),
        ],
    )
    def test_as_inputs(self, inputs, error, told):
        with pytest.raises(error, match=rf"^grad: {told}"):
            grad(leaf(1) * 2, inputs())

    def test_leaves_nothing_alive(self):
        x = leaf(1)
        before = gb.memory.live()

        for call in (
            lambda: grad([x * 2, None], x),
            lambda: grad(x * 2, [x, None]),
            lambda: grad(x * 2, []),
            lambda: grad(x * 2, x, gb.ones(3)),
            lambda: backward([x * 2, of_disposed()]),
            lambda: backward([x * 2, x.detach()]),
        ):
            with pytest.raises((TypeError, gb.GarboardError)):
                call()

        assert gb.memory.live() == before


class TestWhatIsTaken:
    def test_iterables_of_any_kind(self):
        x, w = leaf(2), leaf(3)

        def outputs() -> Iterator[gb.Tensor]:
            yield x * x
            yield x * w

        found = grad(outputs(), (each for each in (x, w)), iter([None, gb.ones(1) * 2]))
        backward({x * 5: 0}.keys(), {"only": None}.values())

        assert [g.item() for g in found] == [4 + 6, 4]
        assert x.grad.item() == 5

    def test_gradients_of_another_dtype_are_converted(self):
        x = leaf(2)

        backward(x * x, gb.tensor([3]))

        assert x.grad.item() == 12
        assert x.grad.dtype == gb.float64

    def test_truth_in_any_form(self):
        x = leaf(2)
        y = x * x

        grad(y, x, retain_graph=1, create_graph=np.bool_(False))
        y.backward(retain_graph=np.True_)

        assert not y.grad_fn.is_released


def test_a_pass_to_a_younger_tensor_never_asks_for_a_freed_graph_below_it():
    x = gb.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    gb.autograd.grad(y.sum(), x)

    z = y.clone().requires_grad_()
    (of_z,) = gb.autograd.grad((z * z * y).sum(), z)
    with pytest.raises(RuntimeError, match="the graph of exp was freed by an earlier"):
        gb.autograd.grad((z * z).sum(), [z, x])

    assert of_z.tolist() == pytest.approx((2 * y * y).tolist())
