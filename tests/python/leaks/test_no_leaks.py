"""The exact form: what a block or a repeated function leaves alive."""

from __future__ import annotations

import asyncio
import gc

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def the_leak(raised: pytest.ExceptionInfo[gb.leaks.LeakError]) -> gb.leaks.Leak:
    assert len(raised.value.leaks) == 1, str(raised.value)
    return raised.value.leaks[0]


class TestABlock:
    def test_is_not_left_without_being_entered(self):
        with pytest.raises(gb.GarboardError, match=r"^no_leaks: left more often than entered"):
            gb.leaks.no_leaks().__exit__(None, None, None)

    def test_passes_when_all_it_made_is_gone(self):
        net = gb.nn.Linear(3, 2)
        opt = gb.optim.Adam(net.parameters())
        with gb.leaks.no_leaks():
            loss = net(gb.ones(4, 3)).sum()
            loss.backward()
            opt.step()
            del loss

    def test_leaks_what_a_container_keeps(self):
        kept = []
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            kept.append(gb.ones(3))

        leak = the_leak(raised)
        assert (leak.kind, leak.verdict, leak.count, leak.bytes) == ("tensor-list", "LEAK", 1, 12)
        assert leak.holder.startswith("list `kept`")
        assert leak.fix.startswith("take it out of kept")

    def test_calls_one_network_in_a_cache_no_duplicate(self):
        nets = {}
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            nets["m"] = (gb.nn.Sequential(gb.nn.Linear(2, 2), gb.nn.Linear(2, 2)), "name")

        leak = the_leak(raised)
        assert (leak.kind, leak.count) == ("tensor-list", 4)
        assert leak.holder.startswith("dict `nets`")
        assert leak.fix.endswith("when it is done, or build it before the check begins")

    def test_calls_networks_of_two_lines_no_duplicates(self):
        nets = []

        @gb.leaks.no_leaks(iterations=1, warmup=0)
        def build():
            nets.append(gb.nn.Linear(2, 2))
            nets.append(gb.nn.Linear(2, 2))

        with pytest.raises(gb.leaks.LeakError) as raised:
            build()

        assert the_leak(raised).kind == "tensor-list"

    def test_counts_the_networks_that_one_line_has_built(self):
        nets = [gb.nn.Linear(2, 2)]
        with pytest.raises(gb.leaks.LeakError, match="of 2 nets") as raised, gb.leaks.no_leaks():
            nets += [gb.nn.Linear(2, 2) for _ in range(2)]

        assert the_leak(raised).kind == "duplicate-nets"

    def test_leaks_what_a_variable_keeps(self):
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            result = gb.ones(3)

        leak = the_leak(raised)
        assert leak.kind == "variable"
        assert leak.holder.startswith("local `result`")
        assert leak.fix.startswith("del result")
        del result

    def test_says_what_a_view_pins_that_a_variable_keeps(self):
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            row = gb.ones(1000)[:2]

        leak = the_leak(raised)
        assert leak.evidence == "kept: 1 tensor, a view that pins 3.9 KiB"
        assert (leak.kind, leak.bytes) == ("variable", 4000)
        assert leak.fix == "del row when it is done, or let it be a copy, made by .clone()"
        del row

    def test_leaks_the_graph_behind_an_older_tensor(self):
        w, total = gb.ones(3, requires_grad=True), gb.zeros(())
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            total += (w * 2).sum()

        assert the_leak(raised).kind == "accumulated-graph"

    def test_leaks_arrays_over_its_memory(self):
        arrays = []
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            arrays.append(gb.ones(3).numpy())

        assert the_leak(raised).kind == "export-pin"
        assert "ones(3).numpy()" in str(raised.value)

    def test_names_several_leaks_in_one_error(self):
        first, second = [], {}

        def keep_two():
            first.append(gb.ones(3))
            second["x"] = gb.ones(300)

        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            keep_two()

        assert [leak.bytes for leak in raised.value.leaks] == [1200, 12]
        assert str(raised.value).startswith("2 leaks: ")

    def test_tells_a_kept_optimizer_to_go_with_its_network(self):
        kept = []
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            kept.append(gb.optim.SGD(gb.nn.Linear(2, 2).parameters(), lr=1e-2))

        leak = the_leak(raised)
        assert leak.kind == "optimizer-orphan"
        assert leak.fix.startswith("drop the optimizer together with its model")

    def test_calls_the_generator_that_is_not_at_its_end_by_its_name(self):
        def numbers():
            x = gb.ones(3)
            yield x.sum().item()

        rows = numbers()
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            next(rows)

        leak = the_leak(raised)
        assert leak.kind == "queue-future-async"
        assert leak.fix == "run rows to its end, or close() it"
        rows.close()

    def test_knows_generators_that_are_asynchronous(self):
        async def numbers():
            x = gb.ones(3)
            yield x.sum().item()

        async def main():
            rows = numbers()
            async with gb.leaks.no_leaks():
                await anext(rows)

        with pytest.raises(gb.leaks.LeakError) as raised:
            asyncio.run(main())

        leak = the_leak(raised)
        assert leak.kind == "queue-future-async"
        assert leak.fix == "run rows to its end, or aclose() it"

    def test_calls_the_task_that_waits_by_its_name(self):
        async def wait():
            x = gb.ones(3)
            await asyncio.sleep(60)
            return x

        async def main():
            async with gb.leaks.no_leaks():
                task = asyncio.ensure_future(wait())
                await asyncio.sleep(0)
            task.cancel()

        with pytest.raises(gb.leaks.LeakError) as raised:
            asyncio.run(main())

        leak = the_leak(raised)
        assert leak.kind == "queue-future-async"
        assert leak.fix == "await task, or cancel() it"

    def test_lets_garbage_be(self):
        gc.disable()
        try:
            with gb.leaks.no_leaks():
                cycle = [gb.ones(3)]
                cycle.append(cycle)
                del cycle
        finally:
            gc.enable()

    def test_lets_bounded_containers_be(self):
        from collections import deque

        recent = deque(maxlen=4)
        with gb.leaks.no_leaks():
            recent.append(gb.ones(3))
        assert len(recent) == 1

    def test_lets_a_module_have_parameters_and_buffers(self):
        net = gb.nn.Linear(3, 2)
        with gb.leaks.no_leaks():
            net.register_buffer("mean", gb.zeros(3))
            net.extra = gb.nn.Parameter(gb.zeros(3))

    def test_is_not_judged_when_it_raises(self):
        kept = []

        def fail():
            kept.append(gb.ones(3))
            raise KeyError

        with pytest.raises(KeyError), gb.leaks.no_leaks():
            fail()

    def test_can_be_asynchronous(self):
        kept = []

        async def leak():
            async with gb.leaks.no_leaks():
                await asyncio.sleep(0)
                kept.append(gb.ones(3))

        with pytest.raises(gb.leaks.LeakError):
            asyncio.run(leak())

    def test_may_stand_inside_another(self):
        kept = []

        def keep_one():
            kept.append(gb.ones(3))
            with gb.leaks.no_leaks():
                gb.ones(3)

        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            keep_one()

        assert the_leak(raised).count == 1


