"""Where programs look for PyTorch's exporter of whole programs: nothing is exported here.

Libraries name its types in annotations and its functions in methods that few call: the names are
there, and what would export or read a program is refused where it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths

__all__ = [
    "Dim",
    "ExportedProgram",
    "export",
    "export_for_training",
    "load",
    "register_dataclass",
    "save",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


class _DimHint:
    """How a size that has no name would be told to an exporter."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"DimHint({self._name})"


class Dim:
    """A size that has a name, and bounds.

    Args:
        name: Its name.
        min: The least that it may be; None for any.
        max: The most.

    Raises:
        TypeError: The name is no text, or a bound no integer.
        ValueError: The bounds leave nothing.

    >>> gb.export.Dim("rows", min=2).name
    'rows'
    """

    AUTO: Final = _DimHint("AUTO")
    STATIC: Final = _DimHint("STATIC")
    DYNAMIC: Final = _DimHint("DYNAMIC")

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        self.name: str = check.text("Dim", "name", name)
        self.min: int = 0 if min is None else check.integer("Dim", "min", min)
        self.max: int | None = None if max is None else check.integer("Dim", "max", max)
        if self.max is not None and self.max < self.min:
            raise ValueError(
                f"Dim: from {self.min} to {self.max}; a bound that is no less is needed"
            )

    def __repr__(self) -> str:
        return f"Dim({shown(self.name)}, min={self.min}, max={self.max})"


def _refuse(op: str) -> NoReturn:
    raise NotImplementedError(
        f"{op}: programs are not exported here; save the state_dict() by gb.save, trace by "
        "gb.fx.symbolic_trace, or export the model in PyTorch"
    )


class ExportedProgram:
    """What PyTorch's exporter makes of a module: no object is one.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: One is asked for.

    >>> isinstance(gb.nn.ReLU(), gb.export.ExportedProgram)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        _refuse(cls.__name__)


def export(*given: object, **named: object) -> NoReturn:
    """Refuse: nothing is exported.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.export.export(gb.nn.ReLU(), (gb.ones(1),))
    Traceback (most recent call last):
    NotImplementedError: export: programs are not exported here; ...
    """
    _refuse("export")


def export_for_training(*given: object, **named: object) -> NoReturn:
    """Refuse: nothing is exported.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.export.export_for_training(gb.nn.ReLU(), (gb.ones(1),))
    Traceback (most recent call last):
    NotImplementedError: export_for_training: programs are not exported here; ...
    """
    _refuse("export_for_training")


def load(*given: object, **named: object) -> NoReturn:
    """Refuse: there are no exported programs.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.export.load("model.pt2")
    Traceback (most recent call last):
    NotImplementedError: export.load: programs are not exported here; ...
    """
    _refuse("export.load")


def save(*given: object, **named: object) -> NoReturn:
    """Refuse: there are no exported programs.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.export.save(None, "model.pt2")
    Traceback (most recent call last):
    NotImplementedError: export.save: programs are not exported here; ...
    """
    _refuse("export.save")


def register_dataclass(cls: type[object], *, serialized_type_name: str | None = None) -> None:
    """Hear of a class that an exporter would take apart.

    Args:
        cls: The class.
        serialized_type_name: Ignored.

    Raises:
        TypeError: `cls` is no class.

    >>> gb.export.register_dataclass(dict)
    """
    check.of_type(type, "register_dataclass", "cls", cls)


publish_paths(__name__)
