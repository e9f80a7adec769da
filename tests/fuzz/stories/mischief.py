"""What steps of a story are made of: acts in odd places, and objects that forge what is read."""

from __future__ import annotations

import contextlib
import copy
import gc
import io
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from random import Random
from types import FrameType
from typing import Any

import garboard as gb
from garboard.overrides import TorchFunctionMode

from tests.fuzz.stories.modes import modes_here

__all__ = [
    "Broken",
    "CtrlC",
    "blocks",
    "collected",
    "failing",
    "forged",
    "forging",
    "forked",
    "inside",
    "interrupted",
    "interrupted_block",
    "losing",
    "mutated",
    "overriding",
    "rebuilt",
    "scattered",
    "taking_over",
    "together",
    "unpickled",
    "vanishing",
    "walking",
]

Act = Callable[[], object]
_acts = [0]  # how often a class that takes calls over has done something of its own


class Broken(Exception):  # noqa: N818, a name that no error of the library has
    """What a helper has seen that must not be."""


class CtrlC(KeyboardInterrupt):
    """A KeyboardInterrupt where Python may raise one: not the fuzzer's own alarm."""


def interrupted(number: int, act: Act) -> Any:
    """Do `act` with Ctrl-C at the `number`-th of the places where Python looks for signals.

    It does so where a function of its own begins and where a call of one in C has returned.
    """
    left = [number]

    def look(frame: FrameType, event: str, _: object) -> None:
        is_pythons = (
            frame.f_code.co_filename == threading.__file__
        )  # half a lock is no fault of ours
        if event in ("call", "c_return") and not is_pythons:
            left[0] -= 1
            if left[0] == 0:
                sys.setprofile(None)
                raise CtrlC

    sys.setprofile(look)
    try:
        return act()
    finally:
        sys.setprofile(None)


def interrupted_block(number: int, make: Callable[[], Any], act: Act) -> None:
    """Do `act` in a block, with Ctrl-C somewhere; raise Broken if modes are not as before."""
    before, acts = modes_here(), _acts[0]

    def run() -> None:
        with make():
            act()

    try:
        interrupted(number, run)
    except Exception:
        pass
    except CtrlC as error:
        error.__traceback__ = None
    if before["overriding blocks"] or _acts[0] != acts:  # they may switch modes of their own
        return
    if (after := modes_here()) != before:
        changed = {name: (before[name], it) for name, it in after.items() if it != before[name]}
        raise Broken(f"Ctrl-C in a block left changed: {sorted(changed)}")


def blocks() -> dict[str, Callable[[], Any]]:
    """Blocks of all kinds, by name."""
    graph = gb.autograd.graph
    return {
        "no_grad": gb.no_grad,
        "enable_grad": gb.enable_grad,
        "set_grad_enabled": lambda: gb.set_grad_enabled(False),
        "inference_mode": gb.inference_mode,
        "autocast": lambda: gb.autocast("cpu"),
        "fuse": gb.fuse,
        "dispose_scope": gb.dispose_scope,
        "saved_tensors_hooks": lambda: graph.saved_tensors_hooks(lambda it: it, lambda it: it),
        "save_on_cpu": graph.save_on_cpu,
        "disable_saved_tensors_hooks": lambda: graph.disable_saved_tensors_hooks("not here"),
        "detect_anomaly": gb.autograd.detect_anomaly,
        "set_detect_anomaly": lambda: gb.autograd.set_detect_anomaly(True),
        "device": lambda: gb.device("cpu"),
        "taking_over": lambda: taking_over(None),
    }


def inside(block: Any, act: Act) -> Any:
    """Do `act` inside a block."""
    with block:
        return act()


def failing(number: int, act: Act) -> Any:
    """Do `act`, while every `number`-th allocation fails."""
    with gb.memory.fail_allocation(number):
        return act()


def collected(act: Act) -> Any:
    """Do `act`, while whatever is made may collect all garbage there is."""
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    try:
        return act()
    finally:
        gc.set_threshold(*before)


def together(*acts: Act) -> None:
    """Do `acts` in threads of their own, at the same time, by turns as short as can be."""
    before = sys.getswitchinterval()
    gate = threading.Barrier(len(acts))

    def run(act: Act) -> None:
        gate.wait()
        for _ in range(3):
            with contextlib.suppress(Exception):
                act()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    sys.setswitchinterval(1e-6)
    try:
        for it in threads:
            it.start()
        for it in threads:
            it.join()
    finally:
        sys.setswitchinterval(before)


def forked(act: Act) -> None:
    """Do `act` in a forked child; raise Broken if that dies of it."""
    sys.stdout.flush()
    if (pid := os.fork()) == 0:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(10)
        with contextlib.suppress(BaseException):
            act()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        raise Broken(f"a forked child ended with {status}")


