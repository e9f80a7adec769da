"""Comparisons for tests, and tensors for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, isnan
from typing import TYPE_CHECKING, Any
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor
from garboard._names.missing import module_getattr
from garboard._ops.dtypes import finfo, iinfo

if TYPE_CHECKING:
    from garboard._arguments import layouts
    from garboard.types import Device, DType, Size

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

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
        actual: A tensor, a sparse one, an array, a number, None, or a list, tuple or dict of them.
        expected: The same form.
        allow_subclasses: Compare a subclass with its base, too; without it, one class alone.
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
        TypeError: Something that cannot be compared, as a tensor with an array or a number.

    >>> gb.testing.assert_close(gb.tensor([1.0, 2.0]), gb.tensor([1.0, 2.0 + 1e-6]))
    """
    if (rtol is None) != (atol is None):
        raise ValueError("assert_close: rtol without atol, or atol without rtol; give both")
    options = {
        "tolerance": None if rtol is None else (rtol, atol),
        "equal_nan": equal_nan,
        "allow_subclasses": check.flag("assert_close", "allow_subclasses", allow_subclasses),
        "check_device": check_device,
        "check_dtype": check_dtype,
        "check_stride": check_stride,
    }
    told = _difference(actual, expected, "", 0, options)
    if told is not None:
        raise AssertionError(msg(told) if callable(msg) else told if msg is None else msg)


# What `assert_allclose` allows where nothing is said, relative and absolute.
_OLDER = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


def assert_allclose(
    actual: object,
    expected: object,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Raise AssertionError unless two tensors are close, and warn: `assert_close` as it once was.

    Dtypes may differ, NaN equals NaN, and more is allowed where nothing is said.

    Args:
        actual: A tensor, or what `gb.tensor` takes.
        expected: Likewise; its numbers are taken in the dtype of `actual`.
        rtol: As for `assert_close`; 1e-4 by default in float32.
        atol: Likewise; 1e-5.
        equal_nan: Take NaN for equal to NaN.
        msg: What to say instead.

    Raises:
        AssertionError: They differ.
        ValueError: One tolerance without the other.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     gb.testing.assert_allclose(gb.tensor([1.0]), [1.0 + 5e-5])
    """
    text = "assert_allclose: the older form; assert_close(actual, expected) is stricter"
    warn(text, FutureWarning, stacklevel=2)
    given: tuple[Any, Any] = (actual, expected)
    a = given[0] if isinstance(actual, Tensor) else _engine.tensor(given[0])
    b = given[1] if isinstance(expected, Tensor) else _engine.tensor(given[1], dtype=a.dtype)
    if rtol is None and atol is None:
        names = [str(x.dtype).rpartition(".")[2] for x in (a, b)]
        pairs = [_OLDER.get(name, _TOLERANCES.get(name, (0.0, 0.0))) for name in names]
        rtol, atol = (max(pair) for pair in zip(*pairs, strict=True))
    assert_close(
        a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )


def _difference(
    actual: Any, expected: Any, path: str, depth: int, options: dict[str, Any]
) -> str | None:
    """Say where two nests differ, and how, in words that PyTorch's programs look for."""
    if depth > _DEEPEST:
        raise TypeError(f"assert_close: a nest more than {_DEEPEST} deep; one that ends is needed")
    where = f" at {path}" if path else ""
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if set(actual) != set(expected):
            return (
                f"The keys of the mappings do not match{where}: {len(actual)} and {len(expected)} "
                "of them"
            )
        found = (
            _difference(actual[key], expected[key], f"{path}[{shown(key)}]", depth + 1, options)
            for key in expected
        )
        return next((it for it in found if it is not None), None)
    if isinstance(expected, (list, tuple)) and isinstance(actual, (list, tuple)):
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch{where}: {len(actual)} != {len(expected)}"
        found = (
            _difference(a, b, f"{path}[{place}]", depth + 1, options)
            for place, (a, b) in enumerate(zip(actual, expected, strict=True))
        )
        return next((it for it in found if it is not None), None)
    if actual is None or expected is None:
        is_same = actual is expected
        return None if is_same else f"None mismatch{where}: one is None, and the other is not."
    if getattr(actual, "is_sparse", False) and getattr(expected, "is_sparse", False):
        actual, expected = actual.to_dense(), expected.to_dense()
    if isinstance(actual, Tensor) or isinstance(expected, Tensor):
        _refuse_strangers(actual, expected, where, options["allow_subclasses"])
    numbers = (int, float, complex)
    is_number = isinstance(actual, numbers) and isinstance(expected, numbers)
    a, b = _tensor(actual, where), _tensor(expected, where)
    return _tensors_differ(a, b, where, {**options, "check_dtype": False} if is_number else options)


def _refuse_strangers(actual: Any, expected: Any, where: str, allow_subclasses: bool) -> None:
    """Raise TypeError for a tensor, and what is of a class that is not compared with its own."""
    one, other = type(actual), type(expected)
    are_related = isinstance(actual, other) or isinstance(expected, one)
    if not are_related or (one is not other and not allow_subclasses):
        needed = "two tensors are" if allow_subclasses else "tensors of one class are"
        given = f"{one.__name__} and {other.__name__}{where}"
        raise TypeError(f"assert_close: {given}; {needed} needed")


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
        ("shape", True, list(a.shape), list(b.shape)),
        ("device", options["check_device"], str(a.device), str(b.device)),
        ("dtype", options["check_dtype"], str(a.dtype), str(b.dtype)),
        ("stride", options["check_stride"], a.stride(), b.stride()),
    ):
        if is_checked and one != other:
            return f"The values for attribute '{name}' do not match{where}: {one} != {other}."
    with no_grad(), _engine.DisposeScope("assert_close"):
        return _elements_differ(a.detach().cpu(), b.detach().cpu(), where, options)


