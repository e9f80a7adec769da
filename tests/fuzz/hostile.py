"""Objects that raise, lie, recurse, or act on the other arguments while they are read."""

from __future__ import annotations

import functools
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import numpy as np

__all__ = [
    "Endless",
    "LyingMapping",
    "Mischief",
    "Recurse",
    "Sly",
    "SlyModule",
    "SlyTensor",
    "Sub",
    "by_thread",
    "closing",
    "collecting",
    "coroutine",
    "cyclic",
    "deep",
    "disposed",
    "disposing",
    "disposing_all",
    "entered",
    "escaping",
    "generating",
    "growing_dict",
    "history",
    "leaked",
    "looped",
    "profiled",
    "raising",
    "shrinking",
    "trained",
    "unaligned",
    "weakref_of",
    "without_parts",
    "writing",
]


class Mischief(Exception):  # noqa: N818, a name that no error of the library has
    """What hostile objects raise: it is no fault that it comes out."""


Act = Callable[[], object]


def raising() -> None:
    raise Mischief("raised on purpose")


def disposing(thing: Any) -> Act:
    """Dispose `thing`, whatever it is, when called."""
    return lambda: getattr(thing, "dispose", int)()


def by_thread(act: Act) -> Act:
    """Do `act` in another thread, wait for it, and raise what it raised."""

    def run() -> None:
        errors: list[BaseException] = []

        def work() -> None:
            try:
                act()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if errors:
            raise errors.pop()

    return run


def closing() -> None:
    """Close the innermost scope."""
    scope = gb.current_dispose_scope()
    if scope is not None:
        scope.dispose()


def collecting() -> None:
    gc.collect()


def disposing_all(*things: Any) -> Act:
    return lambda: [getattr(thing, "dispose", int)() for thing in things]


def escaping() -> None:
    """Open a scope and never close it."""
    gb.dispose_scope("left open").__enter__()


def writing(thing: Any) -> Act:
    """Write in place into `thing`, if it is a tensor."""

    def write() -> None:
        if isinstance(thing, gb.Tensor):
            with gb.no_grad():
                thing.zero_()

    return write


def _method(name: str, result: Any, act: Act | None) -> Callable[..., Any]:
    def method(self: object, *given: object, **named: object) -> Any:
        if act is not None:
            act()
        if result is Recurse:
            return getattr(self, name)(*given, **named)
        return result(self) if callable(result) and not isinstance(result, type) else result

    return method


def _up_to(count: int, method: Callable[..., Any]) -> Callable[..., Any]:
    """Let `method` end as a sequence of `count` items does."""

    def item(self: object, index: Any) -> Any:
        if isinstance(index, int) and not -count <= index < count:
            raise IndexError
        return method(self, index)

    return item


class Recurse:
    """Stands for a result that is asked for again, without end."""


def Sly(  # noqa: N802, it stands for the class of an object
    name: str, result: Any = 1, act: Act | None = None, kind: type = object
) -> Any:
    """An object of a subclass of `kind` whose method `name` does `act`, then returns `result`."""
    body = {name: _method(name, result, act)}
    if name == "__eq__":
        body["__hash__"] = lambda self: 1
    if name in ("__getitem__", "__len__") and kind is object:
        body["__len__"] = body.get("__len__", lambda self: 3)
        body["__getitem__"] = _up_to(3, body.get("__getitem__", lambda self, index: 1.0))
    return type("Sly" + name.strip("_").title(), (kind,), body)()


class SlyTensor(gb.Tensor):
    """A tensor that overrides what the library may ask for."""

    def __repr__(self) -> str:
        raise Mischief("repr")

    def __len__(self) -> int:
        return 2**62

    def __bool__(self) -> bool:
        raise Mischief("bool")

    def __eq__(self, other: object) -> Any:
        raise Mischief("eq")

    def __hash__(self) -> int:
        raise Mischief("hash")


class Sub(gb.Tensor):
    """A tensor of a subclass that changes nothing."""