def forged(act: Act | None, result: Any, saved: Any = None) -> Any:
    """A function with a gradient of its own: `act` is done there, `result` made of it, returned."""

    class Forged(gb.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *given: Any) -> Any:
            tensors = [it for it in given if isinstance(it, gb.Tensor)]
            ctx.save_for_backward(*(tensors if saved is None else [saved]))
            return given[0] * 1

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            if act is not None:
                act()
            kept = ctx.saved_tensors
            return result(*kept, *grads) if callable(result) else result

    return Forged.apply


def forging(change: Callable[[Any], Any], act: Act | None = None) -> Any:
    """Hooks of what is saved for backward: it comes back as `change` of it, after `act`."""

    def unpack(kept: Any) -> Any:
        if act is not None:
            act()
        return change(kept)

    return gb.autograd.graph.saved_tensors_hooks(lambda tensor: tensor, unpack)


class _Picky(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] not in ("garboard", "collections", "copyreg", "numpy"):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


def unpickled(content: bytes) -> Any:
    """What `content` is a pickle of. What Python says of a broken one is no news."""
    with contextlib.suppress(
        pickle.UnpicklingError, EOFError, KeyError, AttributeError, ImportError, MemoryError
    ):
        return _Picky(io.BytesIO(content)).load()
    return None


def mutated(content: bytes, seed: int) -> bytes:
    """`content` with a few bytes that are others, or missing, or twice there."""
    rng, found = Random(seed), bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5))):
        place = rng.randrange(len(found) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            del found[place:]
        elif kind == 1:
            del found[place : place + rng.randrange(1, 9)]
        elif kind == 2:
            found[place:place] = found[rng.randrange(len(found) + 1) :][:9]
        elif place < len(found):
            found[place] = rng.choice((0, 1, 255, 127, rng.randrange(256)))
    return bytes(found)


def rebuilt(thing: Any, protocol: int, number: int, forgery: Any) -> Any:
    """What `thing` is reduced to, made anew with `forgery` for one of its arguments."""
    reduced = thing.__reduce_ex__(protocol)
    if isinstance(reduced, str):
        return None
    make, given, *rest = reduced
    given = list(given)
    if given:
        given[number % len(given)] = forgery
    made = make(*given)
    if rest and rest[0] is not None and hasattr(made, "__setstate__"):
        made.__setstate__(rest[0] if number % 2 else forgery)
    return made


def overriding(result: Any, act: Act | None = None) -> type[gb.Tensor]:
    """A subclass whose `__torch_function__` does `act`, then gives `result` of what it is asked."""

    class Overriding(gb.Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if act is not None:
                _acts[0] += 1
                act()
            if result is not None:
                return result(func, args, kwargs or {}) if callable(result) else result
            return super().__torch_function__(func, types, args, kwargs or {})

    return Overriding


class taking_over(TorchFunctionMode):  # noqa: N801, it reads as an act
    """A mode that does `act`, then gives `result` of what it is asked."""

    def __init__(self, result: Any = None, act: Act | None = None) -> None:
        super().__init__()
        self.result, self.act = result, act

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.act is not None:
            self.act()
        if self.result is not None:
            return self.result(func, args, kwargs or {}) if callable(self.result) else self.result
        return func(*args, **(kwargs or {}))


class vanishing(gb.nn.Module):  # noqa: N801, it reads as an act
    """A module with layers that does `act` of itself in the middle of its forward."""

    def __init__(self, act: Callable[[Any], object]) -> None:
        super().__init__()
        self.first, self.second = gb.nn.Linear(3, 3), gb.nn.Linear(3, 3)
        self.register_buffer("mean", gb.zeros(3))
        self.act = act

    def forward(self, input: Any) -> Any:
        found = self.first(input) - self.mean
        self.act(self)
        return self.second(found) + self.mean


def losing(module: Any, name: str) -> None:
    """Take `name` away from a module, in one of the ways."""
    for table in (module._parameters, module._buffers, module._modules):
        if name in table:
            del table[name]
            return
    vars(module).pop(name, None)


def scattered(container: Any, forgery: Any) -> None:
    """Put `forgery` into all places of a nest."""
    if isinstance(container, dict):
        for key, value in list(container.items()):
            scattered(value, forgery) if isinstance(value, (dict, list)) else container.update(
                {key: forgery}
            )
    elif isinstance(container, list):
        container[:] = [copy.copy(forgery) if isinstance(forgery, list) else forgery] * len(
            container
        )


def walking(things: Any, act: Act | None = None, is_inside: bool = False) -> Iterator[Any]:
    """Go through `things`, which makes a tensor at each, in a scope where `is_inside`."""
    with gb.dispose_scope() if is_inside else contextlib.nullcontext():
        for it in things:
            made = gb.ones(2)
            if act is not None:
                with contextlib.suppress(StopIteration):
                    act()
            yield it, made
