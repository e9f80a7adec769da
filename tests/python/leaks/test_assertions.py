"""Assertions about lives: what must be gone when a block ends."""

from __future__ import annotations

import asyncio

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")


class TestExpectFreed:
    def test_lets_go_what_is_gone_in_a_cycle_or_disposed(self):
        gone, disposed, module = gb.ones(3), gb.ones(3), gb.nn.Linear(2, 2)
        module.itself = [module]

        with gb.leaks.expect_freed(gone, disposed, module):
            disposed.dispose()
            del gone, module

    def test_names_who_holds_what_lives_on(self):
        x = gb.ones(3)
        cache = [x]

        block = gb.leaks.expect_freed(x, reason="the run is over")
        with pytest.raises(gb.leaks.LeakError, match="was expected to be freed") as caught, block:
            del x

        (leak,) = caught.value.leaks
        assert "`cache`" in leak.holder
        assert "(the run is over)" in leak.evidence
        assert leak.bytes == 12
        assert len(cache) == 1

    @pytest.mark.parametrize("name", ["", "<string>", "<made>"])
    def test_names_the_line_of_code_that_has_no_file(self, name):
        text = "net = gb.nn.Linear(2, 2)\nkept = [net]\nblock = gb.leaks.expect_freed(net)\ndel net"
        names = {"gb": gb}
        exec(compile(text, name, "exec"), names)

        with pytest.raises(gb.leaks.LeakError) as caught, names["block"]:
            pass

        (leak,) = caught.value.leaks
        assert leak.site.place == f"{name or '<string>'}:1"
        assert leak.kind == "not-freed"

    @pytest.mark.parametrize("make", [gb.nn.ReLU, lambda: gb.nn.Sequential(), lambda: set()])
    def test_names_the_line_that_expects_what_has_no_birth(self, make):
        thing = make()
        kept = [thing]

        block = gb.leaks.expect_freed(thing)
        with pytest.raises(gb.leaks.LeakError, match="nothing tells of its birth") as caught, block:
            del thing

        (leak,) = caught.value.leaks
        assert leak.site.source == "block = gb.leaks.expect_freed(thing)"
        assert len(kept) == 1

    def test_does_not_judge_a_block_that_raises(self):
        x = gb.ones(3)

        with pytest.raises(KeyError), gb.leaks.expect_freed(x):
            raise KeyError("mine")

    @pytest.mark.parametrize(
        ("things", "named", "message"),
        [
            ((5,), {}, "expect_freed: a int, which cannot be referred to weakly"),
            ((gb,), {"reason": 5}, "expect_freed: reason is of type int"),
        ],
    )
    def test_refuses_what_it_cannot_watch(self, things, named, message):
        with pytest.raises(TypeError, match=message):
            gb.leaks.expect_freed(*things, **named)


class TestAssertFlat:
    def test_passes_where_memory_comes_back(self):
        cache, buffer = {}, []

        for step in gb.leaks.assert_flat(steps=12):
            x = gb.ones(100 + step % 3) * 2
            cache.setdefault(step % 4, gb.ones(5))
            buffer.append(x)
            if len(buffer) == 4:
                buffer.clear()

    def test_names_the_line_that_grows(self):
        kept = []

        def loop():
            for _ in gb.leaks.assert_flat(steps=6):
                kept.append(gb.ones(10))

        with pytest.raises(gb.leaks.LeakError, match="6 of 6 steps survived") as caught:
            loop()

        (leak,) = caught.value.leaks
        assert leak.kind == "tensor-list"
        assert leak.site.source == "kept.append(gb.ones(10))"

    def test_sees_graphs_that_have_no_bytes(self):
        def loop():
            w, total = gb.ones(1, requires_grad=True), 0
            for _ in gb.leaks.assert_flat(steps=8):
                loss = w.sum()
                loss.backward()
                total += loss

        with pytest.raises(gb.leaks.LeakError, match="accumulated-graph"):
            loop()

    def test_sees_what_leaks_in_every_fourth_step_alone(self):
        kept = []

        def loop():
            for step in gb.leaks.assert_flat(steps=20):
                if step % 4 == 0:
                    kept.append(gb.ones(10))

        with pytest.raises(gb.leaks.LeakError, match="more live than after the warm-up") as caught:
            loop()

        assert caught.value.leaks[0].site.source == "kept.append(gb.ones(10))"

    def test_lets_cycles_go_and_slack_live(self):
        kept = []

        for _ in gb.leaks.assert_flat(steps=6):
            cycle = [gb.ones(3)]
            cycle.append(cycle)
        for _ in gb.leaks.assert_flat(steps=6, slack="1 KiB"):
            kept.append(gb.ones(3))

    def test_judges_no_loop_that_is_left_or_raises(self):
        kept = []

        for _ in gb.leaks.assert_flat(steps=6):
            kept.append(gb.ones(3))
            if len(kept) == 8:
                break

    @pytest.mark.parametrize(
        ("given", "error"),
        [({"steps": 1}, ValueError), ({"warmup": -1}, ValueError), ({"steps": "x"}, TypeError),
         ({"slack": "much"}, gb.GarboardError), ({"slack": None}, TypeError)],
    )  # fmt: skip
    def test_refuses_what_is_no_number(self, given, error):
        with pytest.raises(error, match=r"steps|warmup|slack|parse_bytes"):
            gb.leaks.assert_flat(**given)


