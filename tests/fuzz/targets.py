"""What can be called: found by reflection, so that what is new is called without a word here."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import Any

import garboard as gb

from tests.fuzz.allowed import is_left_out
from tests.fuzz.protocols import attribute, home_of, protocols
from tests.fuzz.target import SELF, Method, Parameter, Target, parameters_of

__all__ = ["Parameter", "Target", "functions", "members", "public_names", "tour"]


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
            found.setdefault(module.__name__, []).append(Target(text, thing, parameters_of(thing)))
    return found


def _method(owner: type, name: str, member: Any) -> Method:
    parameters = parameters_of(getattr(owner, name))
    if not inspect.ismethod(getattr(owner, name)):  # a class method comes without its class
        first = parameters[0].name if parameters else ""
        rest = parameters[1:] if first == "self" else parameters
        if not isinstance(member, staticmethod):
            parameters = (SELF, *rest)

    def call(it: Any, *given: Any, **named: Any) -> Any:
        return getattr(it, name)(*given, **named)

    return Method(f"{home_of(owner, name)}.{name}", call, parameters)


_CALLED = ("__call__", "__enter__", "__exit__", "__contains__", "__array__", "__deepcopy__")


@cache
def members(owner: type) -> list[Target]:
    """Return the public methods, properties and protocols of a type of ours."""
    found = protocols(owner)
    for name in dir(owner):
        is_hidden = name.startswith("_") and name not in _CALLED
        # What PyTorch has and we have not is an attribute that raises.
        if is_hidden or not hasattr(owner, name) or is_left_out(f"{owner.__name__}.{name}"):
            continue
        member = inspect.getattr_static(owner, name)
        if callable(getattr(owner, name, None)):
            if not isinstance(member, (classmethod, staticmethod)):
                found.append(_method(owner, name, member))
        else:
            found += attribute(owner, name)
    return found


@cache
def tour() -> list[tuple[tuple[Target | None, Target], ...]]:
    """Return the ways to each name: what to call, and the class to be made first, if any."""
    ways: dict[str, list[tuple[Target | None, Target]]] = {}
    for target in (it for some in functions().values() for it in some):
        ways.setdefault(target.name, []).append((None, target))
        if isinstance(target.call, type) and not issubclass(target.call, BaseException):
            for member in members(target.call):
                ways.setdefault(member.name, []).append((target, member))
    return [tuple(some) for some in ways.values()]


def public_names() -> set[str]:
    """Return the names of what is to be called: the functions, and the members of the classes."""
    names = {some[0][1].name for some in tour()}
    return {name for name in names if not name.endswith(("(write)", "(delete)"))}
