"""The published schema of reports, and the check of a value against it.

As much of JSON Schema (draft 2020-12) as the schema uses; another keyword in it is our mistake.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

from garboard._arguments.texts import printable, shown

__all__ = ["SCHEMA_NAME", "check_against", "schema"]

SCHEMA_NAME = "garboard.leaks/1"

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "null": (type(None),),
}
_TOLD = {"$schema", "$defs", "title", "description"}  # for readers


@cache
def schema() -> dict[str, Any]:
    """Return the schema, which is shipped beside this file."""
    with open(os.path.join(os.path.dirname(__file__), "report.schema.json"), "rb") as file:
        found: dict[str, Any] = json.load(file)
    return found


def check_against(value: object, rules: dict[str, Any], where: str) -> None:
    """Check a value that JSON gave.

    Raises:
        ValueError: The first rule that is broken, and where.
    """
    for name, wanted in rules.items():
        if name in _TOLD or name in ("additionalProperties", "properties", "items"):
            continue
        if name == "$ref":
            check_against(value, schema()["$defs"][wanted.rpartition("/")[2]], where)
        elif name == "type":
            _need(_is_a(value, wanted), where, value, f"{wanted} is needed")
        elif name == "const":
            _need(value == wanted and isinstance(value, str), where, value, f"{wanted} is needed")
        elif name == "enum":
            is_one = isinstance(value, str) and value in wanted
            _need(is_one, where, value, f"one of {', '.join(wanted)} is needed")
        elif name == "anyOf":
            _check_any(value, wanted, where)
        else:
            _check_bound(name, value, wanted, where)
    if "properties" in rules and isinstance(value, dict):
        _check_members(value, rules, where)
    if "items" in rules and isinstance(value, list):
        for i, item in enumerate(value):
            check_against(item, rules["items"], f"{where}[{i}]")


def _check_bound(name: str, value: Any, wanted: Any, where: str) -> None:
    if name == "required":
        missing = [key for key in wanted if key not in value]
        _need(not missing, where, value, f"{missing[:1]} is missing")
    elif name == "maxItems":
        _need(len(value) <= wanted, where, len(value), f"at most {wanted} items are allowed")
    elif name == "maxLength":
        _need(len(value) <= wanted, where, len(value), f"at most {wanted} characters are allowed")
    elif name == "minimum":
        _need(value >= wanted, where, value, f"at least {wanted} is needed")
    elif name == "maximum":
        _need(value <= wanted, where, value, f"at most {wanted} is allowed")
    else:
        raise AssertionError(f"the schema has a keyword that is not checked: {name}")


def _check_members(value: dict[str, Any], rules: dict[str, Any], where: str) -> None:
    known = rules["properties"]
    unknown = sorted(value.keys() - known.keys())
    _need(not unknown, where, unknown[:1] and unknown[0], f"{', '.join(known)} may be")
    for key, wanted in known.items():
        if key in value:
            check_against(value[key], wanted, f"{where}.{key}")


def _check_any(value: object, choices: list[dict[str, Any]], where: str) -> None:
    """Check against the choices; the last one's fault is what is told."""
    for rules in choices[:-1]:
        try:
            return check_against(value, rules, where)
        except ValueError:
            pass
    check_against(value, choices[-1], where)


def _is_a(value: object, wanted: str) -> bool:
    return isinstance(value, _TYPES[wanted]) and (
        not isinstance(value, bool) or wanted == "boolean"
    )


def _need(is_right: bool, where: str, value: object, needed: str) -> None:
    if not is_right:
        raise ValueError(f"{printable(where)} is {shown(value)}; {needed}")
