"""What one may do with a graph: hooks of nodes, retained gradients, packed tensors, inputs."""

from __future__ import annotations

import gc
from typing import Any

import garboard as gb
import pytest
from garboard.autograd import graph

from tests.support.programs import run_program


def leaf(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64, requires_grad=True)


class TestRetainedGradients:
    def test_stay_at_what_is_no_leaf_and_add_up(self):
        x = leaf(1, 2)
        y = x * 2
        y.retain_grad()
        y.register_hook(lambda g: g * 10)

        for _ in range(2):
            (y * 3).sum().backward(retain_graph=True)

        assert y.retains_grad
        assert not x.retains_grad
        assert y.grad.tolist() == [60, 60]

    def test_follow_what_is_written_in_place(self):
        x = leaf(1)
        y = x * 2
        y.retain_grad()
        y.mul_(5)

        (y * 3).sum().backward()

        assert y.grad.item() == 3
        assert x.grad.item() == 30

    def test_follow_what_is_written_through_a_view(self):
        x = leaf(1, 2)
        y = x * 2
        y.retain_grad()
        before = (y * 7).sum()
        y[:1].mul_(5)

        (before + (y * 3).sum()).backward()

        assert y.grad.tolist() == [3, 3]
        assert x.grad.tolist() == [14 + 30, 14 + 6]

    def test_of_views_and_of_outputs_of_functions(self):
        x = leaf(1, 2)
        y = x * 2
        part = y[:1]
        part.retain_grad()

        (part * 3).sum().backward()

        assert part.grad.tolist() == [3]

    def test_are_dropped_with_their_tensor(self):
        gc.collect()
        before = gb.memory.live()
        x = leaf(1)
        y = x * 2
        y.retain_grad()
        z = y.sum()
        del y

        z.backward()

        del x, z
        assert gb.memory.live() == before

    def test_need_a_tensor_that_has_gradients(self):
        x = leaf(1)
        x.retain_grad()

        assert not x.retains_grad
        with pytest.raises(gb.GradientError, match="retain_grad: a tensor that does not require"):
            gb.ones(1).retain_grad()


class TestHooksAfterAccumulation:
    def test_see_the_leaf_itself_once_its_gradient_is_whole(self):
        x, seen = leaf(1), []
        x.register_post_accumulate_grad_hook(lambda it: seen.append((it is x, it.grad.item())))

        (x * 2 + x * 3).sum().backward()
        gb.autograd.grad((x * x).sum(), x)

        assert seen == [(True, 5)]

    def test_may_step_and_free(self):
        x = gb.ones(3, requires_grad=True)

        def step(it: gb.Tensor) -> None:
            with gb.no_grad():
                it -= it.grad
            it.grad = None

        handle = x.register_post_accumulate_grad_hook(step)
        (x * 2).sum().backward()
        handle.remove()
        (x * 2).sum().backward()

        assert x.tolist() == [-1, -1, -1]
        assert x.grad.tolist() == [2, 2, 2]

    def test_may_be_a_method_that_returns_the_tensor(self, no_leaks):
        x = gb.zeros(3, requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda it: it.add_(it.grad, alpha=-0.5))

        x.backward(gb.tensor([1.0, 2.0, 4.0]))

        assert x.tolist() == [-0.5, -1, -2]

    def test_errors_come_through(self):
        x = leaf(1)
        x.register_post_accumulate_grad_hook(lambda it: 3)

        with pytest.raises(TypeError, match="hook: it returned int; None is needed"):
            (x * 2).sum().backward()
        with pytest.raises(gb.GradientError, match="a tensor that is no leaf"):
            (x * 2).register_post_accumulate_grad_hook(print)