class TestFrees:
    def test_passes_what_lets_go_and_keeps_the_result(self):
        w = gb.ones(3, requires_grad=True)

        @gb.leaks.frees("everything")
        def step():
            (w * 2).sum().backward()
            return 7

        @gb.leaks.frees("everything but results")
        def made():
            return {"x": [gb.ones(3)]}

        assert step() == step() == 7
        assert made()["x"][0].sum().item() == 3

    def test_names_what_outlives_a_call(self):
        kept = []

        @gb.leaks.frees()
        def step():
            kept.append(gb.ones(3))

        with pytest.raises(gb.leaks.LeakError, match="tensor-list, kept: 1 tensor") as caught:
            step()

        assert caught.value.leaks[0].site.source == "kept.append(gb.ones(3))"

    def test_names_what_is_returned(self):
        @gb.leaks.frees("everything")
        def made():
            return gb.ones(3)

        with pytest.raises(gb.leaks.LeakError, match="1 returned") as caught:
            made()

        (leak,) = caught.value.leaks
        assert leak.site.source == "return gb.ones(3)"
        assert leak.holder == "who called the function: it is returned"

    def test_checks_async_functions(self):
        kept = []

        @gb.leaks.frees("everything")
        async def step(keeps):
            await asyncio.sleep(0)
            kept.extend([gb.ones(3)] * keeps)

        asyncio.run(step(0))
        with pytest.raises(gb.leaks.LeakError):
            asyncio.run(step(1))

    def test_judges_no_call_that_raises(self):
        kept = []

        @gb.leaks.frees("everything")
        def step():
            kept.append(gb.ones(3))
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            step()

    def test_refuses_generators_and_other_words(self):
        with pytest.raises(TypeError, match="frees: a generator function"):

            @gb.leaks.frees("everything")
            def numbers():
                yield 1

        with pytest.raises(ValueError, match="frees: what 'nothing'"):
            gb.leaks.frees("nothing")


