"""Ops along dims of one tensor: reductions, scans, orders, parts."""

from __future__ import annotations

from typing import Any

from garboard._arguments.layouts import is_really
from garboard._engine import Tensor
from garboard.func._batching.calls import UNCHANGED, Call, rule, rules
from garboard.func._batching.elementwise import aligned, elementwise

__all__ = ["place_of"]

_NEEDED = object()
_ALL, _FLAT = "all", "flat"  # without a dim: each of them is named; they become one

#: Where the dim stands among the arguments, what it is by default, and which ops.
_TABLE: list[tuple[int, Any, str]] = [
    (
        1,
        _ALL,
        "sum nansum mean nanmean amax amin logsumexp count_nonzero std_mean var_mean std var",
    ),
    (1, _ALL, "special_logsumexp fft.fftshift fft.ifftshift"),
    (1, _FLAT, "prod argmax argmin all any median nanmedian max min"),
    (1, _NEEDED, "softmax log_softmax softmin cumsum cumprod cummax cummin logcumsumexp narrow"),
    (1, _NEEDED, "select unfold flip cumsum_ cumprod_ narrow_copy cumulative_trapezoid"),
    (1, -1, "sort argsort mode glu"),
    (1, 0, "unbind"),
    (2, -1, "topk kthvalue fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft"),
    (2, _ALL, "norm linalg.vector_norm"),
    (2, 0, "split chunk tensor_split split_with_sizes unsafe_split unsafe_chunk"),
    (2, 0, "unsafe_split_with_sizes"),
    (2, 1, "functional.normalize"),
    (2, _FLAT, "repeat_interleave"),
    (2, (-2, -1), "fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2 fft.hfft2 fft.ihfft2"),
    (2, (-2, -1), "linalg.matrix_norm"),
    (2, (0, 1), "rot90"),
]


def place_of(dim: Any, ndim: int) -> int:
    """A sample's dim behind the samples' own; IndexError where there is none."""
    dim = dim.__index__()
    if not -ndim <= dim < ndim:
        raise IndexError(dim)
    return int(dim % ndim + 1)


def _along(at: int, default: Any) -> Any:
    def ruled(call: Call, *args: Any, **kwargs: Any) -> Any:
        x, *rest = args
        if not call.is_batched(x) or any(is_really(it, Tensor) for it in rest[:1]):
            return NotImplemented
        if is_really(kwargs.get("repeats"), Tensor) or (not x.ndim and call.name == "unfold"):
            return NotImplemented
        value, ndim = x._value, x.ndim
        if not ndim:
            value, ndim = value.unsqueeze(1), 1
        key = next((it for it in ("dim", "dims", "axis") if it in kwargs), None)
        is_placed = key is None and len(args) > at
        if is_placed and isinstance(args[at], bool):
            return NotImplemented  # var's older argument
        dim = kwargs[key] if key else args[at] if is_placed else default
        if is_placed and call.name == "flip" and len(args) > 2:
            dim, args = args[1:], args[:2]
        moved: Any
        if dim == () and call.name in ("amax", "amin"):
            dim = None
        if dim is _NEEDED or dim == ():
            return NotImplemented
        if dim is None or dim is _ALL or dim is _FLAT:
            if default is _FLAT:
                if kwargs.get("keepdim") or (is_placed and len(args) > at + 1):
                    return NotImplemented
                value, moved = value.flatten(1), 1
            else:
                moved = tuple(range(1, ndim + 1))
        elif isinstance(dim, (list, tuple)):
            moved = tuple(place_of(it, ndim) for it in dim)
        else:
            moved = place_of(dim, ndim)
        parts = [value, *args[1:]]
        if is_placed:
            parts[at] = moved
        else:
            kwargs = {**kwargs, key or ("dims" if call.name == "rot90" else "dim"): moved}
        function = call.function
        made = function(*parts, **kwargs)
        if call.writes:
            return UNCHANGED
        if dim is _FLAT and call.name in ("max", "min", "median", "nanmedian"):
            made = made[0]
        return made if x.ndim else _of_no_dims(made)

    return ruled


def _of_no_dims(made: Any) -> Any:
    if is_really(made, Tensor):
        return made.squeeze(1) if made.ndim == 2 and made.shape[1] == 1 else made
    return type(made)([_of_no_dims(it) for it in made])


for _at, _default, _names in _TABLE:
    for _name in _names.split():
        rules[_name] = _along(_at, _default)


def _of_two_or_along(name: str) -> Any:
    along = rules[name]

    def ruled(call: Call, *args: Any, **kwargs: Any) -> Any:
        if "other" in kwargs or (len(args) == 2 and is_really(args[1], Tensor)):
            return elementwise(call, *args, **kwargs)
        return along(call, *args, **kwargs)

    return ruled


for _name in ("max", "min"):
    rules[_name] = _of_two_or_along(_name)


@rule("quantile nanquantile")
def quantile(
    call: Call, x: Tensor, q: Any, dim: Any = None, keepdim: bool = False, **named: Any
) -> Any:
    if call.is_batched(q) or not call.is_batched(x) or (dim is None and keepdim) or not x.ndim:
        return NotImplemented
    value = call.value(x)
    value, place = (value.flatten(1), 1) if dim is None else (value, place_of(dim, x.ndim))
    made = call.function(value, q, place, keepdim, **named)
    return made.movedim(1, 0) if is_really(q, Tensor) and q.ndim else made


@rule("diff")
def diff(
    call: Call, x: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    beside = [None if it is None else call.full(it) for it in (prepend, append)]
    return call.function(call.full(x), n, place_of(dim, x.ndim), *beside)


@rule("msort")
def msort(call: Call, x: Tensor) -> Any:
    return call.value(x).sort(1)[0] if x.ndim else call.value(x)


@rule("dist")
def dist(call: Call, x: Tensor, other: Tensor, p: Any = 2) -> Any:
    first, second = aligned(call, [x, other])
    apart = first - second
    return apart.flatten(1).norm(p, 1) if apart.ndim > 1 else apart.abs()
