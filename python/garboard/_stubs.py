"""Writes `_engine.pyi`: the op tables know every signature, the rest stands in `_stubs_by_hand`.

python -m garboard._stubs path/to/_engine.pyi
"""

import re
import sys
from pathlib import Path

from garboard import _engine
from garboard._stubs_by_hand import FORMS, HEAD, SPELLING, TENSOR

__all__ = ["stub_text"]

# A builtin in an annotation: behind a colon, an arrow, a bar, a bracket, a comma or spaces.
_BUILTIN = re.compile(r"(: |> |\| |\[|, |^ +)(int|float|bool)\b(?!\(|: Final)", re.MULTILINE)

_BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"]
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


def _with_numpys_names(given: str, result: str) -> list[tuple[str, str]]:
    """Return a form that takes `axis` and `keepdims`, too; two, where `dim` cannot be left out."""
    found = _DIM.search(given)
    if not found or found[1] == "Tensor":
        return [(given, result)]
    keepdims = ", keepdims: bool = False" if "keepdim: " in given else ""
    axis = f"axis: {found[1]}{found[2] or ''}{keepdims}"
    if found[2]:
        return [(f"{given}{'' if '*, ' in given else ', *'}, {axis}", result)]
    before, after = given[: found.start()], given[found.end() :].replace("*, ", "")
    named = f"{before}*, {axis}" + (f", {after}" if after else "")
    return [(f"{given}", result), (named, result)]


def _forms(name: str, signature: str, returns: str) -> list[tuple[str, str]]:
    """Return the parameters and the result of each form of an op."""
    forms = _forms_of_tables(name, signature, returns)
    return [form for it in forms for form in _with_numpys_names(*it)]


def _forms_of_tables(name: str, signature: str, returns: str) -> list[tuple[str, str]]:
    parameters = signature[1:-1]
    if name in FORMS:
        receiver = re.match(r"self|input: Tensor", parameters)
        before = f"{receiver[0]}, " if receiver else ""
        return [((before + given).removesuffix(", "), result) for given, result in FORMS[name]]
    for general, special in SPELLING.items():
        parameters = parameters.replace(general, special)
    if variadic := re.search(r"\*(\w+): int(, )?", parameters):  # or one sequence of them
        star = ", *, " if variadic[2] else ""
        alone = f"{variadic[1]}: Size{star}"
        whole = parameters[: variadic.start()] + alone + parameters[variadic.end() :]
        return [(parameters, returns), (whole, returns)]
    return [(parameters, returns)]


def _definitions(row: tuple[str, str, str, str, bool]) -> str:
    """Return the stub of one row of the op tables."""
    name, signature, returns, _, is_method = row
    indent = "    " * is_method
    if is_method and name.endswith("_"):
        returns = "Self"
    forms = _forms(name, signature, returns)
    overload = f"{indent}@overload\n" if len(forms) > 1 else ""
    return "".join(
        f"{overload}{indent}def {name}({given}) -> {result}: ...\n" for given, result in forms
    )


def stub_text() -> str:
    """Return the stub of `garboard._engine`, complete and the same at every call."""
    rows = sorted(_engine._op_table())
    methods = "".join(_definitions(row) for row in rows if row[4])
    functions = "".join(_definitions(row) for row in rows if not row[4])
    text = f"{HEAD}\n{TENSOR}{_operators()}{methods}\n{functions}"
    return _BUILTIN.sub(r"\1_\2", text)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(stub_text(), encoding="utf-8")