class SlyModule(gb.nn.Module):
    """A module whose forward does `act` and returns `result`."""

    def __init__(self, result: Any = None, act: Act | None = None) -> None:
        super().__init__()
        self.weight = gb.nn.Parameter(gb.ones(2))
        self.result, self.act = result, act

    def forward(self, *given: Any, **named: Any) -> Any:
        if self.act is not None:
            self.act()
        return self.result if self.result is not None else given

    def extra_repr(self) -> str:
        if self.act is not None:
            self.act()
        return "sly"


class LyingMapping(dict):  # type: ignore[type-arg]
    """A mapping that says it has more than it has, and changes while it is walked."""

    def __len__(self) -> int:
        return 2**40

    def items(self) -> Any:
        for key, value in list(super().items()):
            self.clear()
            yield key, value
            self["new"] = value


class Endless:
    """An iterable without an end, walked by Python code, so that a signal stops it."""

    def __init__(self, item: Any = 1) -> None:
        self.item = item

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield self.item


def disposed(thing: Any) -> Any:
    thing.dispose()
    return thing


def without_parts(thing: Any) -> Any:
    """A sparse tensor whose places and values are disposed."""
    for part in thing._scope_members():
        part.dispose()
    return thing


def cyclic(kind: str = "list", item: Any = 1) -> Any:
    """A container that holds itself."""
    if kind == "dict":
        cycle: Any = {"a": item}
        cycle["self"] = cycle
        return cycle
    cycle = [item]
    cycle.append(cycle)
    return (cycle, item) if kind == "tuple" else cycle


def deep(depth: int, item: Any = 1) -> Any:
    """A list in a list in a list, `depth` times."""
    for _ in range(depth):
        item = [item]
    return item


def shrinking(name: str, result: Any, items: list[Any]) -> list[Any]:
    """A list of `items` whose middle object empties it when its method `name` is called."""
    items.insert(len(items) // 2, Sly(name, result, items.clear))
    return items


def growing_dict(item: Any = 1) -> dict[Any, Any]:
    """A dict with a key that changes it when compared.

    Not yet while it is made: CPython forgets a reference to what it inserts meanwhile.
    """
    found: dict[Any, Any] = {}

    class Key(str):
        def __eq__(self, other: object) -> bool:
            found.clear()
            return False

        __hash__ = str.__hash__

    found[Key("a")] = item
    found["b"] = item
    return found


def looped(thing: Any) -> Any:
    """`thing` with an attribute that holds itself, where it takes one."""
    try:
        thing.loop = thing
    except (AttributeError, TypeError):
        return thing
    return thing


@functools.cache
def _bytes_of(count: int) -> bytes:
    return bytes(range(256)) * (count // 256 + 1)


def unaligned(count: int = 4, dtype: str = "float32") -> Any:
    """A NumPy array whose elements lie across the machine's words."""
    size = np.dtype(dtype).itemsize * count
    return np.frombuffer(bytearray(_bytes_of(size + 1)), np.uint8)[1 : size + 1].view(dtype)


def generating(*given: Any) -> Iterator[Any]:
    yield from given


async def coroutine(*given: Any) -> Any:
    return given


def weakref_of(thing: Any) -> Any:
    """A weak reference to what is gone."""
    return weakref.ref(thing)


def entered(*given: Any, **named: Any) -> Any:
    """A scope that is open; what leaves it open is closed by the fuzzer."""
    return gb.dispose_scope(*given, **named).__enter__()


def trained(name: str) -> Any:
    """An optimizer after a step."""
    weight = gb.ones(3, requires_grad=True)
    optimizer = getattr(gb.optim, name)([weight], lr=0.1)
    (weight * 2).sum().backward()
    optimizer.step()
    return optimizer


def profiled() -> Any:
    """A profile of two ops."""
    with gb.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True) as profile:
        gb.ones(3) + 1
    return profile


def leaked() -> Any:
    """A report with a leak."""
    kept = []
    with gb.leaks.watch(on_leak=lambda leak: None) as watch:
        for _ in range(64):
            kept.append(gb.ones(3))
            watch.step()
        return watch.report()


def history() -> Any:
    """A snapshot with a history."""
    gb.memory._record_memory_history()
    gb.ones(3)
    return gb.memory._snapshot()