class TestHooksOfNodes:
    def test_see_and_replace(self):
        x, seen = leaf(1), []
        y = x * 3
        y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 2,))
        y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs[0].item(), outputs)))
        handle = y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + 1, None))

        y.sum().backward(retain_graph=True)
        handle.remove()
        y.sum().backward()

        assert [it[0] for it in seen] == [6, 6]
        assert x.grad.item() == 13

    @pytest.mark.parametrize(
        ("wrong", "error"),
        [
            (lambda inputs, outputs: 3, TypeError),
            (lambda inputs, outputs: (3, None), TypeError),
            (lambda inputs, outputs: (inputs[0],) * 3, gb.GradientError),
            (lambda inputs, outputs: (inputs[0][:0], None), gb.ShapeError),
            (lambda inputs, outputs: (inputs[0].half(), None), gb.DTypeError),
            (lambda inputs, outputs: (inputs[0].to("meta"), None), gb.DeviceError),
            (lambda inputs, outputs: (inputs[0], inputs[0]), gb.GradientError),
            (lambda inputs, outputs: 1 / 0, ZeroDivisionError),
        ],
    )
    def test_must_return_what_fits(self, wrong, error):
        x = leaf(1)
        y = x * 3
        y.grad_fn.register_hook(wrong)

        with pytest.raises(error):
            y.sum().backward()

        assert x.grad is None

    @pytest.mark.parametrize("wrong", [gb.float16, gb.float64, gb.int64, gb.complex64])
    def test_before_an_op_keep_the_dtype_that_its_rule_takes_for_granted(self, wrong):
        pool = gb.nn.functional.max_pool2d
        x = gb.rand(1, 4, 4, requires_grad=True)
        y = gb.nn.functional.max_unpool2d(*pool(x, 2, return_indices=True), 2)
        y.grad_fn.register_prehook(lambda outputs: (outputs[0].to(wrong),))

        with pytest.raises(gb.DTypeError, match=r"^hook: it returned dtype .*; they must be"):
            y.sum().backward()

    def test_make_no_gradient_where_a_function_gave_none(self):
        class Dropped(gb.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1

            @staticmethod
            def backward(ctx, gradient):
                return None

        y = Dropped.apply(gb.nn.functional.max_pool2d(leaf(*range(16)).view(1, 4, 4), 2))
        y.grad_fn.register_hook(lambda inputs, outputs: (gb.ones(0),))

        with pytest.raises(gb.GradientError, match=r"where there was no gradient; None is needed$"):
            y.sum().backward()

    def test_that_hold_the_loss_are_collected(self):
        gc.collect()
        before = gb.memory.live()
        x = leaf(1)
        y = x * 3
        y.grad_fn.register_hook(lambda inputs, outputs, y=y: None)
        y.grad_fn.metadata["self"] = y
        del x, y
        for _ in range(3):
            gc.collect()

        assert gb.memory.live() == before

    @pytest.mark.parametrize("add", ["register_hook", "register_prehook"])
    def test_that_hold_their_own_node_are_collected(self, add):
        gc.collect()
        before = gb.memory.live()
        y = (leaf(1) * 3).exp()
        node = y.grad_fn
        getattr(node, add)(lambda *_, node=node: None)
        node.metadata["before it"] = node.next_functions[0][0]
        del y, node
        for _ in range(3):
            gc.collect()

        assert gb.memory.live() == before

    @pytest.mark.parametrize("is_in_a_graph", [True, False])
    def test_that_hold_their_own_node_stay_while_anybody_has_it(self, is_in_a_graph):
        y = leaf(2) * 3
        node = y.grad_fn
        seen = []
        node.register_hook(lambda *_, node=node: seen.append(node.name()))
        node.metadata["note"] = 1
        kept = y.exp() if is_in_a_graph else node
        del y, node
        gc.collect()

        if is_in_a_graph:
            kept.backward()
            assert seen == ["mul"]
        else:
            assert kept.metadata == {"note": 1}

    def test_nodes_are_equal_by_what_they_stand_for(self):
        y = leaf(1) * 2
        y.grad_fn.metadata["note"] = 1

        assert y.grad_fn == y.grad_fn
        assert len({y.grad_fn, y.grad_fn}) == 1
        assert y.grad_fn.metadata == {"note": 1}


OPS = {
    "inputs": lambda x: (x * x * x).sum(),
    "output": lambda x: x.exp().sum(),
    "others": lambda x: gb.nn.functional.cross_entropy(x.view(1, -1), gb.tensor([1])),
    "statistics": lambda x: gb.nn.functional.layer_norm(x, (3,)).exp().sum(),
    "in place": lambda x: (x * 1).exp_().sum(),
}


class TestPackedTensors:
    @pytest.mark.parametrize("name", OPS)
    def test_give_the_same_gradients_of_both_orders(self, name):
        op = OPS[name]

        def both(hooked: bool) -> list[Any]:
            x = leaf(0.5, 1, 2)
            packed = graph.saved_tensors_hooks(lambda t: t.numpy().copy(), gb.tensor)
            with packed if hooked else gb.enable_grad():
                y = op(x)
            (first,) = gb.autograd.grad(y, x, create_graph=True)
            (second,) = gb.autograd.grad((first * first).sum(), x)
            return [first.tolist(), second.tolist()]

        assert both(True) == both(False)

    def test_are_not_kept(self, tmp_path):
        x = gb.ones(10_000, requires_grad=True)
        before = gb.memory.live().bytes
        with graph.save_on_disk(tmp_path):
            y = (x * 2).exp().sum()
        sizes = [it.stat().st_size for it in tmp_path.iterdir()]
        kept = gb.memory.live().bytes

        y.backward()

        assert sizes == [40_000]
        assert kept - before < 100
        assert x.grad[0].item() == pytest.approx(2 * 2.718281828**2)
        assert not list(tmp_path.iterdir())

    def test_on_disk_outlive_a_forked_child_that_runs_backward_over_its_copy(self, tmp_path):
        said = run_program(
            f"""
            import os, garboard as gb
            x = gb.ones(10_000, requires_grad=True)
            with gb.autograd.graph.save_on_disk({str(tmp_path)!r}):
                y = x.exp().sum()
            child = os.fork()
            if child == 0:
                y.backward()
                os._exit(x.grad is None)
            assert os.waitpid(child, 0)[1] == 0
            y.backward()
            print(x.grad.shape, os.listdir({str(tmp_path)!r}))
            """
        )

        assert said == "(10000,) []\n"

    def test_are_unpacked_in_the_mode_of_the_pass(self):
        x, seen = leaf(1), []
        with graph.saved_tensors_hooks(
            lambda t: t, lambda t: seen.append(gb.is_grad_enabled()) or t
        ):
            y = x.exp().sum()

        y.backward(retain_graph=True)
        y.backward(create_graph=True)
        x.grad = None

        assert seen == [False, True]

    def test_are_those_of_the_innermost_block(self):
        seen: list[str] = []

        def named(name: str) -> Any:
            return graph.saved_tensors_hooks(lambda t: seen.append(name) or t, lambda t: t)

        x = leaf(1)
        with named("outer"):
            with named("inner"), gb.no_grad():
                x.exp()
            with named("inner"):
                x.exp()
            x.exp()
        x.exp()

        assert seen == ["inner", "outer"]

    def test_of_functions_too(self):
        class Square(gb.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: gb.Tensor) -> gb.Tensor:
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx: Any, gradient: gb.Tensor) -> gb.Tensor:
                return 2 * gradient * ctx.saved_tensors[0]

        x = leaf(3)
        with graph.saved_tensors_hooks(
            lambda t: t.item(), lambda n: gb.tensor([n + 1], dtype=gb.float64)
        ):
            y = Square.apply(x)
        y.backward()

        assert x.grad.item() == 8

    @pytest.mark.parametrize(
        ("unpack", "error"),
        [
            (lambda t: None, TypeError),
            (lambda t: t[:1], gb.ShapeError),
            (lambda t: t.float(), gb.DTypeError),
            (lambda t: 1 / 0, ZeroDivisionError),
        ],
    )
    def test_must_come_back_as_they_were(self, unpack, error):
        x = leaf(1, 2)
        with graph.saved_tensors_hooks(lambda t: t, unpack):
            y = x.exp().sum()

        with pytest.raises(error):
            y.backward()

        assert x.grad is None

    def test_wrong_hooks_are_refused_and_leave_nothing(self):
        x = leaf(1)
        gc.collect()
        before = gb.memory.live()

        def write(tensor: gb.Tensor) -> gb.Tensor:
            return tensor.add_(1)

        with (
            graph.saved_tensors_hooks(write, lambda t: t),
            pytest.raises(gb.GradientError, match="wrote"),
        ):
            x.exp()
        with (
            graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t),
            pytest.raises(ZeroDivisionError),
        ):
            x.exp()
        with pytest.raises(TypeError, match="pack_hook is of type int"):
            graph.saved_tensors_hooks(3, print)
        with (
            graph.disable_saved_tensors_hooks("not here"),
            pytest.raises(gb.GradientError, match="not here"),
        ):
            graph.save_on_cpu().__enter__()
        gc.collect()

        assert gb.memory.live() == before


