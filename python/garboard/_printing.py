"""Tensors as text, in PyTorch's form."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, inf, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "get_printoptions",
    "is_usual",
    "part_text",
    "set_printoptions",
    "small_table",
    "tensor_text",
]

_MOST_DIGITS = 100
_WITHOUT_ELEMENTS = ("meta", "simulated")
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": inf, "edgeitems": 3, "linewidth": 80},
}
_options: dict[str, Any] = {**_PROFILES["default"], "sci_mode": None}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print; what is left out stays, but for `sci_mode`.

    Args:
        precision: Digits behind the point of floats, at most 100, 4 at first.
        threshold: More elements than these are not all shown, 1000 at first;
            infinity for any number of them.
        edgeitems: How many are kept at each end of a dim then, 3 at first.
        linewidth: Columns a line, 80 at first.
        profile: What the others begin with: "default" as at first, "short" with fewer digits and
            ends, "full" for all elements; with what is, for any other name, as in PyTorch: programs
            say "long".
        sci_mode: Whether powers of ten are split off; None where numbers differ so much.

    Raises:
        TypeError, ValueError: One is no number, below 0 or out of range; none is set then.

    >>> gb.set_printoptions(precision=2)
    >>> gb.tensor([0.125])
    tensor([0.12])
    >>> gb.set_printoptions(precision=4)
    """
    op = "set_printoptions"
    start: dict[str, Any] = {}
    if profile is not None:
        start = _PROFILES.get(check.text(op, "profile", profile), {})
    mode = None if sci_mode is None else check.flag(op, "sci_mode", sci_mode)
    given = {"precision": precision, "edgeitems": edgeitems, "linewidth": linewidth}
    wanted: dict[str, Any] = {
        name: check.size("set_printoptions", name, value)
        for name, value in given.items()
        if value is not None
    }
    if wanted.get("precision", 0) > _MOST_DIGITS:
        told = shown(wanted["precision"])
        raise ValueError(f"set_printoptions: precision {told}; at most {_MOST_DIGITS} is possible")
    if threshold is not None:
        if not (isinstance(threshold, float) and threshold == inf):
            threshold = check.size("set_printoptions", "threshold", threshold)
        wanted["threshold"] = threshold
    _options.update({**start, **wanted, "sci_mode": mode})


def get_printoptions() -> dict[str, Any]:
    """Return how tensors print, by the names of `set_printoptions`.

    >>> gb.get_printoptions()["precision"]
    4
    """
    return dict(_options)


def tensor_text(tensor: Tensor) -> str:
    """Return what `repr(tensor)` shows: elements, and what is unusual about the tensor."""
    if tensor.is_disposed:
        return "tensor(<disposed>)"
    before = _engine._set_overriding(None)
    try:
        _engine._set_overriding(False)
        text = _told(tensor)
        return f"Parameter({text})" if getattr(tensor, "_is_param", False) is True else text
    finally:
        _engine._set_overriding(before)


def is_usual(dtype: DType) -> bool:
    """Whether elements say by themselves that they are of a dtype, so that texts leave it out."""
    default = _engine.get_default_dtype()
    return dtype in (default, default.to_complex(), _engine.int64, _engine.bool)


def part_text(tensor: Tensor) -> str:
    """Return the elements alone, for what is part of another tensor; sizes where there are none."""
    if tensor.numel() == 0:
        return f"tensor([], size={tensor.shape})"
    return f"tensor({_elements_text(tensor.detach().cpu(), len('tensor('))})"


def _told(tensor: Tensor) -> str:
    kind = type(tensor)
    is_plain = kind is Tensor or kind.__torch_function__ is _engine._disabled_torch_function_impl
    prefix = "tensor(" if is_plain else f"{kind.__name__}("
    suffixes = []
    has_elements = tensor.device.type not in _WITHOUT_ELEMENTS
    if tensor.device.type != "cpu":
        suffixes.append(f"device='{tensor.device}'")
    if not has_elements or (tensor.numel() == 0 and tensor.ndim != 1):
        suffixes.append(f"size={tensor.shape}")
    is_empty_of_another = tensor.numel() == 0 and tensor.dtype != _engine.get_default_dtype()
    if is_empty_of_another or not is_usual(tensor.dtype):
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    # What formatting makes is gone when the text is there, and nobody's scope has seen it.
    with no_grad(), _engine.DisposeScope("printing"):
        body = _elements_text(tensor.detach().cpu(), len(prefix)) if has_elements else "..."
    text = prefix + body
    for suffix in suffixes:
        last_line = len(text) - text.rfind("\n") - 1
        too_long = last_line + len(suffix) + 4 > _options["linewidth"]
        text += (",\n" + " " * len(prefix) if too_long else ", ") + suffix
    return text + ")"


