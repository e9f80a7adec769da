"""Each reference to a tensor is told, and told once."""

from __future__ import annotations

import asyncio

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Box:
    """Keeps one thing."""

    thing: gb.Tensor


def holders(tensor: gb.Tensor) -> list[str]:
    """Return the holders without their lines, but for the argument of this function."""
    names = (name.partition(" (")[0] for name in gb.leaks.who_holds(tensor).names)
    return [name for name in names if name != "local `tensor`"]


class TestAHolderIsToldOnce:
    def test_an_attribute(self):
        box = Box()
        box.thing = gb.zeros(3)

        found = holders(box.thing)

        assert found == ["attribute `Box.thing`"]

    def test_a_variable_of_a_generator(self):
        def generator():
            inside = gb.zeros(3)
            yield
            yield holders(inside)

        running = generator()
        next(running)
        found = next(running)

        assert found == ["local `inside`"]

    def test_a_variable_of_a_coroutine_whose_variables_were_looked_at(self):
        async def waits():
            inside = gb.zeros(3)
            await asyncio.sleep(0)
            return inside

        waiting = waits()
        waiting.send(None)
        inside = waiting.cr_frame.f_locals["inside"]

        found = holders(inside)

        waiting.close()
        assert found == ["local `inside`", "local `inside`"]


class TestAFunctionsOwnContainers:
    def test_are_told_beside_its_variables(self):
        one = gb.zeros(3)
        rows, by_name = [one], {"one": one}

        found = holders(one)

        assert found == ["local `one`", "item `rows[0]`", "item `by_name['one']`"]
        del rows, by_name


class TestWhatHasNoNameForIt:
    def test_is_called_by_its_own(self):
        loop = asyncio.new_event_loop()
        future, method = loop.create_future(), (lambda self: self).__get__(gb.zeros(2))
        future.set_result(gb.zeros(3))

        found = holders(future.result()), holders(method.__self__)
        loop.close()

        assert found == (["Future `future`"], ["method `method`"])
