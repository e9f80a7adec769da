"""A disposed tensor: what ends it, and what each use of it says."""

from __future__ import annotations

import copy
import pickle
import re
import sys

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def line_here() -> int:
    return sys._getframe(1).f_lineno


class TestADisposedTensor:
    def test_names_op_birth_scope_and_remedy(self):
        with gb.dispose_scope("step"):
            total, line = gb.ones(1), line_here()

        with pytest.raises(gb.DisposedError) as caught:
            gb.ones(1) + total

        assert str(caught.value) == (
            f"add: other is a disposed tensor, born at {__file__}:{line} "
            "TestADisposedTensor.test_names_op_birth_scope_and_remedy() and disposed by scope "
            '"step"; move it out first (scope.move_to_outer), detach it, or keep .item() instead'
        )

    def test_of_a_nameless_scope_says_so(self):
        with gb.dispose_scope():
            x = gb.ones(1)

        with pytest.raises(
            gb.DisposedError, match=r"^item: .* and disposed by its scope; ask before"
        ):
            x.item()

    def test_of_a_dispose_call_says_so(self):
        x = gb.ones(1)
        x.dispose()

        with pytest.raises(
            gb.DisposedError, match=r"^exp: .* and disposed explicitly; dispose it after"
        ):
            x.exp()

    def test_names_the_scope_that_ended_it_not_that_of_its_birth(self):
        with gb.dispose_scope("outer"), gb.dispose_scope("inner") as inner:
            x = inner.move_to_outer(gb.ones(1))

        with pytest.raises(gb.DisposedError, match='disposed by scope "outer"'):
            x.item()

    @pytest.mark.parametrize(
        ("name", "use"),
        [
            ("format", lambda x: f"{x:.2f}"),
            ("deepcopy", copy.deepcopy),
            ("copy", copy.copy),
            ("pickle", pickle.dumps),
            ("__dlpack__", lambda x: x.__dlpack__()),
        ],
    )
    def test_is_named_with_what_was_asked_of_it(self, name, use):
        with gb.dispose_scope():
            x = gb.ones(1)

        with pytest.raises(gb.DisposedError, match=rf"^{name}: .* its scope; ask before the scope"):
            use(x)

    def test_stands_in_a_text_as_what_it_is(self):
        x = gb.ones(1)
        x.dispose()

        assert f"{x} {x:>20}" == "tensor(<disposed>)   tensor(<disposed>)"

    def test_is_refused_by_every_op(self):
        x = gb.ones(2, 2)
        x.dispose()
        y = gb.ones(2, 2)
        before = gb.memory.live()

        uses = [
            lambda: x + 1,
            lambda: 1 - x,
            lambda: y @ x,
            lambda: x.T,
            lambda: x[0],
            lambda: y.add_(x),
            lambda: x.add_(y),
            lambda: gb.add(y, y, out=x),
            lambda: gb.cat([y, x]),
            lambda: gb.where(x, y, y),
            lambda: y.__setitem__(0, x),
            lambda: x.__setitem__(0, 1),
            lambda: x.shape,
            lambda: x.dtype,
            lambda: x.grad,
            lambda: x.backward(),
            lambda: x.numpy(),
            lambda: memoryview(x),
            lambda: x.alias(),
            lambda: x.storage(),
            lambda: len(x),
            lambda: float(x),
            lambda: bool(x),
            lambda: x.__enter__(),
            lambda: x.requires_grad_(),
            lambda: gb.tensor(x),
            lambda: gb.zeros_like(x),
        ]
        for use in uses:
            with pytest.raises(gb.DisposedError, match="disposed explicitly"):
                use()

        assert gb.memory.live() == before

    def test_prints_that_it_is(self):
        x = gb.ones(1)
        x.dispose()

        assert repr(x) == "tensor(<disposed>)"

    def test_may_be_disposed_again(self):
        x = gb.ones(1)
        x.dispose()
        x.dispose()

        assert x.is_disposed

    @pytest.mark.parametrize(
        ("use", "op", "remedy"),
        [
            (lambda x: x.item(), "item", "ask before the scope closes, or move it out first"),
            (lambda x: x.shape, "shape", "ask before the scope closes, or move it out first"),
            (lambda x: float(x), "float", "ask before the scope closes, or move it out first"),
            (
                lambda x: x.backward(),
                "backward",
                "call it before the scope closes, or move the loss",
            ),
            (lambda x: x * 2, "mul", r"move it out first .*, detach it, or keep .item\(\) instead"),
            (lambda x: x.add_(1), "add_", "move it out first .*, detach it, or keep .item"),
            (
                lambda x: x.move_to_outer_dispose_scope(),
                "move_to_outer_dispose_scope",
                "move it before the scope closes",
            ),
            (
                lambda x: x.detach_from_dispose_scope(),
                "detach_from_dispose_scope",
                "move it before the scope closes",
            ),
            (
                lambda x: gb.ones(1).move_to_other_dispose_scope(x),
                "move_to_other_dispose_scope",
                "move it before the scope closes",
            ),
        ],
    )
    def test_says_what_would_have_helped(self, use, op, remedy):
        with gb.dispose_scope("step"):
            x = gb.ones(1)

        with pytest.raises(gb.DisposedError, match=rf'^{op}: .* by scope "step"; {remedy}'):
            use(x)

    @pytest.mark.parametrize(
        ("use", "remedy"),
        [
            (lambda x: x.item(), "ask before it is disposed"),
            (lambda x: x.backward(), "call it before the loss is disposed"),
            (lambda x: x + 1, r"dispose it after its last use, or keep an alias\(\) of it"),
            (lambda x: x.move_to_outer_dispose_scope(), "move it before it is disposed"),
        ],
    )
    def test_of_a_dispose_call_says_what_would_have_helped_there(self, use, remedy):
        with gb.ones(1) as x:
            pass

        with pytest.raises(gb.DisposedError, match=f"disposed explicitly; {remedy}$"):
            use(x)

    @pytest.mark.parametrize("op", ["move_to_outer", "move_to_other", "detach", "attach"])
    def test_is_moved_by_no_scope_any_more(self, op):
        with gb.dispose_scope("outer") as outer:
            with gb.dispose_scope("step") as scope:
                x, y = gb.ones(1), outer.attach(gb.ones(1))
            target = outer if op == "attach" else scope
            other = (outer,) if op == "move_to_other" else ()

            for given in ((y, x), (y, [x])):
                with pytest.raises(
                    gb.DisposedError, match=rf"^scope\.{op}: an argument is .*; move it be"
                ):
                    getattr(target, op)(*other, *given)

            assert y in outer