def _elements_differ(a: Tensor, b: Tensor, where: str, options: dict[str, Any]) -> str | None:
    names = [str(x.dtype).rpartition(".")[2] for x in (a, b)]
    pairs = [_TOLERANCES.get(name, (0.0, 0.0)) for name in names]
    rtol, atol = options["tolerance"] or tuple(map(max, zip(*pairs, strict=True)))
    any_complex = a.dtype.is_complex or b.dtype.is_complex
    wide = _engine.complex128 if any_complex else _engine.float64
    same = a == b
    a, b = a.to(wide), b.to(wide)
    far = (a - b).abs()
    is_exact = rtol == atol == 0  # integers beyond 2^53 would meet in float64
    near = same if is_exact else (far <= b.abs() * rtol + atol) | same
    if options["equal_nan"]:
        near |= _engine.isnan(a) & _engine.isnan(b)
    wrong = int((~near).sum().item())
    if not wrong:
        return None
    if a.ndim == 0:
        return (
            f"Scalars are not close!\n\nNumbers differ{where}: {shown(a.item())} and "
            f"{shown(b.item())}; they may be {atol} + {rtol} of the expected apart"
        )
    ranked = _engine.where(near, -1.0, _engine.where(_engine.isnan(far), float("inf"), far))
    place = int(ranked.flatten().argmax().item())
    indices = []
    for size in reversed(a.shape):
        place, rest = divmod(place, size)
        indices.append(rest)
    return (
        f"Tensor-likes are not close!\n\n{wrong} of {a.numel()} elements differ{where}, by up to "
        f"{shown(ranked.amax().item())} at "
        f"{tuple(reversed(indices))}; they may be {atol} + {rtol} of the expected apart"
    )