class TestARepeatedFunction:
    def test_is_called_for_warm_up_and_measurement_and_gives_its_last_result(self):
        calls = []

        @gb.leaks.no_leaks(iterations=4, warmup=2)
        def count(by, *, start):
            """Count."""
            calls.append(1)
            return start + by * len(calls)

        assert count(10, start=5) == 65
        assert count.__doc__ == "Count."

    def test_leaks_what_every_measured_call_leaves(self):
        kept = []

        @gb.leaks.no_leaks(iterations=5, warmup=3)
        def remember():
            kept.append(gb.ones(3))

        with pytest.raises(gb.leaks.LeakError) as raised:
            remember()

        leak = the_leak(raised)
        assert (leak.count, leak.rate.tensors, leak.rate.bytes) == (5, 1, 12)
        assert leak.evidence.startswith("5 of 5 steps survived")

    def test_leaks_what_it_returns_as_well(self):
        losses = []

        @gb.leaks.no_leaks()
        def step():
            losses.append(gb.ones(3).sum())
            return losses[-1]

        with pytest.raises(gb.leaks.LeakError) as raised:
            step()

        assert the_leak(raised).holder.startswith("list `losses`")

    def test_may_keep_what_it_returned_before(self):
        last = [None, None]

        @gb.leaks.no_leaks(iterations=2)
        def step():
            last[:] = [last[1], gb.ones(3)]
            return last[1]

        assert step().tolist() == [1, 1, 1]

    def test_leaks_attributes_that_are_added_at_every_call(self):
        class Bag:
            pass

        bag = Bag()

        @gb.leaks.no_leaks()
        def add():
            setattr(bag, f"item_{len(vars(bag))}", gb.ones(3))

        with pytest.raises(gb.leaks.LeakError):
            add()

    def test_leaks_a_graph_that_grows(self):
        w, sums = gb.ones(3, requires_grad=True), {"total": gb.zeros(())}

        @gb.leaks.no_leaks()
        def step():
            loss = (w * 2).sum()
            loss.backward()
            sums["total"] = sums["total"] + loss

        with pytest.raises(gb.leaks.LeakError) as raised:
            step()

        assert the_leak(raised).kind == "graph-in-running-stat"

    def test_may_replace_what_it_kept_and_fill_caches(self):
        state, cache = {}, {}

        @gb.leaks.no_leaks()
        def step():
            state["last"] = gb.ones(3)
            if "eye" not in cache:
                cache["eye"] = gb.eye(3)
            return state["last"]

        assert step().tolist() == [1, 1, 1]

    def test_may_leave_something_now_and_then(self):
        kept, calls = [], []

        @gb.leaks.no_leaks(iterations=4, warmup=0)
        def step():
            calls.append(1)
            if len(calls) % 2:
                kept.append(gb.ones(3))

        step()
        assert len(kept) == 2

    def test_may_return_a_tensor_in_its_only_measured_call(self):
        @gb.leaks.no_leaks(iterations=1, warmup=0)
        def make():
            return {"x": gb.ones(3)}

        assert make()["x"].tolist() == [1, 1, 1]

    def test_can_be_a_coroutine_function(self):
        kept = []

        @gb.leaks.no_leaks()
        async def remember(leak):
            await asyncio.sleep(0)
            if leak:
                kept.append(gb.ones(3))
            return 7

        assert asyncio.run(remember(leak=False)) == 7
        with pytest.raises(gb.leaks.LeakError):
            asyncio.run(remember(leak=True))


