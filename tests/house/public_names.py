"""What users can reach: every public name of the package, found by reflection."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from enum import Enum
from functools import cache, cached_property
from types import ModuleType
from typing import Any

from tests.house.tree import HOME

__all__ = ["Documented", "public_names"]

# pybind11 writes the signature into the docstring: `human_bytes(bytes: int) -> str`.
BOUND_SIGNATURE = re.compile(r"\w*\(.*\)( -> .+)?\n\n")

# Classes of the extension that one meets as what its functions return.
RETURNED = {"garboard": ("DisposeScopeStatistics", "GraphNode", "Storage")}


@dataclass(frozen=True)
class Documented:
    """A public object, what holds it (a module or a class), and what its docstring says."""

    name: str
    value: Any
    holder: Any

    @cached_property
    def doc(self) -> str:
        """The docstring of its own, without pybind11's signature."""
        text = inspect.cleandoc(getattr(self.value, "__doc__", None) or "")
        if self.is_class and "__doc__" not in vars(self.value):
            return ""
        return BOUND_SIGNATURE.sub("", text, count=1)

    @property
    def is_inherited(self) -> bool:
        """Whether it overrides what is documented where it was first declared."""
        if self.doc or not inspect.isclass(self.holder):
            return False
        short = self.name.rpartition(".")[2]
        return any(getattr(getattr(base, short, None), "__doc__", None) for base in self.bases)

    @property
    def bases(self) -> tuple[type, ...]:
        return self.holder.__mro__[1:-1]

    @property
    def is_record(self) -> bool:
        """Whether it is made of its fields alone, and by the functions that return it; a protocol
        and the members of an enumeration are made by nobody."""
        is_struct_sequence = hasattr(self.value, "n_sequence_fields")
        is_made = is_dataclass(self.value) or self.is_named_tuple or is_struct_sequence
        return self.is_class and (is_made or self.is_made_by_nobody)

    @property
    def is_named_tuple(self) -> bool:
        return isinstance(getattr(self.value, "_fields", None), tuple)

    @property
    def is_made_by_nobody(self) -> bool:
        is_enum = self.is_class and issubclass(self.value, Enum)
        return is_enum or getattr(self.value, "_is_protocol", False)

    @property
    def summary(self) -> str:
        return self.doc.partition("\n\n")[0].replace("\n", " ")

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.value)

    @property
    def is_error(self) -> bool:
        return self.is_class and issubclass(self.value, BaseException)

    @property
    def is_property(self) -> bool:
        return isinstance(self.value, property) or inspect.isdatadescriptor(self.value)

    @property
    def function(self) -> Any:
        """What is called: of a class its constructor, if that is its own. That of a named tuple is
        of no file, and another module's text may pass for it."""
        if self.is_made_by_nobody or self.is_named_tuple:
            return None
        if self.is_class:
            return vars(self.value).get("__init__") or vars(self.value).get("__new__")
        return inspect.unwrap(getattr(self.value, "__func__", self.value))

    @cached_property
    def definition(self) -> ast.FunctionDef | None:
        """The text of `function`, or its line in the stub of the extension."""
        name = self.name.removeprefix("garboard.").removeprefix("memory.")
        stub = stub_definitions()
        if (line := stub.get(f"{name}.__new__" if self.is_class else name)) is not None:
            return line
        try:
            text = textwrap.dedent(inspect.getsource(self.function))
        except (OSError, TypeError):
            return None
        found = ast.parse(text).body[0]
        return found if isinstance(found, ast.FunctionDef) else None

    @cached_property
    def parameters(self) -> list[str]:
        """The names of what is given, without the receiver."""
        is_made_elsewhere = self.is_class and not is_dataclass(self.value) and not self.definition
        if self.is_made_by_nobody or is_made_elsewhere:
            return []
        try:
            names = list(inspect.signature(self.value).parameters)
        except (TypeError, ValueError):  # of the extension, and by its stub alone
            given = self.definition.args if self.definition else ast.arguments([], [], None, [], [])
            named = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
            names = [it.arg for it in named if it]
        return [name for name in names if name not in ("self", "cls") and name[0] != "_"]

    @property
    def returns_something(self) -> bool:
        if self.is_class or self.is_property or self.definition is None:
            return False
        returns = self.definition.returns
        return returns is None or ast.unparse(returns) not in ("None", "'None'", "NoReturn")

    @cached_property
    def raised(self) -> set[str]:
        """The errors that the function's own statements raise."""
        if self.is_error or self.definition is None:
            return set()
        found = set()
        for node in ast.walk(self.definition):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                found.add(ast.unparse(node.exc.func).rpartition(".")[2])
        return {name for name in found if name[0].isupper()}


@cache
def stub_definitions() -> dict[str, ast.FunctionDef]:
    """The functions of the extension and the methods of its classes, as its stub declares them."""
    module = ast.parse((HOME / "python/garboard/_engine.pyi").read_text(encoding="utf-8"))
    found = {}
    for node in module.body:
        for member in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(member, ast.FunctionDef):
                name = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
                found[name + member.name] = member
    return found


def public_modules() -> Iterator[ModuleType]:
    import garboard

    yield garboard
    for found in pkgutil.walk_packages(garboard.__path__, "garboard."):
        parts = found.name.split(".")
        is_program = parts[1] == "demo" or parts[-1] == "command"
        if is_program or any(part.startswith(("_", "lib")) for part in parts):
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError:
            continue  # what it needs is in an extra


def members(value: type, name: str, public: set[int]) -> Iterator[Documented]:
    """The public functions, methods and properties that `value` defines, or a base of it that is
    not public itself."""
    told = {above for it in value.__mro__[1:] if id(it) in public for above in it.__mro__}
    for base in value.__mro__:
        if base in told or not base.__module__.startswith("garboard"):
            continue
        for short in vars(base):
            if not hasattr(value, short):
                continue  # a name of PyTorch's that is missing, and says so
            member = vars(base)[short]  # now: it may have waited for its module until then
            is_function = callable(getattr(value, short)) or inspect.isdatadescriptor(member)
            is_slot = type(member).__name__ in ("_tuplegetter", "member_descriptor")
            if short[0] != "_" and is_function and not is_slot and not isinstance(member, type):
                yield Documented(f"{name}.{short}", member, value)


def public_names() -> list[Documented]:
    """Every name of an `__all__`, once, and the public members of its classes."""
    found: dict[int, Documented] = {}
    for module in public_modules():
        for short in (*getattr(module, "__all__", ()), *RETURNED.get(module.__name__, ())):
            value = getattr(sys.modules.get(f"{module.__name__}._engine"), short, None)
            try:
                value = getattr(module, short, value)
            except ImportError:  # of a package that is not installed
                continue
            is_ours = str(getattr(value, "__module__", "")).startswith("garboard")
            if callable(value) and is_ours:
                name = f"{module.__name__}.{short}"
                found.setdefault(id(value), Documented(name, value, module))
    names = list(found.values())
    for it in list(names):
        if it.is_class:
            names += members(it.value, it.name, set(found))
    return names
