"""Dtypes of PyTorch's that no tensor has here: programs name them in tables, and ask for one.

Where a dtype is needed they are refused, and the error says which one to use instead.
"""

from __future__ import annotations

from garboard._arguments.layouts import Named

__all__ = [
    "chalf",
    "complex32",
    "float4_e2m1fn_x2",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "other_dtype",
    "qint8",
    "qint32",
    "quint4x2",
    "quint8",
    "uint16",
    "uint32",
    "uint64",
]


class other_dtype(Named):
    """The name of a dtype that no tensor has; it is no `gb.dtype`.

    Attributes:
        itemsize: The bytes that an element takes elsewhere.
        is_floating_point: True for a float.
        is_complex: True for complex numbers.
        is_signed: True where it has numbers below 0.

    >>> gb.uint16
    garboard.uint16
    >>> gb.uint16.itemsize, gb.uint16.is_signed
    (2, False)
    """

    __slots__ = ("_limits", "_refusal", "is_complex", "is_floating_point", "is_signed", "itemsize")
    itemsize: int
    is_floating_point: bool
    is_complex: bool
    is_signed: bool
    _limits: tuple[float, float, float, float] | None
    _refusal: str


def _other(
    name: str,
    itemsize: int,
    instead: str,
    kind: str = "i",
    limits: tuple[float, float, float, float] | None = None,
) -> other_dtype:
    """Make one: `kind` is of "u", "i", "f" and "c", `limits` are min, max, eps and tiny."""
    made = object.__new__(other_dtype)
    facts = {
        "_name": name,
        "itemsize": itemsize,
        "is_floating_point": kind == "f",
        "is_complex": kind == "c",
        "is_signed": kind != "u" and name != "float8_e8m0fnu",
        "_limits": limits,
        "_refusal": f"dtype is garboard.{name}, which no tensor has; use garboard.{instead}",
    }
    for fact, value in facts.items():
        object.__setattr__(made, fact, value)
    return made


def _float(name: str, greatest: float, eps: float, tiny: float, least: float = 0.0) -> other_dtype:
    return _other(name, 1, "float16", "f", (least or -greatest, greatest, eps, tiny))


uint16: other_dtype = _other("uint16", 2, "int32", "u", (0, 2**16 - 1, 1, 1))
uint32: other_dtype = _other("uint32", 4, "int64", "u", (0, 2**32 - 1, 1, 1))
uint64: other_dtype = _other("uint64", 8, "int64", "u", (0, 2**64 - 1, 1, 1))
float8_e4m3fn: other_dtype = _float("float8_e4m3fn", 448.0, 2.0**-3, 2.0**-6)
float8_e4m3fnuz: other_dtype = _float("float8_e4m3fnuz", 240.0, 2.0**-3, 2.0**-7)
float8_e5m2: other_dtype = _float("float8_e5m2", 57344.0, 2.0**-2, 2.0**-14)
float8_e5m2fnuz: other_dtype = _float("float8_e5m2fnuz", 57344.0, 2.0**-2, 2.0**-15)
float8_e8m0fnu: other_dtype = _float("float8_e8m0fnu", 2.0**127, 1.0, 2.0**-127, 2.0**-127)
float4_e2m1fn_x2: other_dtype = _other("float4_e2m1fn_x2", 1, "float16", "f")
complex32: other_dtype = _other("complex32", 4, "complex64", "c")
chalf: other_dtype = complex32
qint8: other_dtype = _other("qint8", 1, "int8")
qint32: other_dtype = _other("qint32", 4, "int32")
quint8: other_dtype = _other("quint8", 1, "uint8", "u")
quint4x2: other_dtype = _other("quint4x2", 1, "uint8", "u")
