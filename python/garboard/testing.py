"""Comparisons for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor
from garboard._names.missing import module_getattr

__all__ = ["assert_close"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

_DEEPEST = 64
# Relative and absolute, by the dtype's name, as PyTorch has them; 0 where numbers are whole.
_TOLERANCES = {
    "complex128": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
}


def assert_close(
    actual: object,
    expected: object,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere.

    Args:
        actual: A tensor, an array, a number, or a list, tuple or dict of them.
        expected: The same form.
        allow_subclasses: Ignored: subclasses are compared as tensors.
        rtol: How far apart elements may be, as a share of the expected; by the dtype by default.
        atol: How far apart they may be besides; both are given, or neither.
        equal_nan: Take NaN for equal to NaN.
        check_device: Compare the devices, too.
        check_dtype: Compare the dtypes, too.
        check_layout: Ignored: all are dense.
        check_stride: Compare the strides, too.
        msg: What to say instead; or a function of what would be said.

    Raises:
        AssertionError: They differ; the message says how many elements, by how much at most, and
            where.
        ValueError: One tolerance without the other.
        TypeError: Something that cannot be compared, or a `msg` that is neither.

    >>> gb.testing.assert_close(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 2.0 + 1e-6]))
    """
    if (rtol is None) != (atol is None):
        raise ValueError("assert_close: rtol without atol, or atol without rtol; give both")
    if msg is not None and not isinstance(msg, str) and not callable(msg):
        raise TypeError(
            f"assert_close: msg is of type {type(msg).__name__}; a string or a function is needed"
        )
    options = {
        "tolerance": None if rtol is None else (rtol, atol),
        "equal_nan": equal_nan,
        "check_device": check_device,
        "check_dtype": check_dtype,
        "check_stride": check_stride,
    }
    told = _difference(actual, expected, "", 0, options)
    if told is not None:
        raise AssertionError(msg(told) if callable(msg) else told if msg is None else msg)


def _difference(
    actual: Any, expected: Any, path: str, depth: int, options: dict[str, Any]
) -> str | None:
    """Say where two nests differ, and how."""
    if depth > _DEEPEST:
        raise TypeError(f"assert_close: a nest more than {_DEEPEST} deep; one that ends is needed")
    where = f" at {path}" if path else ""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if set(actual) != set(expected):
            return f"the keys differ{where}: {len(actual)} and {len(expected)} of them"
        found = (
            _difference(actual[key], expected[key], f"{path}[{shown(key)}]", depth + 1, options)
            for key in expected
        )
        return next((it for it in found if it is not None), None)
    if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        if len(actual) != len(expected):
            return f"the lengths differ{where}: {len(actual)} and {len(expected)}"
        found = (
            _difference(a, b, f"{path}[{place}]", depth + 1, options)
            for place, (a, b) in enumerate(zip(actual, expected, strict=True))
        )
        return next((it for it in found if it is not None), None)
    if actual is None and expected is None:
        return None
    numbers = (int, float, complex)
    is_number = isinstance(actual, numbers) and isinstance(expected, numbers)
    a, b = _tensor(actual, where), _tensor(expected, where)
    return _tensors_differ(a, b, where, {**options, "check_dtype": False} if is_number else options)


def _tensor(given: Any, where: str) -> Tensor:
    if isinstance(given, Tensor):
        return given
    if isinstance(given, (bool, int)):
        return _engine.tensor(given)
    if isinstance(given, (float, complex)):
        wide = _engine.float64 if isinstance(given, float) else _engine.complex128
        return _engine.tensor(given, dtype=wide)
    if hasattr(given, "__array_interface__"):
        return _engine.tensor(given)
    raise TypeError(
        f"assert_close: {shown(given)}{where}; tensors, arrays, numbers, and lists, tuples and "
        "dicts of them are needed"
    )


def _tensors_differ(a: Tensor, b: Tensor, where: str, options: dict[str, Any]) -> str | None:
    for name, is_checked, one, other in (
        ("sizes", True, list(a.shape), list(b.shape)),
        ("devices", options["check_device"], str(a.device), str(b.device)),
        ("dtypes", options["check_dtype"], str(a.dtype), str(b.dtype)),
        ("strides", options["check_stride"], a.stride(), b.stride()),
    ):
        if is_checked and one != other:
            return f"the {name} differ{where}: {one} and {other}"
    with no_grad(), _engine.DisposeScope("assert_close"):
        return _elements_differ(a.detach().cpu(), b.detach().cpu(), where, options)


def _elements_differ(a: Tensor, b: Tensor, where: str, options: dict[str, Any]) -> str | None:
    names = [str(x.dtype).rpartition(".")[2] for x in (a, b)]
    pairs = [_TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    rtol, atol = options["tolerance"] or tuple(map(max, zip(*pairs, strict=True)))
    any_complex = a.dtype.is_complex or b.dtype.is_complex
    wide = _engine.complex128 if any_complex else _engine.float64
    a, b = a.to(wide), b.to(wide)
    far = (a - b).abs()
    near = (far <= b.abs() * rtol + atol) | (a == b)
    if options["equal_nan"]:
        near |= _engine.isnan(a) & _engine.isnan(b)
    wrong = int((~near).sum().item())
    if not wrong:
        return None
    if a.ndim == 0:
        return (
            f"numbers differ{where}: {shown(a.item())} and {shown(b.item())}; they may be "
            f"{atol} + {rtol} of the expected apart"
        )
    ranked = _engine.where(near, -1.0, _engine.where(_engine.isnan(far), float("inf"), far))
    place = int(ranked.flatten().argmax().item())
    indices = []
    for size in reversed(a.shape):
        place, rest = divmod(place, size)
        indices.append(rest)
    return (
        f"{wrong} of {a.numel()} elements differ{where}, by up to {shown(ranked.amax().item())} at "
        f"{tuple(reversed(indices))}; they may be {atol} + {rtol} of the expected apart"
    )