def disposed() -> gb.Tensor:
    with gb.dispose_scope():
        return leaf(1)


class TestPasses:
    def test_backward_for_some_inputs_alone(self):
        x, y = leaf(2), leaf(3)
        z = x * y

        gb.autograd.backward((z * z).sum(), inputs=[x, z])

        assert (x.grad.item(), z.grad.item(), y.grad) == (36, 12, None)
        with pytest.raises(gb.GradientError, match="backward: no inputs"):
            gb.autograd.backward(x * 1, inputs=[])

    @pytest.mark.parametrize("form", [list, tuple, lambda given: given[0]])
    def test_a_tensors_own_backward_takes_inputs_too(self, form):
        x, y = leaf(2), leaf(3)

        (x * y).sum().backward(inputs=form([x]))

        assert (x.grad.item(), y.grad) == (3, None)
        with pytest.raises(gb.GradientError, match="no inputs"):
            (x * y).backward(inputs=[])
        with pytest.raises(TypeError, match="inputs"):
            (x * y).backward(inputs=[3])
        with pytest.raises(gb.DisposedError):
            (x * y).backward(inputs=disposed())

    def test_grad_makes_a_pass_for_each_row(self):
        x, y = leaf(2, 3), leaf(5)

        with gb.leaks.no_leaks():
            rows = gb.autograd.grad(
                x * x, [x, y], gb.eye(2), is_grads_batched=True, allow_unused=True
            )
            assert rows[0].tolist() == [[4, 0], [0, 6]]
            assert rows[1] is None
            del rows
        with pytest.raises(gb.ShapeError, match="one size of 1 or more is needed"):
            gb.autograd.grad(x * x, x, gb.ones(0, 2), is_grads_batched=True)

    def test_grad_gives_zeros_for_none(self):
        x, y = leaf(2), leaf(3, 4)

        of_x, of_y = gb.autograd.grad(x * x, [x, y], materialize_grads=True)

        assert (of_x.item(), of_y.tolist()) == (4, [0, 0])
        with pytest.raises(ValueError, match="materialize_grads=True with allow_unused=False"):
            gb.autograd.grad(x * x, x, materialize_grads=True, allow_unused=False)

    def test_zeros_for_none_are_differentiated_once_more_where_the_pass_is_recorded(self):
        x, y, start = leaf(2), leaf(3, 4), leaf(0)

        once = gb.autograd.grad(x * x, [x, y], start, create_graph=True, materialize_grads=True)
        assert [it.requires_grad for it in once] == [True, True]
        (along,) = gb.autograd.grad(once, start, [gb.tensor([1.0]), gb.tensor([1.0, 1.0])])
        assert along.tolist() == [4]

        options = {"create_graph": True, "is_grads_batched": True, "materialize_grads": True}
        rows, zeros = gb.autograd.grad(x * x, [x, y], gb.ones(3, 1), **options)
        assert (rows.shape, zeros.shape, zeros.requires_grad) == ((3, 1), (2,), True)

    def test_zeros_of_a_recorded_pass_can_be_differentiated_again(self):
        x = gb.tensor(0.5, requires_grad=True)
        (once,) = gb.autograd.grad(x * gb.tensor(3.0, requires_grad=True), x, create_graph=True)

        (twice,) = gb.autograd.grad(once, x, create_graph=True, materialize_grads=True)
        (thrice,) = gb.autograd.grad(twice, x, materialize_grads=True)

        assert (twice.item(), thrice.item()) == (0, 0)

    @pytest.mark.parametrize(
        "mode",
        [gb.autograd.detect_anomaly, lambda: gb.autograd.set_detect_anomaly(True)],
        ids=["block", "call"],
    )
    def test_nan_is_found_where_it_is_born(self, mode):
        x = leaf(0, 1)
        y = (x / x).sum()

        with (
            mode(),
            pytest.raises(gb.GradientError, match=r"div for its input 1 has NaN.*test_graph_tools"),
        ):
            y.backward(retain_graph=True)
        y.backward()

        assert x.grad[0].isnan().item()


