"""Names that are not there yet, or not at all.

A submodule is imported when it is first named. For PyTorch's names that are missing here the error
says what to use instead, and for others which name was meant. A module pays at a miss alone. A
tensor's names are descriptors that raise: a `__getattr__` would slow every hit. Modules
that are missing are told by the last finder that an import asks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any, NoReturn
from warnings import warn

from garboard._arguments.texts import shown
from garboard._engine import _is_set_name, _set_attributes
from garboard._names.torch_names import ADVICE, NUMPYS

__all__ = ["MissingModules", "add_missing_names", "module_getattr", "refuse_missing"]

# Where a name may stand instead, in the order of the search.
_ELSEWHERE = ("nn", "nn.functional", "nn.init", "optim", "utils.data", "autograd")


def module_getattr(
    package: str,
    submodules: tuple[str, ...] = (),
    homes: Mapping[str, str] | None = None,
    older: tuple[str, ...] = (),
) -> Callable[[str], Any]:
    """Return a module's `__getattr__`, which imports `package.name` for each of `submodules`.

    From then on `dir()` lists what the module offers, and not what it uses.

    `homes` are names that few programs ask for, with the submodules of `package` that have them;
    `older` are names without the last line, which PyTorch has still: each warns when it is called.
    """
    homes = homes or {}

    def missing(name: str) -> Any:
        name = str.__str__(name)  # a subclass may say something else
        if name in submodules:
            return import_module(f"{package}.{name}")
        if name in homes:
            found = getattr(import_module(f"{package}.{homes[name]}"), name)
            setattr(sys.modules[package], name, found)  # the next time it is there
            return found
        if name in older:
            return _warning(getattr(sys.modules[package], f"{name}_"), f"{package}.{name}")
        text = f"module '{package}' has no attribute {shown(name)}"
        # Private names are asked for by protocols; a submodule's, while it is being imported.
        if name.startswith("_") or f"{package}.{name}" in sys.modules:
            raise AttributeError(text, name=name)
        text += _answer(package, name)
        if _is_importing(sys._getframe(1)):  # which would drop the text of an AttributeError
            raise ImportError(text, name=package)
        raise AttributeError(text, name=name)

    vars(sys.modules[package])["__dir__"] = lambda: _offered(package, submodules)
    return missing


def _offered(package: str, submodules: tuple[str, ...]) -> list[str]:
    """Return a module's public names, and its submodules' as far as they are loaded."""
    there = vars(sys.modules[package])
    loaded = (name for name in there if name[0] != "_" and f"{package}.{name}" in sys.modules)
    return sorted({*there.get("__all__", there), *submodules, *loaded})


def _warning(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`function` under its older name."""

    @wraps(function)
    def older(*given: Any, **named: Any) -> Any:
        text = f"{name} is the older name of {name}_, which writes in place as the older one does"
        warn(text, FutureWarning, stacklevel=2)
        return function(*given, **named)

    older.__name__ = older.__qualname__ = name.rpartition(".")[2]
    return older


def _is_importing(frame: FrameType) -> bool:
    """Tell whether `frame` is at `from package import name`."""
    from opcode import opname

    return opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"


def _answer(package: str, name: str) -> str:
    advice = ADVICE.get(package, {}).get(name)
    if advice is not None:
        return ": " + _refusal(package.replace("garboard", "torch", 1), name, advice)
    for module in _ELSEWHERE:
        home = f"garboard.{module}"
        if home != package and name in import_module(home).__all__:
            return f"; it is {home}.{name}"
    from difflib import get_close_matches

    found = get_close_matches(name, dir(sys.modules[package]), n=2, cutoff=0.75)
    return f"; did you mean {' or '.join(map(shown, found))}?" if found else ""


def _refusal(owner: str, name: str, advice: str) -> str:
    known_as = f"NumPy's {name}" if name in NUMPYS else f"PyTorch's {owner}.{name}"
    return f"{known_as} is not in garboard yet" + (f"; {advice}" if advice else "")


def refuse_missing(thing: object, known_as: str, name: str) -> None:
    """Raise AttributeError where PyTorch has a name that a thing's type lacks."""
    advice = ADVICE[f"garboard.{known_as}"].get(name)
    if advice is not None:
        _raise_missing(type(thing), name, _refusal(known_as, name, advice))


def _raise_missing(owner: type, name: str, refusal: str) -> NoReturn:
    text = f"'{owner.__name__}' object has no attribute '{name}': {refusal}"
    raise AttributeError(text, name=name)


class MissingModules:
    """A finder of what is not there: it says what stands in for a module of PyTorch's."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find nothing, and say what to use instead of a module that PyTorch has."""
        package, _, last = name.rpartition(".")
        advice = ADVICE.get(package, {}).get(last) if package.startswith("garboard") else None
        if advice is None:
            return None
        text = f"No module named {shown(name)}: "
        text += _refusal(package.replace("garboard", "torch", 1), last, advice)
        raise ModuleNotFoundError(text, name=name)


class _Missing:
    """An attribute of a type that is not there: asking for it raises, and `help` says the same."""

    def __init__(self, name: str, refusal: str) -> None:
        self.__doc__, self._name = refusal, name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        _raise_missing(owner, self._name, str(self.__doc__))


def add_missing_names(owner: type, known_as: str) -> None:
    """Let `owner` answer for PyTorch's names that `known_as` lacks, and not list them in `dir`."""
    names = ADVICE[f"garboard.{known_as}"]
    for name, advice in names.items():
        setattr(owner, name, _Missing(name, _refusal(known_as, name, advice)))

    def listed(self: object) -> Iterable[str]:
        classes = type(self).__mro__[: type(self).__mro__.index(owner)]
        mine = getattr(self, "__dict__", None) or _set_attributes(self) or {}
        own = {name for it in (*map(vars, classes), mine) for name in it}
        absent = {*names, *(it for it, entry in vars(owner).items() if _is_set_name(entry))} - own
        return [name for name in object.__dir__(self) if name not in absent]

    owner.__dir__ = listed  # type: ignore[assignment]