class TestAScope:
    def test_expects_so_many_bytes_at_most(self):
        with gb.dispose_scope("epoch") as scope:
            kept = [gb.ones(256)]
            scope.expect(bytes=1024)
            scope.expect(bytes="1 KiB")
            kept.append(gb.ones(1))
            with pytest.raises(gb.leaks.LeakError, match="list `kept`") as caught:
                scope.expect(bytes=1024)

        (leak,) = caught.value.leaks
        assert leak.kind == "tensor-list"
        assert caught.value.report.notes[0] == (
            "expect: 1.0 KiB born in scope epoch live; 1.0 KiB are expected"
        )

    def test_counts_neither_garbage_nor_what_was_born_elsewhere(self):
        outside = gb.ones(1000)
        with gb.dispose_scope() as scope:
            cycle = [gb.ones(100)]
            cycle.append(cycle)
            del cycle
            scope.expect(bytes=0)
        assert not outside.is_disposed

    def test_names_the_line_where_no_holder_is_to_blame(self):
        with gb.dispose_scope() as scope:
            w = gb.ones(100, requires_grad=True)
            loss = (w.exp() * 2).sum()
            del w
            with pytest.raises(gb.leaks.LeakError):
                scope.expect(bytes=4)
        assert loss.is_disposed

    def test_names_the_line_and_the_list_of_what_was_detached(self):
        kept = []
        with gb.dispose_scope("epoch") as scope:
            for _ in range(3):
                kept.append(scope.detach(gb.ones(256)))
            with pytest.raises(gb.leaks.LeakError) as caught:
                scope.expect(bytes="1 KiB")

        (leak,) = caught.value.leaks
        assert leak.kind == "scope-escape"
        assert leak.count == 3
        assert leak.site.source == "kept.append(scope.detach(gb.ones(256)))"
        assert leak.holder.startswith("list `kept`")

    def test_tells_a_variable_to_leave_to_the_scope_what_it_detached(self):
        with gb.dispose_scope() as scope:
            x = scope.detach(gb.ones(256))
            with pytest.raises(gb.leaks.LeakError) as caught:
                scope.expect(bytes=0)

        (leak,) = caught.value.leaks
        assert leak.holder.startswith("local `x`")
        assert leak.fix == "del x when it is done, or leave it to the scope that it was made in"
        del x

    def test_names_who_holds_a_network_that_was_detached(self):
        nets = {}
        with gb.dispose_scope() as scope:
            nets["a"] = scope.detach(gb.nn.Linear(16, 16))
            with pytest.raises(gb.leaks.LeakError) as caught:
                scope.expect(bytes=0)

        (leak,) = caught.value.leaks
        assert leak.site.source == 'nets["a"] = scope.detach(gb.nn.Linear(16, 16))'
        assert leak.holder.startswith("dict `nets`")

    def test_names_who_holds_what_went_to_the_scope_around_it(self):
        kept = []
        with gb.dispose_scope(), gb.dispose_scope() as inner:
            kept.append(inner.move_to_outer(gb.ones(256)))
            with pytest.raises(gb.leaks.LeakError, match="list `kept`"):
                inner.expect(bytes=0)

    def test_names_who_holds_what_a_scope_inside_it_made(self):
        kept = []
        with gb.dispose_scope() as outer, gb.dispose_scope():
            kept.append(gb.ones(256))
            with pytest.raises(gb.leaks.LeakError, match="list `kept`"):
                outer.expect(bytes=0)

    def test_counts_no_detached_tensor_that_was_disposed(self):
        with gb.dispose_scope() as scope:
            scope.detach(gb.ones(256)).dispose()
            scope.expect(bytes=0)

    def test_names_the_node_whose_graph_keeps_the_most(self):
        with gb.dispose_scope() as scope:
            w = gb.ones(1, requires_grad=True)
            loss = w.expand(100).exp().sum()
            leaf = gb.ones(50, requires_grad=True)
            of_leaf = leaf.sum()
            del w, leaf
            with pytest.raises(gb.leaks.LeakError) as caught:
                scope.expect(bytes=300)
            loss.dispose()
            with pytest.raises(gb.leaks.LeakError) as caught_then:
                scope.expect(bytes=100)

        leak = caught.value.leaks[-1]
        assert leak.holder.startswith("graph node exp, recorded at tests/python/")
        assert leak.site.source == "loss = w.expand(100).exp().sum()"
        then = caught_then.value.leaks[-1]
        assert then.holder.startswith("graph node sum, recorded at tests/python/")
        assert then.site.source == "leaf = gb.ones(50, requires_grad=True)"
        assert of_leaf.is_disposed
        assert loss.is_disposed

    def test_names_the_line_of_a_gradient_and_what_lets_go_of_it(self):
        w = gb.ones(100, requires_grad=True)
        with gb.dispose_scope() as scope:
            (w * 2).sum().backward()
            with pytest.raises(gb.leaks.LeakError) as caught:
                scope.expect(bytes=0)

        (leak,) = caught.value.leaks
        assert leak.site.source == "(w * 2).sum().backward()"
        assert leak.holder.startswith("a gradient")
        assert leak.fix.startswith("zero_grad()")

    def test_says_of_a_closed_scope_that_it_should_be_asked_before(self):
        with gb.dispose_scope() as scope:
            kept = scope.detach(gb.ones(256))

        with pytest.raises(gb.leaks.LeakError, match="before the scope's block ends"):
            scope.expect(bytes=0)
        assert kept.nbytes == 1024

    def test_calls_a_list_of_the_same_module_a_list(self):
        said = run_program(
            """
            import garboard as gb

            kept = []
            try:
                with gb.dispose_scope() as scope:
                    kept.append(gb.ones(3))
                    scope.expect(bytes=0)
            except gb.leaks.LeakError as error:
                print(*(leak.kind for leak in error.leaks))
            """
        )

        assert said == "tensor-list\n"

    @pytest.mark.parametrize(
        ("given", "error"), [(-1, ValueError), (None, TypeError), ("much", gb.GarboardError)]
    )
    def test_refuses_what_is_no_amount(self, given, error):
        with gb.dispose_scope() as scope, pytest.raises(error):
            scope.expect(bytes=given)


def test_assertions_need_no_pytest():
    said = run_program(
        """
        import garboard as gb, sys

        def loop():
            kept = []
            for _ in gb.leaks.assert_flat(steps=4):
                kept.append(gb.ones(3))

        try:
            loop()
        except gb.leaks.LeakError as error:
            print(error.leaks[0].kind, "pytest" in sys.modules)
        """
    )

    assert said == "tensor-list False\n"