class TestInferenceMode:
    def test_records_nothing_and_marks_what_is_made(self):
        x = leaf(1)
        with gb.inference_mode():
            y, view, written = x * 2, x[:1], gb.ones(1)
            assert gb.is_inference_mode_enabled()
            assert not gb.is_grad_enabled()
            with gb.enable_grad():
                assert not (x * 2).requires_grad
            with gb.inference_mode(False):
                assert (x * 2).requires_grad
            written.add_(1)

        assert (y.is_inference(), view.is_inference(), y.requires_grad) == (True, False, False)
        assert not gb.is_inference_mode_enabled()

    @pytest.mark.parametrize(
        "use",
        [
            lambda y, x: y * x,
            lambda y, x: y.requires_grad_(),
            lambda y, x: y.add_(1),
            lambda y, x: gb.nn.functional.cross_entropy(x.view(1, 2), gb.tensor([0]), y),
        ],
        ids=["kept", "asked", "written", "weight"],
    )
    def test_what_is_made_is_refused_outside(self, use):
        x = leaf(1, 2)
        with gb.inference_mode():
            y = gb.ones(2, dtype=gb.float64)

        with pytest.raises(gb.GradientError, match=r"made in inference mode.*clone\(\)"):
            use(y, x)

        assert (y + x).requires_grad
        assert (y.clone() * x).requires_grad

    def test_decorates(self):
        @gb.inference_mode
        def bare() -> bool:
            return gb.is_inference_mode_enabled()

        @gb.inference_mode()
        def called() -> bool:
            return gb.is_inference_mode_enabled()

        assert bare()
        assert called()
        with pytest.raises(TypeError, match="mode is of type str"):
            gb.inference_mode("on")


class TestVariable:
    def test_it_is_a_tensor_over_the_same_elements(self):
        x = gb.ones(2)

        variable = gb.autograd.Variable(x, requires_grad=True)
        x.fill_(3)

        assert type(variable) is gb.Tensor
        assert variable.tolist() == [3.0, 3.0]
        assert variable.requires_grad
        assert isinstance(x, gb.autograd.Variable)
        assert not isinstance(1, gb.autograd.Variable)

    def test_what_can_ask_for_no_gradient_is_refused(self):
        with pytest.raises(gb.GradientError):
            gb.autograd.Variable(gb.tensor([1]), requires_grad=True)
        with pytest.raises(TypeError):
            gb.autograd.Variable(gb.ones(1), requires_grad="no")