class TestDisposeAndWith:
    def test_ends_a_tensor_at_the_end_of_its_block(self):
        before = gb.memory.memory_allocated()
        with gb.zeros(1000) as x:
            assert x.sum().item() == 0.0

        assert x.is_disposed
        assert gb.memory.memory_allocated() == before

    def test_ends_one_handle_and_not_the_others(self):
        x = gb.arange(4)
        y, z = x.alias(), x.view(2, 2)

        x.dispose()

        assert y.tolist() == [0, 1, 2, 3]
        assert z.tolist() == [[0, 1], [2, 3]]

    def test_ends_one_handle_of_a_leaf_and_not_its_gradient(self):
        x = gb.ones(3, requires_grad=True)
        handles = [x.alias(), +x, x.contiguous(), x.to(gb.float32), x.float(), x.cpu()]
        x.dispose()

        (handles[0] * 2).sum().backward()

        assert all(handle.is_leaf for handle in handles)
        assert all(handle.grad is handles[0].grad for handle in handles)
        assert handles[0].grad.tolist() == [2.0, 2.0, 2.0]

    def test_gives_the_bytes_back_with_the_last_handle(self):
        before = gb.memory.memory_allocated()
        x = gb.zeros(1000)
        y = x[:10]

        x.dispose()
        assert gb.memory.memory_allocated() == before + 4000
        y.dispose()
        assert gb.memory.memory_allocated() == before

    def test_leaves_the_scope_at_once(self):
        with gb.dispose_scope() as scope:
            x = gb.ones(1)
            x.dispose()
            assert len(scope) == 0
            assert x not in scope

    def test_ends_a_gradients_handle_and_not_the_gradient(self):
        x = gb.ones(1, requires_grad=True)
        (x * 2).sum().backward()
        first = x.grad
        first.dispose()

        assert x.grad is not first
        assert x.grad.item() == 2.0

    def test_message_fits_on_the_ops_own_pattern(self):
        x = gb.ones(1)
        x.dispose()

        with pytest.raises(gb.DisposedError) as caught:
            x + 1

        assert re.fullmatch(r"add: [^;]*; [^;]*", str(caught.value))
