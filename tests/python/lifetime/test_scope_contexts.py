"""Which scope is open: per thread, per asyncio task, per context."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import random
import threading
from collections.abc import Callable

import garboard as gb
import pytest
from garboard import _engine

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

other_variable = contextvars.ContextVar("other_variable", default=0)


def where() -> str | None:
    """Name the scope that adopts what is made here."""
    scope = _engine._scope_of(gb.ones(1))
    return None if scope is None else scope.name


def in_thread(work: Callable[[], object]) -> object:
    """Run `work` on a thread of its own and return what it returns."""
    results: queue.SimpleQueue = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put((work(), None))
        except BaseException as error:
            results.put((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, error = results.get_nowait()
    if error is not None:
        raise error
    return result


class TestThreads:
    def test_a_new_one_has_no_scope(self):
        with gb.dispose_scope() as scope:
            assert in_thread(gb.current_dispose_scope) is None
            x = in_thread(lambda: gb.ones(1))
            assert x not in scope

        assert not x.is_disposed

    def test_open_scopes_that_others_do_not_see(self):
        def work():
            with gb.dispose_scope("theirs"):
                opened.set()
                closing.wait()
                return where()

        opened, closing = threading.Event(), threading.Event()
        names = []
        thread = threading.Thread(target=lambda: names.append(work()))
        thread.start()
        opened.wait()
        assert where() is None
        with gb.dispose_scope("ours"):
            assert where() == "ours"
            closing.set()
            thread.join()

        assert names == ["theirs"]

    def test_close_each_others_scopes(self):
        scope = gb.dispose_scope("scope")
        with gb.dispose_scope("outer"):
            scope.__enter__()
            x = gb.ones(1)
            in_thread(scope.dispose)
            assert x.is_disposed
            assert scope.is_disposed
            assert where() == "outer"
            scope.dispose()
            assert where() == "outer"

    def test_move_tensors_between_each_others_scopes(self):
        with gb.dispose_scope("main") as main:
            x = in_thread(lambda: main.attach(gb.ones(1)))
            assert x in main

        assert x.is_disposed

    def test_finalize_each_others_tensors(self):
        before = gb.memory.memory_allocated()
        with gb.dispose_scope() as scope:
            holder = [gb.zeros(1000) for _ in range(10)]
            in_thread(holder.clear)
            assert len(scope) == 0
            assert gb.memory.memory_allocated() == before

    def test_end_and_leave_their_tensors_alive(self):
        kept = in_thread(lambda: [gb.full((3,), i) for i in range(5)])

        assert [t[0].item() for t in kept] == [0.0, 1.0, 2.0, 3.0, 4.0]

    def test_end_and_leave_no_scope_open_for_the_next_one(self):
        def leave_open():
            gb.dispose_scope("left open").__enter__()
            return gb.ones(1)

        x = in_thread(leave_open)

        assert x.is_disposed, "the scope went with the thread's context"
        assert in_thread(where) is None

    def test_make_and_end_tensors_all_at_once(self):
        def work(seed: int) -> None:
            draw = random.Random(seed)
            mine = []
            for _ in range(150):
                with gb.dispose_scope() as scope:
                    mine.extend(gb.rand(draw.randrange(1, 400)) for _ in range(4))
                    mine.append(mine[-1] * 2)
                    scope.move_to_outer(mine[-2], mine[-4])
                    with lock:
                        shared.append(scope.detach(mine[-1]))
                        if len(shared) > 20:
                            shared.pop(draw.randrange(len(shared))).dispose()
                if len(mine) > 30:
                    del mine[: draw.randrange(len(mine))]

        shared, lock = [], threading.Lock()
        before = gb.memory.live()
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert gb.memory.live().aliases - before.aliases == len(shared)
        assert gb.memory.memory_allocated() == gb.memory.live().bytes
        shared.clear()
        assert gb.memory.live() == before

    def test_see_an_input_through_to_the_end_of_an_op(self):
        def dispose_soon():
            barrier.wait()
            x.dispose()

        for _ in range(20):
            x, barrier = gb.ones(200_000), threading.Barrier(2)
            thread = threading.Thread(target=dispose_soon)
            thread.start()
            barrier.wait()
            with contextlib.suppress(gb.DisposedError):  # where the dispose came first
                assert (x + 1).sum().item() == 400_000.0
            thread.join()


class TestContexts:
    def test_copied_keep_their_scopes_and_open_their_own(self):
        with gb.dispose_scope("shared"):
            copied = contextvars.copy_context()
            with gb.dispose_scope("later"):
                assert copied.run(where) == "shared"
                inner = copied.run(gb.dispose_scope("theirs").__enter__)
                assert (copied.run(where), where()) == ("theirs", "later")
                inner.dispose()
            assert (copied.run(where), where()) == ("shared", "shared")

        assert copied.run(where) is None

    def test_copied_after_a_variable_was_set_are_apart(self):
        def inside():
            with gb.dispose_scope("first"):
                early = contextvars.copy_context()
                other_variable.set(1)
                late = contextvars.copy_context()
                early.run(other_variable.set, 2)
                other_variable.set(3)
                with gb.dispose_scope("second"):
                    return early.run(where), late.run(where), where()

        assert contextvars.copy_context().run(inside) == ("first", "first", "second")

    def test_copied_and_gone_leave_the_others_apart(self):
        def inside():
            with gb.dispose_scope("first"):
                for turn in range(50):
                    gone = contextvars.copy_context()
                    other_variable.set(turn)
                    held = contextvars.copy_context()
                    del gone  # its tree of variables may be made anew at the same address
                    other_variable.set(-turn)
                    with gb.dispose_scope("second"):
                        assert held.run(where) == "first"

        contextvars.copy_context().run(inside)

    @pytest.mark.parametrize("count", [1, 15, 40, 300])
    def test_of_many_variables_are_apart(self, count):
        variables = [contextvars.ContextVar(f"v{i}") for i in range(count)]

        def inside():
            for variable in variables:
                variable.set(0)
            with gb.dispose_scope("first"):
                held = []
                for variable in variables[:40]:
                    held.append(contextvars.copy_context())
                    variable.set(1)
                    held.append(contextvars.copy_context())
                    held[-1].run(variable.set, 2)
                    with gb.dispose_scope("second"):
                        assert {context.run(where) for context in held} == {"first"}
                        assert where() == "second"
                    assert where() == "first"

        contextvars.copy_context().run(inside)

    def test_run_on_another_thread_take_their_scopes_along(self):
        with gb.dispose_scope("main") as scope:
            x = in_thread(lambda: contextvars.Context().run(gb.ones, 1))
            context = contextvars.copy_context()
            y = in_thread(lambda: context.run(gb.ones, 1))
            assert (x in scope, y in scope) == (False, True)

        assert y.is_disposed

    def test_end_with_their_open_scopes(self):
        context = contextvars.Context()
        x = context.run(lambda: (gb.dispose_scope().__enter__(), gb.ones(1))[1])
        assert not x.is_disposed

        del context

        assert x.is_disposed


class TestTasks:
    def test_never_adopt_each_others_tensors(self):
        async def work(name: str, turns: int) -> None:
            async with gb.dispose_scope(name) as scope:
                mine = []
                for _ in range(turns):
                    mine.append(gb.ones(1))
                    await asyncio.sleep(0)
                    assert where() == name
                    with gb.dispose_scope(f"{name} inner"):
                        await asyncio.sleep(0)
                        assert where() == f"{name} inner"
                assert len(scope) == turns

            assert all(t.is_disposed for t in mine)

        async def main() -> None:
            await asyncio.gather(*(work(f"task {i}", 3 + i) for i in range(8)))

        asyncio.run(main())

    def test_inherit_their_creators_open_scopes(self):
        async def child() -> gb.Tensor:
            return gb.ones(1)

        async def main() -> None:
            with gb.dispose_scope() as scope:
                x = await asyncio.create_task(child())
                assert x in scope

        asyncio.run(main())

    @pytest.mark.parametrize("sets_a_variable", [False, True])
    def test_do_not_see_what_their_creator_opens_later(self, sets_a_variable):
        async def child(started: asyncio.Event, go: asyncio.Event) -> list[str | None]:
            if sets_a_variable:
                other_variable.set(1)
            started.set()
            await go.wait()
            names = [where()]
            with gb.dispose_scope("child"):
                names.append(where())
                await asyncio.sleep(0)
                names.append(where())
            names.append(where())
            return names

        async def main() -> None:
            started, go = asyncio.Event(), asyncio.Event()
            with gb.dispose_scope("creator"):
                task = asyncio.create_task(child(started, go))
                await started.wait()
                with gb.dispose_scope("later"):
                    go.set()
                    await asyncio.sleep(0)
                    assert where() == "later", "what a task opens its creator never sees"
                    assert await task == ["creator", "child", "child", "creator"]

        asyncio.run(main())

    def test_skip_a_creators_scope_that_has_closed(self):
        async def child(go: asyncio.Event) -> str | None:
            await go.wait()
            return where()

        async def main() -> None:
            go = asyncio.Event()
            with gb.dispose_scope("outer"):
                with gb.dispose_scope("inner"):
                    task = asyncio.create_task(child(go))
                    await asyncio.sleep(0)
                go.set()
                assert await task == "outer"
            assert await asyncio.create_task(child(go)) is None

        asyncio.run(main())

    def test_may_close_their_creators_scope(self):
        async def child(scope: gb.DisposeScope) -> None:
            scope.dispose()
            assert where() is None

        async def main() -> None:
            scope = gb.dispose_scope().__enter__()
            x = gb.ones(1)
            await asyncio.create_task(child(scope))
            assert x.is_disposed
            assert where() is None

        asyncio.run(main())

    def test_of_a_group_are_apart_and_end_with_their_errors(self):
        made: dict[str, gb.Tensor] = {}

        async def work(name: str) -> None:
            async with gb.dispose_scope(name):
                made[name] = gb.ones(1)
                await asyncio.sleep(0)
                assert where() == name
                if name == "bad":
                    raise KeyError(name)
                await asyncio.Event().wait()

        async def main() -> None:
            async with asyncio.TaskGroup() as group:
                for name in ("a", "bad", "b"):
                    group.create_task(work(name))

        with pytest.raises(ExceptionGroup) as caught:
            asyncio.run(main())

        assert caught.group_contains(KeyError, match="bad")
        assert [t.is_disposed for t in made.values()] == [True] * 3

    def test_cancelled_close_their_scopes(self):
        made = []

        async def work() -> None:
            with gb.dispose_scope():
                made.append(gb.ones(1))
                await asyncio.Event().wait()

        async def main() -> None:
            task = asyncio.create_task(work())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(main())

        assert made[0].is_disposed

    def test_decorated_have_a_scope_for_each_call(self):
        @gb.dispose_scope()
        async def step(n: int) -> gb.Tensor:
            x = gb.full((1,), n)
            await asyncio.sleep(0)
            inside.append(x)
            assert where() == "step"
            return x + 1

        async def main() -> list[float]:
            return [t.item() for t in await asyncio.gather(*(step(n) for n in range(5)))]

        inside: list[gb.Tensor] = []
        assert asyncio.run(main()) == [1.0, 2.0, 3.0, 4.0, 5.0]
        assert all(t.is_disposed for t in inside)

    def test_worker_threads_of_a_loop_see_their_callers_scope(self):
        async def main() -> None:
            with gb.dispose_scope() as scope:
                x = await asyncio.to_thread(gb.ones, 1)
                assert x in scope

        asyncio.run(main())

    def test_callbacks_run_in_the_context_they_were_given(self):
        async def main() -> None:
            names = []
            with gb.dispose_scope("then"):
                asyncio.get_running_loop().call_soon(lambda: names.append(where()))
            with gb.dispose_scope("now"):
                await asyncio.sleep(0)
            assert names == [None]

        asyncio.run(main())


class TestGenerators:
    def test_share_their_consumers_scope(self):
        def batches():
            for i in range(3):
                yield gb.full((1,), i)

        with gb.dispose_scope() as scope:
            found = list(batches())
            assert all(t in scope for t in found)

    def test_that_yield_inside_a_scope_adopt_what_the_consumer_makes(self):
        def batches():
            with gb.dispose_scope("generator") as scope:
                yield scope.detach(gb.ones(1))

        it = batches()
        next(it)
        with pytest.warns(gb.OpenScopeWarning):
            assert where() == "generator"
        x = gb.ones(1)
        assert list(it) == []
        assert x.is_disposed

    def test_abandoned_close_their_scope(self):
        def batches():
            with gb.dispose_scope():
                while True:
                    yield gb.ones(1)

        it = batches()
        x = next(it)
        it.close()

        assert x.is_disposed
        assert where() is None

    def test_finished_on_another_thread_close_their_scope(self):
        def batches():
            with gb.dispose_scope("generator"):
                yield gb.ones(1)

        it = batches()
        x = next(it)
        with pytest.warns(gb.OpenScopeWarning):
            assert where() == "generator"
        in_thread(lambda: list(it))

        assert x.is_disposed
        assert where() is None

    def test_async_ones_run_in_their_consumers_context(self):
        async def rows():
            for i in range(3):
                await asyncio.sleep(0)
                yield gb.full((1,), i)

        async def main() -> None:
            with gb.dispose_scope() as scope:
                async for x in rows():
                    assert x in scope

        asyncio.run(main())
