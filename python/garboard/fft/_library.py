"""Who computes transforms: SciPy where it is installed, else NumPy; last bits differ.

Both have pocketfft. SciPy's handles several slices at once in a vector: of 64 x 64 complex numbers,
128 times, it takes a third of the time. What SciPy itself calls is called here: it writes into
arrays of ours, and a transform of few numbers takes a tenth of the time.

A scale is what a transform divides by: "one", "root" (of the number of elements) or "all" of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from garboard import _engine

if TYPE_CHECKING:
    import numpy as np

    _Array = np.ndarray[Any, Any]

__all__ = ["complex_into", "half_into", "whole_into"]

_CODES = {"one": 0, "root": 1, "all": 2}
#: NumPy's names of the scales: of transforms there, and of those back.
_THERE = {"one": "backward", "root": "ortho", "all": "forward"}
_BACK = {"one": "forward", "root": "ortho", "all": "backward"}

#: With so many elements threads share the slices.
_MANY = 1 << 15
#: So many are transformed at a time: Ctrl-C is heard in between.
_MOST = 1 << 22
_LANES = 64  # slices, of which some fill a vector: they stay together


def _of_scipy() -> Any:
    """SciPy's own transforms, under the name of this version. Raises ImportError."""
    try:
        return import_module("scipy.fft._duccfft.pyduccfft")  # from 1.18 on
    except ImportError:
        return import_module("scipy.fft._pocketfft.pypocketfft")


@cache
def _pocketfft() -> Any:
    """What SciPy's transforms call; None where it is not installed, or not as it is known."""
    import numpy as np

    try:
        library = _of_scipy()
        tried = np.empty(2, "complex128")
        library.r2c(np.array([1.0, 3.0]), (0,), True, 0, tried, 1)
        library.c2c(tried, (0,), False, 2, tried, 1)
        numbers = np.empty(2)
        library.c2r(tried, (0,), 2, False, 0, numbers, 1)
    except (ImportError, AttributeError, TypeError, ValueError, RuntimeError):
        return None
    return library if numbers.tolist() == [4.0, -2.0] else None


def complex_into(
    given: _Array, out: _Array, dims: tuple[int, ...], is_there: bool, scale: str
) -> None:
    """Write the transform of complex numbers along `dims`, there or back, into an array."""
    if (library := _pocketfft()) is not None:
        for part, made in _pieces(given, out, dims):
            library.c2c(part, dims, is_there, _CODES[scale], made, _threads(part))
        return
    name, norms = ("fftn", _THERE) if is_there else ("ifftn", _BACK)
    _by_numpy(name, given, out, dims, axes=dims, norm=norms[scale])


def half_into(given: _Array, out: _Array, dim: int, scale: str) -> None:
    """Write the first half of what real numbers become along a dim into an array."""
    if (library := _pocketfft()) is not None:
        for part, made in _pieces(given, out, (dim,)):
            library.r2c(part, (dim,), True, _CODES[scale], made, _threads(part))
        return
    _by_numpy("rfft", given, out, (dim,), axis=dim, norm=_THERE[scale])


def whole_into(given: _Array, out: _Array, dim: int, scale: str) -> None:
    """Write the real numbers that a first half comes from into an array, which has their number."""
    size = out.shape[dim]
    if (library := _pocketfft()) is not None:
        for part, made in _pieces(given, out, (dim,)):
            library.c2r(part, (dim,), size, False, _CODES[scale], made, _threads(part))
        return
    _by_numpy("irfft", given, out, (dim,), n=size, axis=dim, norm=_BACK[scale])


def _threads(given: _Array) -> int:
    return _engine.get_num_threads() if given.size >= _MANY else 1


def _longest_kept(given: _Array, dims: Sequence[int]) -> int:
    """The longest dim that is not transformed: slices along it are cut apart; -1 for none."""
    rest = (dim for dim in range(given.ndim) if dim not in dims)
    return max(rest, key=lambda dim: given.shape[dim], default=-1)


def _pieces(given: _Array, out: _Array, dims: Sequence[int]) -> Iterator[tuple[_Array, _Array]]:
    cut = _longest_kept(given, dims) if given.size > _MOST else -1
    if cut < 0:
        yield given, out
        return
    step = given.shape[cut] * _MOST // given.size // _LANES * _LANES or _LANES
    for first in range(0, given.shape[cut], step):
        part = (slice(None),) * cut + (slice(first, first + step),)
        yield given[part], out[part]


def _by_numpy(name: str, given: _Array, out: _Array, dims: Sequence[int], **how: Any) -> None:
    """Have NumPy write into `out`, slice by slice where there are many.

    Only slices along dims that are not transformed are cut apart, so the bits stay the same.
    """
    import numpy as np

    transform: Callable[..., Any] = getattr(np.fft, name)
    threads = _threads(given)
    cut = _longest_kept(given, dims)
    count = given.shape[cut] if cut >= 0 else 1
    number = min(max(threads, given.size // _MOST), count)
    bounds = [count * i // number for i in range(number + 1)] if number > 1 else []
    parts = [(slice(None),) * cut + (slice(first, last),) for first, last in pairwise(bounds)]
    if threads == 1 or not parts:
        for it in parts or [()]:
            transform(given[it], out=out[it], **how)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        for done in [pool.submit(transform, given[it], out=out[it], **how) for it in parts]:
            done.result()
    finally:
        pool.shutdown(cancel_futures=True)
