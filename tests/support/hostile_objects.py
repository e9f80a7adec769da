"""Objects that raise whatever they are asked, and names that no file can have.

`Anger` is no Exception, so that code which swallows errors lets it through: a test that sees none
has proved that nobody asked.
"""

from __future__ import annotations

import functools
import threading
import types
from collections import deque
from collections.abc import Callable
from typing import Any

__all__ = [
    "HALF",
    "HOLDERS",
    "Anger",
    "Angry",
    "AngryMeta",
    "angry_subclass",
    "angry_values",
    "unwritable_holders",
]

HALF = "\ud800"  # of a surrogate pair: a str that no UTF-8 has


class Anger(BaseException):
    """What a hostile object raises."""


def _raise(*given: object, **named: object) -> Any:
    raise Anger


_ASKED = (
    *("__repr__", "__str__", "__format__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__"),
    *("__ge__", "__bool__", "__len__", "__iter__", "__contains__", "__getitem__", "__call__"),
    *("__index__", "__int__", "__float__", "__getattr__", "__instancecheck__"),
)
_ASKED_OF_DICTS = ("keys", "values", "items", "get", "copy", "__missing__")


def _body(*more: str) -> dict[str, Any]:
    """Return methods that raise, and attributes that do."""
    body: dict[str, Any] = dict.fromkeys((*_ASKED, *more), _raise)
    body["__class__"] = property(_raise)
    return body


Angry: Any = type("Angry", (), {**_body("__hash__"), "__doc__": "Raises whatever it is asked."})


def angry_subclass(kind: type) -> Any:
    """Return a subclass of a builtin type that raises whatever is asked of it."""
    hashed = {} if kind in (list, dict, set, deque) else {"__hash__": kind.__hash__}
    more = _ASKED_OF_DICTS if kind is dict else ()
    body = {**_body(*more), **hashed}
    return type(f"Angry{kind.__name__.title()}", (kind,), body)


class AngryMeta(type):
    """A metaclass whose classes tell nothing of themselves."""

    __name__ = __module__ = __mro__ = __dict__ = property(_raise)  # type: ignore[assignment]

    def __eq__(cls, other: object) -> bool:
        raise Anger

    __hash__ = type.__hash__

    def __repr__(cls) -> str:
        raise Anger

    def __getattribute__(cls, name: str) -> Any:
        raise Anger

    def __instancecheck__(cls, instance: object) -> bool:
        raise Anger

    def __subclasscheck__(cls, subclass: type) -> bool:
        raise Anger


class _Key:
    """A key that can be put into a dict, and raises when it is asked again."""

    __repr__ = __str__ = __eq__ = __lt__ = __bool__ = _raise  # type: ignore[assignment]

    def __hash__(self) -> int:
        return 7


class _Word(str):
    """A str that is not what str says."""

    __slots__ = ()
    __repr__ = __str__ = __format__ = __eq__ = __len__ = __bool__ = _raise  # type: ignore
    __contains__ = __getitem__ = __iter__ = startswith = endswith = encode = _raise  # type: ignore
    __hash__ = str.__hash__


class _Number(int):
    __repr__ = __str__ = __format__ = __eq__ = __lt__ = __ge__ = __bool__ = _raise  # type: ignore
    __index__ = __int__ = _raise  # type: ignore[assignment]
    __hash__ = int.__hash__


def _with(thing: Any, fill: Callable[[Any], object]) -> Any:
    fill(thing)
    return thing


def _attribute(kind: Any) -> Callable[[Any], Any]:
    return lambda tensor: _with(kind(), lambda it: object.__setattr__(it, "held", tensor))


def _list(tensor: Any) -> Any:
    made = angry_subclass(list)()
    list.append(made, tensor)
    list.append(made, made)
    return made


def _dict(key: Any) -> Callable[[Any], Any]:
    def make(tensor: Any) -> Any:
        made = angry_subclass(dict)()
        dict.__setitem__(made, key, tensor)
        dict.__setitem__(made, "itself", made)
        return made

    return make


