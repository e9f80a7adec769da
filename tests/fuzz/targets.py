"""What can be called: found by reflection, so that what is new is called without a word here."""

from __future__ import annotations

import importlib
import inspect
import operator
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import garboard as gb

from tests.fuzz.allowed import is_left_out
from tests.fuzz.values import kind_of

__all__ = ["Parameter", "Target", "functions", "members"]


@dataclass(frozen=True)
class Parameter:
    """What a target takes: `kind` says which values are meant for it."""

    name: str
    kind: str
    required: bool = True
    keyword: bool = False
    repeated: bool = False


def _spelled(named: dict[str, str]) -> list[str]:
    return [
        f"{name}={value}" if name.isidentifier() else f"**{{{name!r}: {value}}}"
        for name, value in named.items()
    ]


@dataclass(frozen=True)
class Target:
    """Something to call. `text` has {} where the arguments go."""

    name: str
    call: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    text: str = field(default="")

    def spelled(self, given: list[str], named: dict[str, str]) -> str:
        """Return the call as Python text."""
        words = [*given, *_spelled(named)]
        if self.text:
            return self.text.format(*words)
        return f"{self.name}({', '.join(words)})"


def _parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return (Parameter("any", "any", required=False, repeated=True),)
    gathering = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = []
    for name, it in signature.parameters.items():
        found.append(
            Parameter(
                name,
                kind_of(name, it.default),
                required=it.default is it.empty and it.kind not in gathering,
                keyword=it.kind in (it.KEYWORD_ONLY, it.VAR_KEYWORD),
                repeated=it.kind is it.VAR_POSITIONAL,
            )
        )
    return tuple(found)


@cache
def functions() -> dict[str, list[Target]]:
    """Return the functions and classes of every public module, by module."""
    modules = [gb]
    for info in pkgutil.walk_packages(gb.__path__, "garboard."):
        hidden = any(part.startswith(("_", "lib")) for part in info.name.split(".")[1:])
        if not hidden and not is_left_out(info.name):
            modules.append(importlib.import_module(info.name))
    found: dict[str, list[Target]] = {}
    seen: set[int] = set()
    for module in modules:
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            path = f"{module.__name__}.{name}"
            if not callable(thing) or id(thing) in seen or is_left_out(path):
                continue
            seen.add(id(thing))
            text = path.replace("garboard.", "gb.", 1)
            found.setdefault(module.__name__, []).append(Target(text, thing, _parameters(thing)))
    return found


_SELF = Parameter("self", "self")
_ANY = Parameter("other", "any")
_OPERATORS = {
    **{f"__{name}__": (getattr(operator, f"__{name}__"), 2) for name in (
        "add", "sub", "mul", "truediv", "floordiv", "mod", "matmul", "and", "or", "xor", "pow",
        "lshift", "rshift", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "imatmul",
        "iand", "ior", "ixor", "ipow", "eq", "ne", "lt", "le", "gt", "ge", "contains",
    )},
    **{f"__{name}__": (getattr(operator, f"__{name}__"), 1) for name in (
        "neg", "pos", "abs", "invert", "index",
    )},
}  # fmt: skip
_BUILTINS: dict[str, tuple[str, Callable[..., Any]]] = {
    "__repr__": ("repr({})", repr),
    "__str__": ("str({})", str),
    "__len__": ("len({})", len),
    "__bool__": ("bool({})", bool),
    "__hash__": ("hash({})", hash),
    "__int__": ("int({})", int),
    "__float__": ("float({})", float),
    "__complex__": ("complex({})", complex),
    "__dir__": ("dir({})", dir),
    "__sizeof__": ("({}).__sizeof__()", lambda it: it.__sizeof__()),
    "__reduce__": ("__import__('pickle').dumps({})", lambda it: __import__("pickle").dumps(it)),
    "__copy__": ("__import__('copy').copy({})", lambda it: __import__("copy").copy(it)),
    "__deepcopy__": ("__import__('copy').deepcopy({})", lambda it: __import__("copy").deepcopy(it)),
    "__array__": ("np.asarray({})", lambda it: __import__("numpy").asarray(it)),
    "__iter__": ("next(iter({}))", lambda it: next(iter(it))),
    "__reversed__": ("next(reversed({}))", lambda it: next(reversed(it))),
}


