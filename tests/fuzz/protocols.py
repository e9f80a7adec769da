"""What Python's operators and functions, and NumPy's, ask of an object."""

from __future__ import annotations

import copy
import operator
import pickle
from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np

from tests.fuzz.target import ANY, SELF, Parameter, Target
from tests.fuzz.values import kind_of

__all__ = ["attribute", "home_of", "protocols"]

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
_INDEX, _NAME = Parameter("index", "index"), Parameter("name", "text")
_TEXT = Parameter("format", "text")
_Rows = dict[str, tuple[str, Callable[..., Any], tuple[Parameter, ...]]]
#: The method that a type must have, what is written, and what that does.
_BUILTINS: _Rows = {
    "__repr__": ("repr({})", repr, (SELF,)),
    "__str__": ("str({})", str, (SELF,)),
    "__len__": ("len({})", len, (SELF,)),
    "__bool__": ("bool({})", bool, (SELF,)),
    "__hash__": ("hash({})", hash, (SELF,)),
    "__int__": ("int({})", int, (SELF,)),
    "__float__": ("float({})", float, (SELF,)),
    "__complex__": ("complex({})", complex, (SELF,)),
    "__format__": ("format({}, {})", format, (SELF, _TEXT)),
    "__dir__": ("dir({})", dir, (SELF,)),
    "__sizeof__": ("({}).__sizeof__()", lambda it: it.__sizeof__(), (SELF,)),
    "__reduce__": ("pickle.dumps({})", pickle.dumps, (SELF,)),
    "__reduce_ex__": ("copy.copy({})", copy.copy, (SELF,)),
    "__class__": ("copy.deepcopy({})", copy.deepcopy, (SELF,)),
    "__array__": ("np.asarray({})", np.asarray, (SELF,)),
    "__iter__": ("next(iter({}))", lambda it: next(iter(it)), (SELF,)),
    "__reversed__": ("next(reversed({}))", lambda it: next(reversed(it)), (SELF,)),
    "__buffer__": ("memoryview({})", memoryview, (SELF,)),
    "__getitem__": ("operator.getitem({}, {})", operator.getitem, (SELF, _INDEX)),
    "__setitem__": ("operator.setitem({}, {}, {})", operator.setitem, (SELF, _INDEX, ANY)),
    "__delitem__": ("operator.delitem({}, {})", operator.delitem, (SELF, _INDEX)),
    "__aenter__": (
        "[*({}).__aenter__().__await__()]",
        lambda it: [*it.__aenter__().__await__()],
        (SELF,),
    ),
    "__aexit__": (
        "[*({}).__aexit__(None, None, None).__await__()]",
        lambda it: [*it.__aexit__(None, None, None).__await__()],
        (SELF,),
    ),
}
#: What every object has, and what would show there if a class of ours forbade it.
_OF_ALL = ("__repr__", "__str__", "__reduce__", "__reduce_ex__", "__class__")
#: Of attributes that are given by name: a module keeps what it is given in tables of its own.
_BY_NAME: _Rows = {
    "__getattr__": ("getattr({}, {})", getattr, (SELF, _NAME)),
    "__setattr__": ("setattr({}, {}, {})", setattr, (SELF, _NAME, ANY)),
    "__delattr__": ("delattr({}, {})", delattr, (SELF, _NAME)),
}
_NUMPY: _Rows = {
    "np.add": ("np.add({}, {})", np.add, (SELF, ANY)),
    "np.power": ("np.power({}, {})", np.power, (ANY, SELF)),
    "np.exp": ("np.exp({})", np.exp, (SELF,)),
    # NumPy reads an expanded tensor of 2^40 elements whole, and answers no Ctrl-C: nothing is
    # asked that makes a number of a tensor. NumPy 2.4 never lets go of what it gave: to reduce,
    # where an override raises; to outer, where the second is a matrix.
    "np.concatenate": (
        "np.concatenate([{}, {}])",
        lambda a, b: np.concatenate([a, b]),
        (SELF, ANY),
    ),
    "np.where": ("np.where({}, {}, {})", np.where, (SELF, ANY, ANY)),
    "np.copyto": ("np.copyto({}, {})", np.copyto, (ANY, SELF)),
}


def home_of(owner: type, name: str) -> str:
    """Return the name of the class of ours that `owner` has `name` from, else its own."""
    for it in owner.__mro__:
        if name in vars(it) and it.__module__.startswith("garboard"):
            return it.__name__
    return "Tensor" if issubclass(owner, gb.Tensor) else owner.__name__


def _has_own(owner: type, name: str) -> bool:
    """Whether a class below `object` has it: `|` of all classes is their own class's."""
    return any(vars(it).get(name) is not None for it in owner.__mro__[:-1])


def _operators(owner: type) -> list[Target]:
    found = []
    for name, (call, count) in _OPERATORS.items():
        if _has_own(owner, name):
            text = f"operator.{name}({', '.join(['{}'] * count)})"
            sides = [(home_of(owner, name), SELF), ("any", ANY)][:count]
            for order in (sides, sides[::-1])[: count if owner is gb.Tensor else 1]:
                label = f"operator.{name}({', '.join(side for side, _ in order)})"
                found.append(Target(label, call, tuple(it for _, it in order), text))
    return found


def _row(label: str, row: tuple[str, Callable[..., Any], tuple[Parameter, ...]]) -> Target:
    text, call, parameters = row
    words = [label if it is SELF else "any" for it in parameters]
    return Target(text.format(*words), call, parameters, text)


def protocols(owner: type) -> list[Target]:
    """Return what Python's operators and functions do to an `owner`."""
    found = _operators(owner)
    for name, row in _BUILTINS.items():
        if _has_own(owner, name) or name in _OF_ALL:
            found.append(_row(home_of(owner, name), row))
    for name, row in _BY_NAME.items():
        if issubclass(owner, gb.nn.Module):
            found.append(_row(home_of(owner, name), row))
    if owner is gb.Tensor:
        found += [_row("Tensor", row) for row in _NUMPY.values()]
    return found


def attribute(owner: type, name: str) -> list[Target]:
    """Return what is done to a property: it is read twice as often as written or deleted."""
    label = f"{home_of(owner, name)}.{name}"
    read = Target(
        f"{label} (read)", lambda it: getattr(it, name), (SELF,), f"getattr({{}}, {name!r})"
    )
    value = Parameter(name, kind_of(name, None))
    write = Target(
        f"{label} (write)",
        lambda it, value: setattr(it, name, value),
        (SELF, value),
        f"setattr({{}}, {name!r}, {{}})",
    )
    delete = Target(
        f"{label} (delete)", lambda it: delattr(it, name), (SELF,), f"delattr({{}}, {name!r})"
    )
    return [read, read, write, delete]
