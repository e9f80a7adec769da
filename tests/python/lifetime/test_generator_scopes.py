"""Scopes that a generator leaves open across a yield adopt what its consumer makes, and warn."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import threading
import warnings
import weakref

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def leaving_open():
    with gb.dispose_scope("item") as scope:
        yield scope.detach(gb.ones(1))
        yield scope.detach(gb.ones(2))


@contextlib.contextmanager
def managed():
    with gb.dispose_scope("managed") as scope:
        yield scope


@pytest.fixture
def fixed():
    with gb.dispose_scope("fixed") as scope:
        yield scope


class TestALoopOverAGenerator:
    def test_is_warned_once_with_both_lines_and_the_remedy(self):
        it = leaving_open()
        next(it)

        with pytest.warns(gb.OpenScopeWarning) as caught:
            made = [gb.ones(1) for _ in range(3)]
        it.close()

        assert all(x.is_disposed for x in made)
        (warning,) = caught
        line = leaving_open.__code__.co_firstlineno + 1
        assert warning.filename == __file__
        assert warning.lineno == self.first_line() + 5
        assert str(warning.message) == (
            f'dispose_scope: scope "item", opened by the generator leaving_open() at {__file__}:'
            f"{line}, is open across a yield and will end what its consumer makes here; close it "
            "before each yield, and move what is yielded out first (scope.move_to_outer)"
        )

    def first_line(self) -> int:
        return type(self).test_is_warned_once_with_both_lines_and_the_remedy.__code__.co_firstlineno

    def test_gets_no_tensor_where_the_warning_is_an_error(self):
        it = leaving_open()
        next(it)
        before = gb.memory.live()

        with pytest.raises(gb.OpenScopeWarning, match="open across a yield"):
            gb.ones(3)

        assert gb.memory.live() == before
        assert gb.ones(3).tolist() == [1, 1, 1]  # once
        it.close()

    def test_may_pass_over_what_it_does_not_keep(self):
        def batches():
            for i in range(3):
                with gb.dispose_scope() as scope:
                    kept = scope.move_to_outer(gb.full((1,), i))
                yield kept

        with gb.dispose_scope() as scope:
            found = [x * 2 for x in batches()]
            assert all(x in scope for x in found)

    def test_is_left_alone_in_a_scope_of_its_own(self):
        for x in leaving_open():
            with gb.dispose_scope("mine"):
                (x * 2).sum()

    def test_is_left_alone_where_it_makes_nothing_for_the_scope(self):
        w = gb.ones(1, requires_grad=True)
        loss = (w * 2).sum()
        optimizer = gb.optim.Adam([w], lr=0.1)
        it = leaving_open()
        x = next(it)

        loss.backward()
        optimizer.step()
        x.add_(1)
        assert w.grad.item() == 2
        assert x.item() == 2

        it.close()
        optimizer.dispose()

    def test_warns_of_the_same_line_once_by_default(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(3):
                for x in leaving_open():
                    x * 2

        assert len(caught) == 1

    def test_names_the_line_outside_the_library(self):
        it = leaving_open()
        next(it)

        with pytest.warns(gb.OpenScopeWarning) as caught:
            layer = gb.nn.Linear(1, 1)
        it.close()

        assert caught[0].filename == __file__
        assert layer.weight.is_disposed


class TestAGeneratorAtWork:
    def test_adopts_what_it_makes_itself(self):
        def helper(n):
            return gb.ones(n) * 2

        def delegate():
            yield helper(1).item()

        def items():
            with gb.dispose_scope() as scope:
                x = helper(2)
                assert x in scope
                yield 1
                y = helper(3)
                assert y in scope
                yield from delegate()
                assert len(scope) == 2

        assert list(items()) == [1, 2.0]

    def test_adopts_what_it_makes_on_another_thread(self):
        def items():
            with gb.dispose_scope() as scope:
                context = contextvars.copy_context()
                thread = threading.Thread(target=lambda: context.run(kept.append, gb.ones(1)))
                thread.start()
                thread.join()
                assert len(scope) == 0  # the thread had no scope of its own
                thread = threading.Thread(
                    target=lambda: context.run(lambda: kept.append(gb.ones(1)))
                )
                thread.start()
                thread.join()
                assert kept[-1] in scope
                yield

        kept = []
        list(items())
        kept.clear()

    def test_is_kept_alive_by_no_scope(self):
        it = leaving_open()
        next(it)
        gone = weakref.ref(it)

        del it
        gc.collect()

        assert gone() is None
        assert gb.current_dispose_scope() is None


class TestAContextManager:
    def test_made_of_a_generator_is_meant_to_adopt(self):
        with managed() as scope:
            x = gb.ones(1)
            assert x in scope

        assert x.is_disposed

    def test_that_delegates_is_meant_to(self):
        @contextlib.contextmanager
        def outer():
            yield from managed.__wrapped__()

        with outer() as scope:
            assert gb.ones(1) not in [scope]

        with contextlib.ExitStack() as stack:
            scope = stack.enter_context(managed())
            assert gb.ones(1) is not scope

    def test_that_is_asynchronous_is_meant_to(self):
        @contextlib.asynccontextmanager
        async def opened():
            await asyncio.sleep(0)
            async with gb.dispose_scope("managed") as scope:
                yield scope

        async def main() -> None:
            async with opened() as scope:
                assert gb.ones(1) is not None
                x = gb.ones(1)
                assert x in scope

        asyncio.run(main())

    def test_of_pytest_is_meant_to(self, fixed):
        x = gb.ones(1)

        assert x in fixed


class TestAnAsynchronousGenerator:
    def test_that_yields_inside_a_scope_warns(self):
        async def rows():
            async with gb.dispose_scope("row") as scope:
                await asyncio.sleep(0)
                yield scope.detach(gb.ones(1))

        async def main() -> None:
            async for x in rows():
                with pytest.warns(gb.OpenScopeWarning, match=r"generator .*rows\(\)"):
                    x.exp()

        asyncio.run(main())

    def test_that_awaits_inside_a_scope_does_not(self):
        async def part() -> gb.Tensor:
            await asyncio.sleep(0)
            return gb.ones(1)

        async def rows():
            with gb.dispose_scope("row") as scope:
                parts = await asyncio.gather(part(), part())
                assert all(it in scope for it in parts)
                total = scope.move_to_outer(parts[0] + parts[1])
            yield total

        async def main() -> None:
            async for x in rows():
                assert x.item() == 2

        asyncio.run(main())