def _keyed(key: Any) -> Callable[[Any], Any]:
    return lambda tensor: {key: tensor}


def _set(tensor: Any) -> Any:
    made = angry_subclass(set)()
    set.add(made, tensor)
    return made


def _ring(tensor: Any) -> Any:
    made = angry_subclass(deque)()
    deque.append(made, tensor)
    return made


def _recursive(tensor: Any) -> Any:
    made: list[Any] = [tensor]
    made.append(made)
    return made


def _recursive_dict(tensor: Any) -> Any:
    made: dict[Any, Any] = {"tensor": tensor}
    made["itself"] = made
    return made


def _exception(tensor: Any) -> Any:
    def chained() -> Any:
        try:
            held = tensor  # noqa: F841, what the frame keeps
            raise type("AngryError", (Exception,), _body("__hash__"))
        except Exception as error:
            return error

    return chained()


def _error_with_properties(tensor: Any) -> Any:
    body: dict[str, Any] = dict.fromkeys(("__traceback__", "__context__", "__cause__"), 0)
    made = type("Hiding", (Exception,), {key: property(_raise) for key in body})()
    made.held = tensor
    return made


def _class(**named: Any) -> Callable[[Any], Any]:
    def make(tensor: Any) -> Any:
        made = type("Odd", (), {"__doc__": "Odd."})
        made.held = tensor  # type: ignore[attr-defined]
        for name, value in named.items():
            setattr(made, name, value)
        return made

    return make


def _odd_class(tensor: Any) -> Any:
    class Odd:
        """Of a module that cannot be looked up."""

        __slots__ = ("__dict__", "held")

    Odd.__module__ = []  # type: ignore[assignment]
    made = Odd()
    made.held = tensor
    return made


def _angry_class(tensor: Any) -> Any:
    made = AngryMeta("Silent", (), {"__slots__": ("held", "__weakref__")})
    return _with(object.__new__(made), lambda it: object.__setattr__(it, "held", tensor))


def _hiding_its_attributes(tensor: Any) -> Any:
    hiding = {"__dict__": property(_raise), "__getattribute__": _raise}
    made = type("Hiding", (type("Plain", (), {}),), hiding)()
    return _with(made, lambda it: object.__setattr__(it, "held", tensor))


def _thread_local(tensor: Any) -> Any:
    made = type("Local", (threading.local,), {**_body("__hash__")})()
    return _with(made, lambda it: threading.local.__setattr__(it, "held", tensor))


def _deep(levels: int) -> Any:
    key: Any = ()
    for _ in range(levels):
        key = (key, key)
    return key


def _class_itself(tensor: Any) -> Any:
    return AngryMeta("Silent", (), {"held": tensor})


def _cache(tensor: Any) -> Any:
    made = functools.cache(functools.partial(lambda it: it, tensor))
    made()
    return made


def _named_function(name: str) -> Callable[[Any], Any]:
    def make(tensor: Any) -> Any:
        def function() -> Any:
            return tensor

        function.__name__ = function.__qualname__ = name
        return function

    return make


def _module(kind: Any, name: Any) -> Callable[[Any], Any]:
    def make(tensor: Any) -> Any:
        made = kind("odd")
        space = types.ModuleType.__dict__["__dict__"].__get__(made)
        space["held"] = tensor
        if name is None:
            del space["__name__"]
        else:
            space["__name__"] = name
        return made

    return make


def _unwritable_variables(tensor: Any) -> Any:
    """Return a running generator and a closure whose variables have names that no file has."""

    def items(held: Any) -> Any:
        yield
        return held

    def closure() -> Any:
        return tensor

    items.__code__ = items.__code__.replace(co_varnames=(HALF,))
    closure.__code__ = closure.__code__.replace(co_freevars=(HALF,))
    return [closure, _with(items(tensor), next)]


