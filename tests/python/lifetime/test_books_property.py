"""After any sequence of steps the allocator, the registry and a model in plain Python agree."""

from __future__ import annotations

import functools
import gc
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import garboard as gb
import hypothesis.strategies as st
import pytest
from garboard import _engine
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.lifetime_model import Counters, Handle, Model, Scope

T = TypeVar("T")
PICK = st.integers(0, 1000)
PICKS = st.lists(PICK, max_size=4)
LIMITS = st.sampled_from([None, None, None, None, 0, 2000, 150_000])
COUNTS = st.sampled_from([0, 1, 16, 17, 1000, 100_000])


def on_a_thread(work: Callable[[], T]) -> T:
    results: list[T] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


def call(work: Callable[[], T]) -> T:
    return work()


WAYS_OF_SHARING = [gb.Tensor.alias, gb.Tensor.detach, lambda x: x.view(-1, 1), lambda x: x[:]]


def has_handles(machine: Books) -> bool:
    return bool(machine.tensors)


def has_scopes(machine: Books) -> bool:
    return bool(machine.model.scopes)


class Books(RuleBasedStateMachine):
    """Drives the library and the model alike; the collector runs when a rule says so."""

    def __init__(self) -> None:
        super().__init__()
        gc.collect()
        gc.disable()
        self.model = Model()
        self.tensors: dict[Handle, gb.Tensor] = {}
        self.scopes: dict[Scope, gb.DisposeScope] = {}
        self.arrays: list[tuple[Handle, memoryview]] = []
        self.garbage: list[Handle] = []
        self.start = gb.memory.live()
        self.statistics = {self.model.mine: gb.dispose_scope_statistics()}
        gb.dispose_scope_statistics().reset()
        self.live_before = gb.dispose_scope_statistics().thread_total_live_count

    def teardown(self) -> None:
        for scope in self.scopes.values():
            scope.dispose()
        self.tensors.clear()
        self.arrays.clear()
        gc.collect()
        gc.enable()
        assert gb.memory.live() == self.start
        assert gb.memory.memory_allocated() == gb.memory.live().bytes

    def handle(self, pick: int) -> Handle:
        handles = list(self.tensors)
        return handles[pick % len(handles)]

    def some(self, picks: list[int]) -> list[Handle]:
        return [self.handle(pick) for pick in picks] if self.tensors else []

    def scope(self, pick: int) -> Scope:
        return self.model.scopes[pick % len(self.model.scopes)]

    def born(self, handle: Handle, tensor: gb.Tensor) -> None:
        self.tensors[handle] = tensor

    def refused(self, error: type[Exception], act: Callable[[], object]) -> None:
        try:
            act()
        except error:
            return
        raise AssertionError(f"{error.__name__} was expected")

    def is_moved(self, handle: Handle, move: Callable[[gb.Tensor], object]) -> bool:
        """Move the tensor; tell whether it could be, which a disposed one cannot."""
        tensor = self.tensors[handle]
        if handle.is_disposed:
            self.refused(gb.DisposedError, lambda: move(tensor))
            return False
        assert move(tensor) is tensor
        return True

    def create(self, count: int, make: Callable[[], gb.Tensor]) -> None:
        model = self.model
        if model.would_cross_a_limit(count):
            return self.refused(gb.ScopeLimitError, make)
        storage = model.storage(count, model.current)
        self.born(model.make(storage, model.current, model.mine), make())
        return None

    # Tensors

    @rule(counts=st.lists(COUNTS, min_size=1, max_size=4))
    def make(self, counts: list[int]) -> None:
        for count in counts:
            self.create(count, functools.partial(gb.zeros, count, dtype=gb.uint8))

    @precondition(has_handles)
    @rule(pick=PICK)
    def compute(self, pick: int) -> None:
        handle = self.handle(pick)
        tensor = self.tensors[handle]
        if handle.is_disposed:
            return self.refused(gb.DisposedError, lambda: tensor + 1)
        return self.create(tensor.nbytes, lambda: tensor + 1)

    @precondition(has_handles)
    @rule(pick=PICK, way=st.sampled_from(WAYS_OF_SHARING))
    def share(self, pick: int, way: Callable[[gb.Tensor], gb.Tensor]) -> None:
        source = self.handle(pick)
        tensor = self.tensors[source]
        if source.is_disposed:
            return self.refused(gb.DisposedError, lambda: way(tensor))
        model = self.model
        self.born(model.make(source.storage, model.current, model.mine), way(tensor))
        return None

    @precondition(has_handles)
    @rule(pick=PICK)
    def write_in_place(self, pick: int) -> None:
        handle = self.handle(pick)
        tensor = self.tensors[handle]
        if handle.is_disposed:
            self.refused(gb.DisposedError, lambda: tensor.add_(1))
        else:
            assert tensor.add_(1) is tensor

    @precondition(has_handles)
    @rule(pick=PICK)
    def fail(self, pick: int) -> None:
        handle = self.handle(pick)
        tensor = self.tensors[handle]
        error = gb.DisposedError if handle.is_disposed else gb.ShapeError
        self.refused(error, lambda: tensor.view(7, 11, 13))

    @precondition(has_handles)
    @rule(pick=PICK)
    def look_into(self, pick: int) -> None:
        handle = self.handle(pick)
        if not handle.is_disposed:
            self.arrays.append((handle, memoryview(self.tensors[handle])))
            handle.storage.shares += 1

    @precondition(lambda self: self.arrays)
    @rule(pick=PICK)
    def look_away(self, pick: int) -> None:
        handle, array = self.arrays.pop(pick % len(self.arrays))
        array.release()
        self.model.drop_share(handle.storage)

    # Ends

    @precondition(has_handles)
    @rule(pick=PICK, run=st.sampled_from([call, on_a_thread]))
    def dispose(self, pick: int, run: Callable[[Callable[[], None]], None]) -> None:
        handle = self.handle(pick)
        run(self.tensors[handle].dispose)
        self.model.end(handle)

    @precondition(has_handles)
    @rule(pick=PICK)
    def drop(self, pick: int) -> None:
        handle = self.handle(pick)
        if self.is_looked_into(handle):
            return
        del self.tensors[handle]
        self.model.forget(handle)

    @precondition(has_handles)
    @rule(pick=PICK)
    def drop_in_a_cycle(self, pick: int) -> None:
        handle = self.handle(pick)
        if self.is_looked_into(handle):
            return
        cycle: list[object] = [self.tensors.pop(handle)]
        cycle.append(cycle)
        self.garbage.append(handle)

    @precondition(lambda self: self.garbage)
    @rule(pick=PICK)
    def collect(self, pick: int) -> None:
        gc.collect()
        for handle in self.garbage:
            self.model.forget(handle)
        self.garbage.clear()

    # Scopes

    @rule(limits=st.lists(LIMITS, min_size=1, max_size=3))
    def open(self, limits: list[int | None]) -> None:
        for limit in limits:
            scope = self.model.open(limit)
            self.scopes[scope] = gb.dispose_scope(scope.name, limit=limit).__enter__()

    @precondition(has_scopes)
    @rule(pick=PICK, run=st.sampled_from([call, on_a_thread]))
    def close(self, pick: int, run: Callable[[Callable[[], None]], None]) -> None:
        """In any order; closing again does nothing."""
        scope = self.scope(pick)
        run(self.scopes[scope].dispose)
        self.model.close(scope)

    @precondition(has_scopes)
    @rule()
    def leave(self) -> None:
        if (scope := self.model.current) is not None:
            self.scopes[scope].__exit__(None, None, None)
            self.model.close(scope)

    @precondition(has_scopes)
    @rule(pick=PICK, picks=PICKS)
    def dispose_everything_but(self, pick: int, picks: list[int]) -> None:
        scope, keep = self.scope(pick), self.some(picks)
        self.scopes[scope].dispose_everything_but(*(self.tensors[handle] for handle in keep))
        self.model.end_all(scope, keep)

    @precondition(has_scopes)
    @rule(pick=PICK, picks=PICKS)
    def move_to_outer(self, pick: int, picks: list[int]) -> None:
        scope = self.scope(pick)
        for handle in self.some(picks):
            if self.is_moved(handle, self.scopes[scope].move_to_outer):
                self.model.move(scope, scope.outer, handle)

    @precondition(has_scopes)
    @rule(pick=PICK, other=PICK, picks=PICKS)
    def move_to_other(self, pick: int, other: int, picks: list[int]) -> None:
        scope, target = self.scope(pick), self.scope(other)
        for handle in self.some(picks):
            move = partial(self.scopes[scope].move_to_other, self.scopes[target])
            if not target.is_open:
                self.refused(gb.GarboardError, partial(move, self.tensors[handle]))
            elif self.is_moved(handle, move):
                self.model.move(scope, target, handle)

    @precondition(has_scopes)
    @rule(pick=PICK, picks=PICKS)
    def detach(self, pick: int, picks: list[int]) -> None:
        scope = self.scope(pick)
        for handle in self.some(picks):
            if self.is_moved(handle, self.scopes[scope].detach):
                self.model.detach(scope, handle)

    @precondition(has_scopes)
    @rule(pick=PICK, picks=PICKS)
    def attach(self, pick: int, picks: list[int]) -> None:
        scope = self.scope(pick)
        if not scope.is_open:
            return
        for handle in self.some(picks):
            if self.is_moved(handle, self.scopes[scope].attach):
                self.model.attach(scope, handle)

    @precondition(has_handles)
    @rule(pick=PICK)
    def leave_by_its_own_method(self, pick: int) -> None:
        handle = self.handle(pick)
        if self.is_moved(handle, gb.Tensor.detach_from_dispose_scope):
            self.model.detach(handle.scope, handle)

    @rule(count=COUNTS)
    def call_a_decorated_function(self, count: int) -> None:
        @gb.dispose_scope()
        def step() -> tuple[gb.Tensor, list[gb.Tensor]]:
            a = gb.zeros(count, dtype=gb.uint8)
            b = a + 1
            return b, [b.alias()]

        model = self.model
        if model.would_cross_a_limit(2 * count) or model.would_cross_a_limit(count):
            return self.refused_in_a_step(step, count)
        inner = model.open(None)
        a, b = model.storage(count, inner), model.storage(count, inner)
        local = model.make(a, inner, model.mine)
        kept = [model.make(b, inner, model.mine) for _ in range(2)]
        for handle in kept:
            model.move(inner, inner.outer, handle)
        model.close(inner)
        model.forget(local)
        model.scopes.remove(inner)
        first, (second,) = step()
        self.born(kept[0], first)
        self.born(kept[1], second)
        return None

    def refused_in_a_step(self, step: Callable[[], object], count: int) -> None:
        self.refused(gb.ScopeLimitError, step)
        if not self.model.would_cross_a_limit(count):  # then the first of the two was made
            self.model.mine.created_in_scope_count += 1
            self.model.mine.disposed_in_scope_count += 1

    # Threads

    @rule(counts=st.lists(COUNTS, min_size=1, max_size=4), moved=st.booleans())
    def make_on_threads(self, counts: list[int], moved: bool) -> None:
        """Several at once; each in a scope of its own, out of which some of it goes."""
        barrier = threading.Barrier(len(counts))
        made: list[tuple[int, object, gb.Tensor]] = []

        def work(count: int) -> None:
            barrier.wait()
            statistics = gb.dispose_scope_statistics()
            with gb.dispose_scope() as scope:
                x = gb.zeros(count, dtype=gb.uint8)
                y = x + 1
                if moved:
                    scope.move_to_outer(y)
            made.append((count, statistics, y))

        threads = [threading.Thread(target=work, args=(count,)) for count in counts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for count, statistics, tensor in made:
            counters = Counters(created_in_scope_count=2, disposed_in_scope_count=2 - moved)
            counters.thread_total_live_count = counters.detached_from_scope_count = int(moved)
            self.statistics[counters] = statistics
            storage = self.model.storage(count, None)
            storage.shares = 1
            handle = Handle(storage, counters, is_disposed=not moved)
            if not moved:
                self.model.drop_share(storage)
            self.model.handles.append(handle)
            self.born(handle, tensor)

    def is_looked_into(self, handle: Handle) -> bool:
        return any(it is handle for it, _ in self.arrays)

    # What must hold after every step

    @invariant()
    def books_agree(self) -> None:
        live = gb.memory.live()
        assert gb.memory.memory_allocated() == live.bytes
        assert live.bytes - self.start.bytes == self.model.bytes
        assert live.storages - self.start.storages == len(self.model.storages)
        assert live.aliases - self.start.aliases == len(self.model.live)

    @invariant()
    def members_agree(self) -> None:
        for handle, tensor in self.tensors.items():
            assert tensor.is_disposed == handle.is_disposed
            expected = None if handle.scope is None else self.scopes[handle.scope]
            assert _engine._scope_of(tensor) == expected
        for scope, real in self.scopes.items():
            assert len(real) == len(scope.members)
            assert real.is_disposed == (not scope.is_open)
            assert real.live_bytes == {"cpu": self.model.bytes_in(scope)}
            outer = scope.outer
            assert real.outer == (None if outer is None else self.scopes[outer])
            tracked = [self.tensors[it] for it in scope.members if it in self.tensors]
            shown = [it for it in real.disposables if any(it is t for t in tracked)]
            assert all(a is b for a, b in zip(shown, tracked, strict=True))
        current = self.model.current
        expected = None if current is None else self.scopes[current]
        assert gb.current_dispose_scope() == expected

    @invariant()
    def statistics_agree(self) -> None:
        for counters, statistics in self.statistics.items():
            offset = self.live_before if counters is self.model.mine else 0
            counters.thread_total_live_count += offset
            line = counters.line()
            counters.thread_total_live_count -= offset
            assert str(statistics) == line


# Hypothesis warns of a generator of its own where Python 3.14 counts fewer references.
@pytest.mark.filterwarnings("ignore:It looks like `register_random`")
def test_allocator_registry_and_model_agree_after_every_step():
    run_state_machine_as_test(
        Books,
        settings=settings(
            max_examples=150,
            stateful_step_count=50,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
