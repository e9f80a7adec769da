"""Garbage that is collected in the midst of a call: its code may end what the call looks at.

CPython 3.11 collects wherever an object is made, later versions between two instructions of Python.
"""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import garboard as gb
import pytest
from garboard import _engine

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")


def call_with_collections(
    call: Callable[[], Any], act: Callable[[], Any], number: int, is_odd: bool
) -> bool:
    """Call, with a collection at every other chance and `act` run by one of them; was it there?"""
    seen = 0

    def count(phase: str, info: dict[str, int]) -> None:
        nonlocal seen
        if phase == "start":
            seen += 1
            if seen == number:
                act()

    handles = [gb.empty(0) for _ in range(1100)]  # none is left over to be used again
    before = gc.get_threshold()
    gc.callbacks.append(count)
    gc.set_threshold(1)
    ballast = [[]] if is_odd else []
    try:
        call()
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(count)
        handles.clear()
        ballast.clear()
    return seen >= number


def at_every_collection(arrange: Callable[[], tuple[Callable[[], Any], Callable[[], Any]]]) -> None:
    """Arrange a call and an act anew for each of the collections in the call."""
    for is_odd in (False, True):
        for number in range(1, 200):
            call, act = arrange()
            if not call_with_collections(call, act, number, is_odd):
                break


def trained(kind: type[gb.optim.Optimizer], **options: float) -> gb.optim.Optimizer:
    parameters = [gb.ones(2, requires_grad=True) for _ in range(20)]
    optimizer = kind(parameters, lr=0.1, **options)
    gb.cat(parameters).sum().backward()
    optimizer.step()
    return optimizer


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (lambda: trained(gb.optim.SGD, momentum=0.9), ["velocities"]),
        (lambda: trained(gb.optim.Adam), ["means", "squares", "steps"]),
    ],
)
def test_an_optimizer_may_end_while_its_state_is_read(make, names):
    def arrange():
        optimizer = make()
        [state] = optimizer._states
        return lambda: [getattr(state, name) for name in names], optimizer.dispose

    at_every_collection(arrange)


@pytest.mark.parametrize("look", [_engine._aliases, _engine._nodes])
def test_all_may_end_while_it_is_listed(look):
    def arrange():
        kept = [gb.ones(i + 1, requires_grad=True) for i in range(5)]
        kept += [(x * 2).exp() for x in kept]

        def act():
            for x in kept:
                x.dispose()
            kept.clear()

        return look, act

    at_every_collection(arrange)


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.shape,
        lambda x: x.stride(),
        lambda x: x.T,
        lambda x: x.data,
        lambda x: x[0],
        lambda x: x[0, 0],
        lambda x: list(x),
        lambda x: -x,
        lambda x: x.tolist(),
        lambda x: x.grad,
        lambda x: x.grad_fn,
    ],
)
def test_a_tensor_may_end_while_it_is_read(read):
    sizes = iter(range(3, 100_000))  # a tuple that nobody has made before

    def arrange():
        x = gb.ones(next(sizes), 2)

        def call():
            try:
                read(x)
            except gb.DisposedError:
                return

        return call, x.dispose

    at_every_collection(arrange)


def test_a_gradient_is_one_object_whoever_reads_it_first():
    def arrange():
        x = gb.ones(3, requires_grad=True)
        x.sum().backward()
        seen = []

        def call():
            first = x.grad
            assert all(other is first for other in seen)
            assert x.grad is first

        return call, lambda: seen.append(x.grad)

    at_every_collection(arrange)


def test_two_hooks_may_be_added_at_once():
    def arrange():
        x = gb.ones(3, requires_grad=True)
        y = x * 2
        calls = []

        def call():
            y.register_hook(lambda gradient: calls.append("first"))

        def act():
            y.register_hook(lambda gradient: calls.append("second"))
            y.mul_(2)
            y.register_hook(lambda gradient: calls.append("third"))

        return call, act

    at_every_collection(arrange)


def test_holders_may_let_go_while_they_are_named():
    def arrange():
        box = {"held": [[gb.ones(1)] for _ in range(5)]}
        targets = [held[0] for held in box["held"]]
        return (
            lambda: _engine._holder_paths(phases=[[box]], targets=targets, skip=[]),
            box.clear,
        )

    at_every_collection(arrange)


@pytest.mark.filterwarnings("ignore::garboard.leaks.MemoryLeakWarning")
def test_an_optimizer_may_end_in_its_step():
    parameter = gb.ones(4_000_000, requires_grad=True)
    optimizer = gb.optim.SGD([parameter], lr=0.1, momentum=0.9)
    parameter.sum().backward()

    class Cycle:
        def __init__(self):
            self.me = self
            self.held = gb.ones(8_000_000)

        def __del__(self):
            optimizer.dispose()

    gc.disable()
    Cycle()
    gb.memory.empty_cache()
    limit = gb.memory.memory_reserved()
    before = _engine._set_memory_limit(limit)
    gc.enable()
    try:
        optimizer.step()
    finally:
        _engine._set_memory_limit(before)

    assert optimizer._states[0].velocities == []


def test_ctrl_c_while_the_allocator_collects_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> bool:
        monkeypatch.undo()
        signal.raise_signal(signal.SIGINT)
        return True

    def full() -> None:
        with suppress(gb.OutOfMemoryError):
            gb.zeros(held.shape)
        time.sleep(0)

    held = gb.ones(8 << 20)
    gb.memory.empty_cache()
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    before = gb.memory.set_memory_limit(gb.memory.memory_reserved() + (4 << 20))
    monkeypatch.setattr(gc, "isenabled", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            full()
    finally:
        gb.memory.set_memory_limit(before)
        signal.signal(signal.SIGINT, handler)


def test_a_graph_that_ends_during_a_collection_ends_what_it_alone_held():
    # Its stand-in for the collector is the last to hold the tensors in `ctx` then. Freed memory is
    # overwritten at once in Python's development mode.
    run_program(
        """
        import gc
        import garboard as gb

        class Doubled(gb.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.others = [gb.zeros(2) for _ in range(200)]
                return x * 2

        class Dropper:
            def __init__(self):
                self.me = self

            def __del__(self):
                kept.clear()

        kept = []
        gc.disable()
        for _ in range(5):
            kept.append(Doubled.apply(gb.ones(2, requires_grad=True)))
            Dropper()
            gc.collect()
        assert gb.memory.live().storages == 0
        """,
        *("-X", "dev"),
    )