@pytest.mark.parametrize(
    ("iterations", "warmup", "message"),
    [(0, 3, "no_leaks: iterations 0; 1 or more"), (5, -1, "no_leaks: warmup -1; 0 or more")],
)
def test_wrong_numbers_are_refused(iterations, warmup, message):
    with pytest.raises(ValueError, match=message):
        gb.leaks.no_leaks(iterations, warmup)

    def test_needs_no_parentheses(self):
        kept, calls = [], []

        @gb.leaks.no_leaks
        def keeps():
            kept.append(gb.ones(3))

        @gb.leaks.no_leaks
        def lets_go():
            calls.append(gb.ones(3).sum().item())
            return 7

        with pytest.raises(gb.leaks.LeakError):
            keeps()
        assert lets_go() == 7
        assert len(calls) == 8

    def test_is_no_generator_function(self):
        def batches():
            yield gb.ones(3)

        async def batches_to_await():
            yield gb.ones(3)

        for function in (batches, batches_to_await):
            with pytest.raises(TypeError, match="no_leaks: a generator function"):
                gb.leaks.no_leaks()(function)

    def test_names_the_list_and_not_the_dict_that_has_it(self):
        history = {"loss": [], "accuracy": []}

        @gb.leaks.no_leaks
        def step():
            for name in history:
                history[name].append(gb.ones(3))

        with pytest.raises(gb.leaks.LeakError) as raised:
            step()

        leak = the_leak(raised)
        assert leak.holder.startswith("list `history['accuracy']` and 1 more of `history`")
        assert "pop(next(iter" not in leak.fix


class TestWhatNoTensorLeadsTo:
    def test_kept_optimizers_leak_by_their_state(self):
        net, kept = gb.nn.Linear(64, 64), []

        def train():
            for _ in range(3):
                kept.append(gb.optim.Adam(net.parameters()))
                net(gb.ones(1, 64)).sum().backward()
                kept[-1].step()
            net.zero_grad()

        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            train()

        leak = the_leak(raised)
        assert leak.kind == "optimizer-orphan"
        assert leak.holder.startswith("list `kept`")
        assert leak.bytes >= 2 * (2 * 4 * (64 * 64 + 64))

    def test_kept_graph_nodes_leak_by_what_was_saved(self):
        w, nodes = gb.ones(1000, requires_grad=True), []
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.no_leaks():
            nodes.append(w.exp().sum().grad_fn)

        leak = the_leak(raised)
        assert leak.kind == "kept-graph"
        assert leak.bytes >= 4000

    def test_hooks_leak_that_every_call_adds(self):
        net = gb.nn.Linear(3, 2)

        @gb.leaks.no_leaks()
        def step():
            net.register_forward_hook(lambda module, args, output: None)
            net(gb.ones(4, 3))

        with pytest.raises(gb.leaks.LeakError) as raised:
            step()

        assert the_leak(raised).kind == "hook-accumulation"
        assert the_leak(raised).count == 5