def _index_targets(owner: type) -> list[Target]:
    index = Parameter("index", "index")
    found = []
    if hasattr(owner, "__getitem__"):
        found.append(Target("getitem", operator.getitem, (_SELF, index), "({})[{}]"))
    if hasattr(owner, "__setitem__"):
        text = "operator.setitem({}, {}, {})"
        found.append(Target("setitem", operator.setitem, (_SELF, index, _ANY), text))
    if hasattr(owner, "__delitem__"):
        found.append(
            Target("delitem", operator.delitem, (_SELF, index), "operator.delitem({}, {})")
        )
    return found


def _protocols(owner: type) -> list[Target]:
    """Return what Python's operators and functions do to an `owner`."""
    found = _index_targets(owner)
    for name, (call, count) in _OPERATORS.items():
        if getattr(owner, name, None) not in (None, getattr(object, name, None)):
            parameters = (_SELF, _ANY)[:count]
            text = f"operator.{name}({', '.join(['{}'] * count)})"
            found.append(Target(f"operator.{name}", call, parameters, text))
            if count == 2 and owner is gb.Tensor:
                other = Parameter("other", "any")
                found.append(Target(f"operator.{name}", call, (other, _SELF), text))
    for name, (text, call) in _BUILTINS.items():
        if hasattr(owner, name) or name in ("__copy__", "__deepcopy__"):
            found.append(Target(text.replace("{}", ""), call, (_SELF,), text))
    return found


def _attribute(name: str) -> list[Target]:
    read = Target(
        f"{name} (read)", lambda it: getattr(it, name), (_SELF,), f"getattr({{}}, {name!r})"
    )
    value = Parameter(name, kind_of(name, None))
    write = Target(
        f"{name} (write)",
        lambda it, value: setattr(it, name, value),
        (_SELF, value),
        f"setattr({{}}, {name!r}, {{}})",
    )
    delete = Target(
        f"{name} (delete)", lambda it: delattr(it, name), (_SELF,), f"delattr({{}}, {name!r})"
    )
    return [read, read, write, delete]


def _method(owner: type, name: str, member: Any) -> Target:
    parameters = _parameters(getattr(owner, name))
    if not inspect.ismethod(getattr(owner, name)):  # a class method comes without its class
        first = parameters[0].name if parameters else ""
        rest = parameters[1:] if first == "self" else parameters
        if not isinstance(member, staticmethod):
            parameters = (_SELF, *rest)

    def call(it: Any, *given: Any, **named: Any) -> Any:
        return getattr(it, name)(*given, **named)

    return Target(f"{owner.__name__}.{name}", call, parameters)


class _Method(Target):
    """A method: its text has the object before it."""

    def spelled(self, given: list[str], named: dict[str, str]) -> str:
        name = self.name.rpartition(".")[2]
        words = [*given[1:], *_spelled(named)]
        return f"{given[0]}.{name}({', '.join(words)})"


_CALLED = ("__call__", "__enter__", "__exit__", "__contains__", "__array__", "__deepcopy__")


@cache
def members(owner: type) -> list[Target]:
    """Return the public methods, properties and protocols of a type of ours."""
    found = _protocols(owner)
    for name in dir(owner):
        is_hidden = name.startswith("_") and name not in _CALLED
        # What PyTorch has and we have not is an attribute that raises.
        if is_hidden or not hasattr(owner, name) or is_left_out(f"{owner.__name__}.{name}"):
            continue
        member = inspect.getattr_static(owner, name)
        if callable(getattr(owner, name, None)):
            if isinstance(member, (classmethod, staticmethod)):
                continue
            target = _method(owner, name, member)
            found.append(_Method(target.name, target.call, target.parameters))
        else:
            found += _attribute(name)
    return found
