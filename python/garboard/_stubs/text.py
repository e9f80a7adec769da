"""The text of `_engine.pyi`: the op tables know every signature, the rest stands beside this."""

import re
from itertools import groupby
from operator import itemgetter

from garboard import _engine
from garboard._stubs.by_hand import HEAD, TENSOR
from garboard._stubs.of_blocks import BLOCKS
from garboard._stubs.of_matrices import MATRIX_METHODS
from garboard._stubs.of_modules import MODULES
from garboard._stubs.of_registry import REGISTRY
from garboard._stubs.of_scopes import SCOPES
from garboard._stubs.of_streams import STREAMS
from garboard._stubs.of_values import VALUES

__all__ = ["HINTS", "stub_text"]

# A builtin in an annotation: behind a colon, an arrow, a bar, a bracket, a comma or spaces.
_NAMES = "complex|int|float|bool"
_BUILTIN = re.compile(rf"(: |> |\| |\[|, |^ +)({_NAMES})\b(?!\(|: Final)", re.MULTILINE)

_BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"]
_BINARY += ["lshift", "rshift"]
_UNARY = ["neg", "pos", "abs", "invert"]

# `==` of a tensor and what is none gives Python's answer, a bool: nobody compares those on purpose.
_OVERRIDE = "  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]"


def _operators() -> str:
    lines = []
    for name in _BINARY:
        given = "other: Tensor | Number, "
        given += "mod: None = None, /" if name == "pow" else "/"
        lines.append(f"    def __{name}__(self, {given}) -> Tensor: ...")
        lines.append(f"    def __r{name}__(self, {given}) -> Tensor: ...")
        modulus = "  # type: ignore[misc]" if name == "pow" else ""  # there is none in place
        in_place = f"    def __i{name}__(self, other: Tensor | Number, /) -> Self: ..."
        lines.append(in_place + modulus)
    lines += [f"    def __{name}__(self) -> Tensor: ..." for name in _UNARY]
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        override = _OVERRIDE if name in ("eq", "ne") else ""
        lines.append(
            f"    def __{name}__(self, other: Tensor | Number, /) -> Tensor: ...{override}"
        )
    return "\n".join(lines) + "\n"


_DIM = re.compile(r"(?<!\w)dim: ([^,=]+)( = [^,]+)?(?:, |$)")


def _with_numpys_names(given: str) -> list[str]:
    """Return a form that takes `axis` and `keepdims`, too; two, where `dim` cannot be left out."""
    found = _DIM.search(given)
    if not found:
        return [given]
    keepdims = ", keepdims: bool = False" if "keepdim: " in given else ""
    axis = f"axis: {found[1]}{found[2] or ''}{keepdims}"
    if found[2]:
        return [f"{given}{'' if '*, ' in given else ', *'}, {axis}"]
    before, after = given[: found.start()], given[found.end() :].replace("*, ", "")
    return [given, f"{before}*, {axis}" + (f", {after}" if after else "")]


def _ways(signature: str) -> list[str]:
    """Return the parameters of a row; sizes that are collected may come as one sequence, too."""
    parameters = signature[1:-1]
    variadic = re.search(r"\*(\w+): (int|Tensor)(, )?", parameters)
    if not variadic:
        return _with_numpys_names(parameters)
    several = "Size" if variadic[2] == "int" else "list[Tensor] | tuple[Tensor, ...]"
    alone = f"{variadic[1]}: {several}{', *, ' if variadic[3] else ''}"
    return [parameters, parameters[: variadic.start()] + alone + parameters[variadic.end() :]]


_MAKERS = (
    "arange empty empty_strided eye full linspace logspace ones rand randint randn randperm range "
    "scalar_tensor zeros new_empty new_full new_ones new_zeros"
)
_LIKE = "empty_like full_like ones_like rand_like randint_like randn_like zeros_like"
_COPIES = "bfloat16 bool byte char contiguous cpu cuda double float half int long short to"
_LAYOUT, _PIN = "layout: _Layout | None = None", "pin_memory: bool | None = None"
_ORDER = "memory_format: _MemoryFormat | None = None"
# What is heard about layouts, and changes nothing.
HINTS = (
    dict.fromkeys(_MAKERS.split(), f"{_LAYOUT}, {_PIN}")
    | dict.fromkeys(_LIKE.split(), f"{_LAYOUT}, {_PIN}")
    | dict.fromkeys(_COPIES.split(), _ORDER)
    | {"tensor": _PIN, "new_tensor": _PIN}
)


def _with_hints(name: str, given: str) -> str:
    hints = HINTS.get(name)
    if hints is None:
        return given
    star = "" if re.search(r"\*(?:, |\w+:)", given) else "*, "
    return f"{given}, {star}{hints}" if given else f"{star}{hints}"


_SEVERAL = "Tensor | tuple[Tensor, ...]"
_FLAG = re.compile(r"((?:return|as)_\w+): bool(?: = False)?$")


def _by_flags(given: str, result: str) -> list[tuple[str, str]]:
    """Return the ways to call an op that gives a tensor, or several where a flag asks for them."""
    parts = given.split(", ")
    flags = [part for part in parts if _FLAG.match(part)] if result == _SEVERAL else []
    if not flags:
        return [(given, result)]
    alone = [it.replace("bool", "Literal[False]") if it in flags else it for it in parts]
    before = [it for it in parts[: parts.index(flags[0])] if it != "*"]
    ways = [(", ".join(alone), "Tensor")]
    for flag in flags:
        others = [it for it in parts[len(before) :] if it not in (flag, "*")]
        asked = f"{flag.partition(':')[0]}: Literal[True]"
        ways.append((", ".join([*before, "*", asked, *others]), "tuple[Tensor, ...]"))
    return [*ways, (given, result)]


def _definitions(name: str, rows: list[tuple[str, str, str, str, bool]]) -> str:
    """Return the stub of the rows of one name: the ways to call one function or method."""
    is_method = rows[0][4]
    indent = "    " * is_method
    ways = dict.fromkeys(
        way
        for row in rows
        for given in _ways(row[1])
        for way in _by_flags(_with_hints(name, given), row[2])
    )
    overload = f"{indent}@overload\n" if len(ways) > 1 else ""
    return "".join(
        f"{overload}{indent}def {name}({given}) -> {result}: ...\n" for given, result in ways
    )


def _of_table(is_method: bool) -> str:
    table = [row for row in _engine._op_table() if row[4] == is_method]
    names = [(name, of) for name, of, of_method in _engine._other_names() if of_method == is_method]
    others = [(name, *row[1:]) for name, of in names for row in table if row[0] == of]
    rows = sorted(table + others, key=itemgetter(0))
    return "".join(_definitions(name, list(ways)) for name, ways in groupby(rows, itemgetter(0)))


def stub_text() -> str:
    """Return the stub of `garboard._engine`, complete and the same at every call."""
    text = (
        f"{HEAD}\n{VALUES}\n{REGISTRY}\n{SCOPES}\n{BLOCKS}\n{MODULES}\n{STREAMS}\n"
        f"{TENSOR}{MATRIX_METHODS}{_operators()}{_of_table(True)}\n{_of_table(False)}"
    )
    return _BUILTIN.sub(r"\1_\2", text)
