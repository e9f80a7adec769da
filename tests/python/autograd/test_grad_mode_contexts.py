"""Grad mode belongs to a thread and asyncio task, and to the Python code that an op calls."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import garboard as gb
import pytest

from tests.support.grad_mode import is_recorded, nothing_is_left_open  # noqa: F401
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced", "nothing_is_left_open")

enabled = gb.is_grad_enabled


def in_thread(work):
    answers = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    thread.join()
    [answer] = answers
    return answer


class TestTasks:
    def test_do_not_see_each_others_blocks(self):
        async def work(mode, mine, other):
            with gb.set_grad_enabled(mode):
                for _ in range(3):
                    mine.set()
                    await other.wait()
                    other.clear()
                    answers.append(is_recorded() is mode)
                mine.set()
            return is_recorded()

        async def main():
            first, second = asyncio.Event(), asyncio.Event()
            return await asyncio.gather(work(False, first, second), work(True, second, first))

        answers: list[bool] = []
        assert asyncio.run(main()) == [True, True]
        assert answers == [True] * 6

    def test_do_not_see_what_another_sets_for_good(self):
        async def switch_off():
            gb.set_grad_enabled(False)
            return is_recorded()

        async def main():
            return await asyncio.create_task(switch_off()), is_recorded()

        assert asyncio.run(main()) == (False, True)

    def test_begin_with_the_mode_of_their_creator(self):
        async def look(created, left):
            created.set()
            await left.wait()
            return is_recorded()

        async def main():
            created, left = asyncio.Event(), asyncio.Event()
            with gb.no_grad():
                task = asyncio.create_task(look(created, left))
                await created.wait()
            left.set()
            assert is_recorded()
            return await task

        assert asyncio.run(main()) is False

    def test_keep_scope_and_mode_apart(self):
        async def work():
            with gb.dispose_scope("theirs"):
                await asyncio.sleep(0)
                return is_recorded(), gb.current_dispose_scope().name

        async def main():
            task = asyncio.create_task(work())
            with gb.no_grad(), gb.dispose_scope("ours"):
                await asyncio.sleep(0)
                assert await task == (True, "theirs")
                return is_recorded(), gb.current_dispose_scope().name

        assert asyncio.run(main()) == (False, "ours")

    def test_of_a_copied_context_run_in_it(self):
        with gb.no_grad():
            context = contextvars.copy_context()
        assert is_recorded()

        assert context.run(is_recorded) is False
        with gb.enable_grad():
            assert context.run(is_recorded) is False
            assert is_recorded()


class TestThreads:
    def test_begin_with_recording_on(self):
        with gb.no_grad():
            assert in_thread(is_recorded) is True
            assert not is_recorded()

    def test_have_each_a_mode_of_their_own(self):
        def work(mode):
            with block if mode is None else gb.set_grad_enabled(mode):
                barrier.wait()
                answers.append(is_recorded() is bool(mode))
                barrier.wait()
            answers.append(is_recorded())

        block = gb.no_grad()  # one object, entered by two threads at once
        barrier, answers = threading.Barrier(4), []
        threads = [
            threading.Thread(target=work, args=(mode,)) for mode in (True, False, None, None)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert answers == [True] * 8


class TestInsideOps:
    def test_hooks_of_a_plain_backward_pass_are_not_recorded(self):
        seen = []
        x = gb.ones(1, requires_grad=True)
        y = x * 2
        y.register_hook(lambda grad: seen.append((is_recorded(), (grad * x).requires_grad)))

        y.backward()

        assert seen == [(False, False)]
        assert is_recorded()

    def test_hooks_are_recorded_where_the_pass_is(self):
        seen = []
        x = gb.ones(1, requires_grad=True)
        y = x * x
        y.register_hook(lambda grad: seen.append(is_recorded()))
        with gb.no_grad():
            [first] = gb.autograd.grad(y, x, create_graph=True)

        assert seen == [True]
        assert first.requires_grad

    def test_hooks_may_open_blocks(self):
        seen = []

        def hook(grad):
            with gb.enable_grad():
                seen.append(is_recorded())
            gb.set_grad_enabled(True)
            seen.append(is_recorded())

        x = gb.ones(1, requires_grad=True)
        y = x * 2
        y.register_hook(hook)
        y.backward()

        assert seen == [True, True]
        with gb.no_grad():
            (x * 2).requires_grad_().backward()
            assert not is_recorded()

    def test_hooks_that_raise_leave_the_mode_as_it_was(self):
        def hook(grad):
            raise ZeroDivisionError

        x = gb.ones(1, requires_grad=True)
        y = x * 2
        y.register_hook(hook)
        with pytest.raises(ZeroDivisionError):
            y.backward()

        assert is_recorded()

    def test_numbers_that_run_ops_when_they_are_asked_have_the_mode_of_their_context(self):
        class Number:
            def __float__(self):
                seen.append(is_recorded())
                return 1.5

        seen: list[bool] = []
        gb.tensor([Number()])
        with gb.no_grad():
            gb.tensor([Number()])

        assert seen == [True, False]

    def test_reading_and_printing_leave_the_mode_alone(self):
        x = gb.ones(2, requires_grad=True)
        for block in (gb.no_grad(), gb.enable_grad()):
            with block:
                before = enabled()
                repr(x), x.sum().item(), x.tolist(), x.detach().numpy()
                assert enabled() is before