def small_table(tensor: Tensor) -> list[list[str]]:
    """Return the elements as texts in rows and columns, `...` for what is left out of long dims.

    Of more than two dims, those of the first matrix; nothing where there are no elements to see.
    """
    if tensor.device.type in _WITHOUT_ELEMENTS or tensor.numel() == 0:
        return []
    with no_grad(), _engine.DisposeScope("printing"):
        seen = tensor.detach().cpu()
        while seen.ndim > 2:
            seen = seen[0]
        nest = _edges(seen)
        rows = nest if seen.ndim == 2 else [nest] if seen.ndim else [[nest]]
        form = _format_of(seen, [it for it in _flat(rows) if it is not Ellipsis])
    width = max(len(row) for row in rows if row is not Ellipsis)
    return [
        ["..."] * width
        if row is Ellipsis
        else ["..." if it is Ellipsis else form.text(it).strip() for it in row]
        for row in rows
    ]


def _elements_text(tensor: Tensor, indent: int) -> str:
    if tensor.numel() == 0:
        return "[]"
    summarize = tensor.numel() > _options["threshold"]
    nest = _edges(tensor) if summarize else tensor.tolist()
    numbers = list(_flat(nest))
    form = _format_of(tensor, [number for number in numbers if number is not Ellipsis])
    return _nest_text(nest, form, indent) if tensor.ndim else form.text(nest)


def _edges(tensor: Tensor) -> Any:
    """Nested lists of the first and last elements of each long dim, `...` between them."""
    edge = int(_options["edgeitems"])
    if tensor.ndim == 0:
        return tensor.item()
    count = tensor.shape[0]
    if count <= 2 * edge:
        return [_edges(tensor[i]) for i in range(count)]
    ends = [*range(edge), *range(count - edge, count)]
    items = [_edges(tensor[i]) for i in ends]
    return [*items[:edge], Ellipsis, *items[edge:]]


def _flat(nest: Any) -> Any:
    if isinstance(nest, list):
        for item in nest:
            yield from _flat(item)
    else:
        yield nest


class _Format(NamedTuple):
    """How each number of a tensor is written, and how wide that is at most."""

    text: Callable[[Any], str]
    width: int


def _format_of(tensor: Tensor, numbers: list[Any]) -> _Format:
    """Choose one form for all numbers, as PyTorch does.

    Zero, NaN and the infinities do not widen the column.
    """
    if tensor.is_complex():
        return _format_of_pairs(numbers)
    if not tensor.is_floating_point():
        width = max(len(str(number)) for number in numbers)
        return _Format(lambda number: f"{number!s:>{width}}", width)
    return _format_of_floats(numbers)


def _format_of_pairs(numbers: list[complex]) -> _Format:
    """Choose a form for the real parts and one for the imaginary ones."""
    real = _format_of_floats([number.real for number in numbers])
    imag = _format_of_floats([number.imag for number in numbers])

    def one(number: complex) -> str:
        behind = imag.text(number.imag).lstrip()
        sign = "" if behind.startswith("-") else "+"
        return f"{real.text(number.real)}{sign}{behind}j"

    return _Format(one, real.width + imag.width + 1)  # no place for a sign: PyTorch's lines


def _format_of_floats(numbers: list[float]) -> _Format:
    precision = int(_options["precision"])
    ordinary = [number for number in numbers if isfinite(number) and number != 0]
    largest, smallest = max(map(abs, ordinary), default=1.0), min(map(abs, ordinary), default=1.0)
    is_wide = largest / smallest > 1000.0 or largest > 1.0e8 or smallest < 1.0e-4
    if is_wide if _options["sci_mode"] is None else _options["sci_mode"]:
        spec, end = f".{precision}e", ""
    elif all(number == floor(number) for number in ordinary):
        spec, end = ".0f", "."
    else:
        spec, end = f".{precision}f", ""

    def one(number: float) -> str:
        return format(number, spec) + (end if isfinite(number) else "")

    width = max((len(one(number)) for number in ordinary), default=1)
    return _Format(lambda number: f"{one(number):>{width}}", width)


def _nest_text(nest: list[Any], form: _Format, indent: int) -> str:
    if not any(isinstance(item, list) for item in nest):
        return _row_text(nest, form, indent)
    deeper = ["..." if item is Ellipsis else _nest_text(item, form, indent + 1) for item in nest]
    depth = _depth(nest)
    return "[" + ("," + "\n" * (depth - 1) + " " * (indent + 1)).join(deeper) + "]"


def _depth(nest: Any) -> int:
    lists = [item for item in nest if isinstance(item, list)]
    return 1 + (_depth(lists[0]) if lists else 0)


def _row_text(row: list[Any], form: _Format, indent: int) -> str:
    items = [" ..." if item is Ellipsis else form.text(item) for item in row]
    per_line = max(1, (int(_options["linewidth"]) - indent) // (form.width + 2))
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
