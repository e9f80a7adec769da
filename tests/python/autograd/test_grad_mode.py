"""Grad mode: in blocks, functions, generators and coroutines, per thread and asyncio task."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import copy
import functools
import gc
import inspect
import pickle
import signal
import weakref

import garboard as gb
import pytest
from garboard import _engine

from tests.fuzz.stories.modes import modes_here
from tests.support.grad_mode import is_recorded, nothing_is_left_open  # noqa: F401
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced", "nothing_is_left_open")

enabled = gb.is_grad_enabled

MAKERS = {
    "no_grad": gb.no_grad,
    "set_grad_enabled": lambda: gb.set_grad_enabled(False),
    "inference_mode": gb.inference_mode,
    "detect_anomaly": gb.autograd.detect_anomaly,
    "set_detect_anomaly": lambda: gb.autograd.set_detect_anomaly(True),
    "autocast": lambda: gb.autocast("cpu"),
}
COPIES = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda block: pickle.loads(pickle.dumps(block)),
}


@gb.no_grad
def at_module_level() -> bool:
    """Tell what holds inside."""
    return is_recorded()


class TestBlocks:
    def test_nest(self):
        with gb.no_grad():
            assert not is_recorded()
            with gb.enable_grad():
                assert is_recorded()
                with gb.set_grad_enabled(False):
                    assert not is_recorded()
                assert is_recorded()
            assert not is_recorded()

        assert is_recorded()

    def test_end_with_an_exception(self):
        with pytest.raises(ZeroDivisionError), gb.no_grad():
            _ = 1 / 0

        assert is_recorded()

    def test_of_one_object_nest(self):
        block = gb.no_grad()
        with block:
            with block, gb.enable_grad(), block:
                assert not is_recorded()
            assert not is_recorded()

        assert is_recorded()
        with block:
            assert not is_recorded()

    def test_may_be_left_in_any_order(self):
        first, second = gb.no_grad(), gb.enable_grad()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert is_recorded()
        second.__exit__(None, None, None)

        assert is_recorded()

    def test_that_are_not_open_are_left_without_effect(self):
        with gb.no_grad():
            gb.enable_grad().__exit__(None, None, None)
            assert not is_recorded()

    def test_that_nobody_leaves_are_left_by_no_other_object(self):
        def work():
            for make in (gb.no_grad, gb.enable_grad, gb.inference_mode) * 3:
                before = _engine._grad_mode_depth()
                # The object ends here, and its memory is the next one's, which is not entered.
                make().__enter__()
                make().__exit__(None, None, None)
                with contextlib.suppress(KeyboardInterrupt):
                    make().__enter__()
                    # One that lies where `with` would have found it, and ends there.
                    [make(), signal.default_int_handler(signal.SIGINT, None)]
                assert _engine._grad_mode_depth() == before + 2
            return is_recorded(), gb.is_inference_mode_enabled()

        assert contextvars.copy_context().run(work) == (False, True)

    @pytest.mark.parametrize("taken", COPIES.values(), ids=COPIES)
    @pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
    def test_are_copied_and_pickled_as_made_and_not_as_entered(self, make, taken):
        before = modes_here()
        block = make()
        with block:
            inside = modes_here()
            copied = taken(block)
            copied.__exit__(None, None, None)
            assert modes_here() == inside

        assert type(copied) is type(block)
        assert modes_here() == before
        with copied:
            assert modes_here() == inside
        assert modes_here() == before

    def test_of_a_generator_that_waits_hold_for_its_consumer(self):
        def items():
            with gb.no_grad():
                yield is_recorded()
                yield is_recorded()

        generator = items()
        assert next(generator) is False
        assert not is_recorded()  # as in PyTorch: a block is a block
        generator.close()

        assert is_recorded()


class TestSetGradEnabled:
    def test_lasts_to_the_end_of_the_block_around_it(self):
        with gb.enable_grad():
            gb.set_grad_enabled(False)
            assert not is_recorded()

        assert is_recorded()

    def test_lasts_outside_of_blocks(self):
        gb.set_grad_enabled(False)
        with gb.no_grad():
            pass
        assert not is_recorded()
        gb.set_grad_enabled(True)

        assert is_recorded()

    def test_puts_back_what_was_before_its_call(self):
        block = gb.set_grad_enabled(False)
        assert not is_recorded()
        with block:
            assert not is_recorded()

        assert is_recorded()

    def test_kin_decorate_generators_and_coroutines(self):
        @gb.autograd.set_detect_anomaly(True)
        def items():
            yield gb.is_anomaly_enabled()
            yield gb.is_anomaly_enabled()

        @gb.autograd.detect_anomaly()
        async def answer():
            return gb.is_anomaly_enabled()

        @gb.random.fork_rng()
        def draws():
            yield gb.default_generator.get_offset() - at
            gb.rand(400)
            yield gb.default_generator.get_offset() - at

        at = gb.default_generator.get_offset()
        assert [(it, gb.is_anomaly_enabled()) for it in items()] == [(True, False)] * 2
        assert asyncio.run(answer())
        assert not gb.is_anomaly_enabled()
        assert list(draws()) == [0, 100]
        assert gb.default_generator.get_offset() == at

    def test_of_a_generator_calls_a_class_and_leaves_it_as_it_is(self):
        class Drawn:
            def __init__(self):
                self.first = gb.rand(400)

        at, own = gb.default_generator.get_offset(), Drawn.__init__

        assert isinstance(gb.random.fork_rng()(Drawn)(), Drawn)

        assert gb.default_generator.get_offset() == at
        assert Drawn.__init__ is own

    def test_of_a_generator_is_not_copied_nor_saved(self):
        for taken in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=r"^fork_rng: a block cannot be copied or saved"):
                taken(gb.random.fork_rng())
        with pytest.raises(TypeError, match=r"^fork_rng: what is decorated is of type int"):
            gb.random.fork_rng()(3)

    def test_decorates_and_sets_nothing_at_once(self):
        decorated = gb.set_grad_enabled(False)(is_recorded)

        assert is_recorded()
        assert decorated() is False

    @pytest.mark.parametrize("mode", [None, "False", 2, gb.ones])
    def test_takes_true_and_false_alone(self, mode):
        with pytest.raises(TypeError, match=r"set_grad_enabled: mode is of type .*; True or False"):
            gb.set_grad_enabled(mode)

        assert is_recorded()


SET = gb.set_grad_enabled(True)
MODES = [
    (gb.no_grad, False),
    (gb.no_grad(), False),
    (SET, True),
    (gb.enable_grad, True),
    (gb.enable_grad(), True),
]


@pytest.mark.parametrize(
    ("mode", "inside"), MODES, ids=["no_grad", "no_grad()", "set_grad_enabled", "enable_grad", "()"]
)
class TestDecorators:
    def test_hold_during_each_call(self, mode, inside):
        @mode
        def step(x, *, y=1):
            """Add."""
            return is_recorded(), x + y

        with gb.set_grad_enabled(not inside):
            assert step(2, y=3) == (inside, 5)
            assert enabled() is not inside

        assert (step.__name__, step.__doc__, step.__qualname__.split(".")[-1]) == (
            "step",
            "Add.",
            "step",
        )
        assert str(inspect.signature(step)) == "(x, *, y=1)"

    def test_hold_no_longer_than_an_exception(self, mode, inside):
        @mode
        def fail():
            raise ZeroDivisionError

        with gb.set_grad_enabled(not inside):
            with pytest.raises(ZeroDivisionError):
                fail()
            assert enabled() is not inside

    def test_take_functions_that_call_themselves(self, mode, inside):
        @mode
        def descend(depth):
            return [enabled(), *(descend(depth - 1) if depth else [])]

        with gb.set_grad_enabled(not inside):
            assert descend(3) == [inside] * 4

    def test_take_methods(self, mode, inside):
        class Model:
            @mode
            def plain(self):
                return self, enabled()

            @mode
            @staticmethod
            def static():
                return enabled()

            @staticmethod
            @mode
            def static_inside():
                return enabled()

            @mode
            @classmethod
            def of_class(cls):
                return cls, enabled()

            @property
            @mode
            def value(self):
                return enabled()

        model = Model()
        with gb.set_grad_enabled(not inside):
            assert model.plain() == (model, inside)
            assert Model.static() is model.static_inside() is inside
            assert Model.of_class() == (Model, inside)
            assert model.value is inside

    def test_take_objects_that_can_be_called(self, mode, inside):
        class Called:
            def __call__(self):
                return enabled()

        class Yielding:
            def __call__(self):
                yield enabled()

        with gb.set_grad_enabled(not inside):
            assert mode(Called())() is inside
            assert list(mode(Yielding())()) == [inside]
            assert mode(functools.partial(is_recorded))() is inside
            assert mode(gb.nn.Identity())(2) == 2

    def test_hold_while_a_generators_own_code_runs(self, mode, inside):
        seen = []

        @mode
        def items(last):
            try:
                sent = yield is_recorded()
                seen.append((sent, is_recorded()))
                try:
                    yield
                except KeyError:
                    seen.append(is_recorded())
                yield
                return last
            finally:
                seen.append(is_recorded())

        assert inspect.isgeneratorfunction(items)
        with gb.set_grad_enabled(not inside):
            generator = items("last")
            assert next(generator) is inside
            assert enabled() is not inside
            generator.send("sent")
            assert enabled() is not inside
            generator.throw(KeyError)
            with pytest.raises(StopIteration) as stop:
                next(generator)
            assert stop.value.value == "last"
            closed = items(None)
            next(closed)
            closed.close()
            assert enabled() is not inside

        assert seen == [("sent", inside), inside, inside, inside]

    def test_hold_while_a_coroutines_own_code_runs(self, mode, inside):
        async def other(event):
            for _ in range(3):
                others.append(is_recorded())
                await asyncio.sleep(0)
            event.set()

        @mode
        async def wait(event):
            before = is_recorded()
            await event.wait()
            return before, is_recorded()

        async def main():
            event = asyncio.Event()
            with gb.set_grad_enabled(not inside):
                waited, _ = await asyncio.gather(wait(event), other(event))
                assert enabled() is not inside
                assert await wait(event) == (inside, inside)
                assert enabled() is not inside
            return waited

        others: list[bool] = []
        assert inspect.iscoroutinefunction(wait)
        assert asyncio.run(main()) == (inside, inside)
        assert others == [not inside] * 3

    def test_hold_while_an_asynchronous_generators_own_code_runs(self, mode, inside):
        seen = []

        @mode
        async def items():
            try:
                for i in range(3):
                    await asyncio.sleep(0)
                    try:
                        seen.append((yield i, is_recorded()))
                    except KeyError:
                        seen.append(is_recorded())
            finally:
                await asyncio.sleep(0)
                seen.append(is_recorded())

        async def main():
            with gb.set_grad_enabled(not inside):
                async for item in items():
                    assert item[1] is inside
                    assert enabled() is not inside
                generator = items()
                assert await generator.asend(None) == (0, inside)
                assert await generator.asend("sent") == (1, inside)
                assert await generator.athrow(KeyError) == (2, inside)
                assert enabled() is not inside
                await generator.aclose()
                assert enabled() is not inside
                with pytest.raises(StopAsyncIteration):
                    await generator.asend(None)

        assert inspect.isasyncgenfunction(items)
        asyncio.run(main())
        assert seen == [None, None, None, inside, "sent", inside, inside]

    def test_run_the_constructor_of_a_class_and_warn(self, mode, inside):
        class Model:
            def __init__(self) -> None:
                self.seen = is_recorded()

            def step(self) -> bool:
                return is_recorded()

        with pytest.warns(
            UserWarning, match=r"_?grad\w*: Model is a class, .* decorate its methods"
        ):
            found = mode(Model)

        assert found is Model
        assert (Model().seen, Model().step()) == (inside, True)

    def test_refuse_what_they_cannot_run(self, mode, inside):
        for wrong in (3, "step", [is_recorded], gb.ones(1)):
            with pytest.raises(
                TypeError, match=r"is decorated is of type .*; a function is needed"
            ):
                mode(wrong)
        assert is_recorded()


class TestDecoratedFunctions:
    def test_are_pickled_by_their_names(self):
        assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level
        assert at_module_level() is False

    def test_keep_no_argument_and_no_result(self):
        class Thing:
            """Something to look at."""

        @gb.no_grad
        def same(x):
            return x

        @gb.no_grad
        def items():
            while True:
                yield Thing()

        @gb.no_grad
        async def items_later():
            while True:
                yield Thing()

        async def second_of(generator):
            first = weakref.ref(await generator.asend(None))
            assert first() is None
            await generator.aclose()

        thing = same(Thing())
        seen = weakref.ref(thing)
        del thing
        assert seen() is None
        generator = items()
        first = weakref.ref(next(generator))
        assert first() is None
        generator.close()
        asyncio.run(second_of(items_later()))

    def test_leave_no_garbage(self):
        @gb.no_grad
        def items():
            yield gb.ones(1)

        @gb.no_grad
        async def fail():
            raise ZeroDivisionError

        def run():
            list(items())
            next(items())
            with pytest.raises(ZeroDivisionError):
                asyncio.run(fail())

        run()
        gc.collect()
        gc.disable()
        try:
            before = gb.memory.live()
            next(items())
            assert gb.memory.live() == before
        finally:
            gc.enable()

    def test_that_wait_are_cancelled_in_their_mode(self):
        seen = []

        @gb.no_grad
        async def wait():
            try:
                await asyncio.Event().wait()
            finally:
                seen.append(enabled())

        async def main():
            task = asyncio.create_task(wait())
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert enabled()

        asyncio.run(main())
        assert seen == [False]