def make_tensor(
    *shape: Size | int,
    dtype: DType,
    device: Device | None = None,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: layouts.memory_format | None = None,
) -> Tensor:
    """Draw a tensor of any dtype from the uniform distribution on [low, high).

    Args:
        shape: The sizes: integers, or a list or tuple of them.
        dtype: Of what numbers; of complex ones both parts are drawn.
        device: Where they lie.
        low: The least number; -9, or the least of the dtype, by default.
        high: The upper bound; 9, or 10 of whole numbers and 2 of bools, by default. Both are cut to
            what the dtype can hold.
        requires_grad: Ask for a gradient.
        noncontiguous: Let the elements lie apart, where there are two or more.
        exclude_zero: Put 1, or the smallest normal number of the dtype, where there is a 0.
        memory_format: Changes nothing here; not with `noncontiguous`.

    Returns:
        A new tensor.

    Raises:
        ValueError: `low` is not below `high`, one is NaN, or the dtype holds nothing between them;
            `requires_grad` of a dtype without gradients; `noncontiguous` with `memory_format`.
        ShapeError: A size is negative.
        TypeError: An argument of another type.

    >>> x = gb.testing.make_tensor(3, 4, dtype=gb.int8, low=0, noncontiguous=True)
    >>> x.shape, x.is_contiguous(), bool((x >= 0).all())
    ((3, 4), False, True)
    """
    op = "make_tensor"
    given = shape[0] if len(shape) == 1 else shape
    sizes = check.sizes(op, "shape", given)
    kind = _engine.empty(0, dtype=dtype).dtype
    is_whole = not (kind.is_floating_point or kind.is_complex)
    if check.flag(op, "requires_grad", requires_grad) and is_whole:
        raise ValueError(f"{op}: requires_grad of {kind}; a floating or complex dtype is needed")
    is_apart = check.flag(op, "noncontiguous", noncontiguous)
    is_bare = check.flag(op, "exclude_zero", exclude_zero)
    if memory_format is not None:
        check.memory_format(op, memory_format)
        if is_apart:
            raise ValueError(f"{op}: noncontiguous with memory_format; one of them is needed")
    bounds = _bounds(op, kind, is_whole, low, high)
    with no_grad(), _engine.DisposeScope(op) as scope:
        drawn = _drawn(sizes, kind, device, bounds)
        if is_apart and drawn.numel() > 1:
            twice = _engine.empty((*sizes[:-1], 2 * sizes[-1]), dtype=kind, device=drawn.device)
            drawn = twice.zero_()[..., 1::2].copy_(drawn)
        elif memory_format is not None:
            drawn = drawn.clone(memory_format=memory_format)
        if is_bare:
            drawn.masked_fill_(drawn == 0, 1 if is_whole else finfo(kind).tiny)
        scope.move_to_outer(drawn)
    return drawn.requires_grad_() if requires_grad else drawn


def _bounds(
    op: str, kind: _engine.dtype, is_whole: bool, low: float | None, high: float | None
) -> tuple[float, float]:
    least: float
    most: float
    if kind is _engine.bool:
        least, most, default = 0, 2, (0, 2)
    elif is_whole:
        # `randint` has no upper bound beyond int64.
        least, most = iinfo(kind).min, min(iinfo(kind).max + 1, iinfo(_engine.int64).max)
        default = (-9, 10)
    else:
        least, most, default = finfo(kind).min, finfo(kind).max, (-9, 9)
    first = default[0] if low is None else check.real(op, "low", low)
    last = default[1] if high is None else check.real(op, "high", high)
    if isnan(first) or isnan(last) or first >= last or first >= most or last <= least:
        raise ValueError(
            f"{op}: low {shown(first)} and high {shown(last)}; numbers of the dtype between "
            "them are needed"
        )
    first, last = max(first, least), min(last, most)
    return (ceil(first), ceil(last)) if is_whole else (first, last)


def _drawn(
    sizes: tuple[int, ...],
    kind: _engine.dtype,
    device: Device | None,
    bounds: tuple[float, float],
) -> Tensor:
    if not (kind.is_floating_point or kind.is_complex):
        return _engine.randint(int(bounds[0]), int(bounds[1]), sizes, dtype=kind, device=device)
    drawn = _engine.empty(sizes, dtype=kind, device=device)
    parts = _engine.view_as_real(drawn) if kind.is_complex else drawn
    # Half as wide, for the width of all floats is no float.
    parts.uniform_(bounds[0] / 2, bounds[1] / 2).mul_(2)
    return drawn