def _generator(name: str) -> Callable[[Any], Any]:
    def make(tensor: Any) -> Any:
        source = "def items(held):\n    yield\n    return held\n"
        space: dict[str, Any] = {"__name__": Angry()}
        exec(compile(source, name, "exec"), space)
        return _with(space["items"](tensor), next)

    return make


# Each makes an object that holds the tensor it is given, or a class or function that does.
HOLDERS: dict[str, Callable[[Any], Any]] = {
    "a list that holds itself": _recursive,
    "a dict that holds itself": _recursive_dict,
    "an angry object": _attribute(Angry),
    "an angry list": _list,
    "an angry dict": _dict("key"),
    "an angry set": _set,
    "an angry ring": _ring,
    "an angry tuple": lambda tensor: angry_subclass(tuple)((tensor,)),
    "an angry key": _keyed(_Key()),
    "an angry key of an angry dict": _dict(_Key()),
    "an angry word as a key": _keyed(_Word("word")),
    "an angry number as a key": _keyed(_Number(7)),
    "a tuple of angry things as a key": _keyed((_Key(), _Number(3), _Word("w"))),
    "an angry error": _exception,
    "an error that hides its traceback": _error_with_properties,
    "an object of a module that cannot be looked up": _odd_class,
    "an object of an angry class": _angry_class,
    "an angry class": _class_itself,
    "an object that hides its attributes": _hiding_its_attributes,
    "an angry thread-local": _thread_local,
    "a number of too many digits as a key": lambda tensor: {10**5000: tensor},
    "a tuple with 2^12 ends as a key": lambda tensor: {_deep(12): tensor},
    "a class of an angry module": _class(__module__=Angry()),
    "a cache of a partial": _cache,
    "a module without a name": _module(types.ModuleType, None),
    "a module with an angry name": _module(types.ModuleType, Angry()),
    "an angry module": _module(angry_subclass(types.ModuleType), "odd"),
    "a generator of an angry module": _generator("odd.py"),
}


def unwritable_holders() -> dict[str, Callable[[Any], Any]]:
    """Return the same with half of a surrogate pair in the name of something."""

    class Plain:
        """Has attributes."""

    return {
        "an attribute": lambda tensor: _with(Plain(), lambda it: setattr(it, HALF, tensor)),
        "a key": lambda tensor: {HALF: tensor},
        "a function": _named_function(HALF),
        "a function in a function": _named_function(f"outer.<locals>.{HALF}"),
        "a class": _class(__qualname__=HALF),
        "a module": _module(types.ModuleType, HALF),
        "variables": _unwritable_variables,
        "a file": _generator(f"{HALF}.py"),
        "a class attribute": lambda tensor: _with(
            type("Plain", (), {}), lambda it: setattr(it, HALF, tensor)
        ),
    }


def angry_values() -> dict[str, Callable[[], Any]]:
    """Return what makes objects for arguments that are not made for them."""

    def itself() -> Any:
        made: Any = Weak()
        made.append(made)
        return made

    def itself_by_key() -> Any:
        made: Any = WeakDict()
        made["itself"] = made
        return made

    return {
        "an angry object": Angry,
        "an angry list": angry_subclass(list),
        "an angry tuple": lambda: angry_subclass(tuple)((1,)),
        "an angry dict": lambda: angry_subclass(dict)(key=1),
        "an angry word": lambda: _Word("word"),
        "an angry number": lambda: _Number(3),
        "a list that holds itself": itself,
        "a dict that holds itself": itself_by_key,
        "half of a surrogate pair": lambda: HALF,
        "a list of it": lambda: Weak([HALF]),
        "a dict of it": lambda: WeakDict({HALF: HALF}),
        "a number of too many digits": lambda: 10**5000,
        "the same below zero": lambda: -(10**5000),
        "a number that is none": lambda: float("nan"),
        "a class": lambda: type("Made", (), {"__init__": lambda *given: None}),
    }


class Weak(list):  # type: ignore[type-arg]
    """A list that can be referred to weakly."""


class WeakDict(dict):  # type: ignore[type-arg]
    """The same of a dict."""
