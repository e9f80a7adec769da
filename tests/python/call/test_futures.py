"""Results that are there later: who waits, who is called, and what an error does."""

from __future__ import annotations

from threading import Thread
from typing import Any

import garboard as gb
import pytest
from garboard.futures import Future, collect_all, wait_all

pytestmark = pytest.mark.usefixtures("no_leaks")


class TestAFuture:
    def test_is_waited_for(self):
        future: Future[gb.Tensor] = Future()
        bringer = Thread(target=lambda: future.set_result(gb.ones(2)))

        bringer.start()
        found = future.wait()
        bringer.join()

        assert found.tolist() == [1, 1]
        assert future.done()
        assert future.value() is found

    def test_has_no_value_before(self):
        future: Future[int] = Future()

        assert not future.done()
        with pytest.raises(RuntimeError, match="value: no result is there yet"):
            future.value()

    def test_is_set_once(self):
        future: Future[int] = Future()
        future.set_result(1)

        with pytest.raises(RuntimeError, match="set_result: the result is there"):
            future.set_result(2)
        with pytest.raises(RuntimeError, match="set_exception: the result is there"):
            future.set_exception(ValueError())

    def test_goes_on_with_what_is_called_then(self):
        future: Future[int] = Future()
        seen: list[int] = []
        future.add_done_callback(lambda it: seen.append(it.value()))

        after = future.then(lambda it: it.value() + 1).then(lambda it: it.value() * 10)
        future.set_result(1)

        assert (after.value(), seen) == (20, [1])

    def test_hands_errors_on(self):
        future: Future[Any] = Future()
        after = future.then(lambda it: it.value())

        future.set_exception(ValueError("lost"))

        with pytest.raises(ValueError, match="lost"):
            after.wait()


def test_several_are_there_once_all_are():
    first: Future[int] = Future()
    second: Future[int] = Future()
    both = collect_all([first, second])

    second.set_result(2)
    assert not both.done()
    first.set_result(1)

    assert [it.value() for it in both.value()] == wait_all([first, second]) == [1, 2]
    assert collect_all([]).value() == []
