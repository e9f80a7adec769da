"""Fourier transforms of short pieces of signals, and the way back."""

from __future__ import annotations

import warnings
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard._native import add_methods
from garboard.fft._one_dim import fft, ifft, irfft, rfft

__all__ = ["istft", "stft"]

_PADDINGS = ("constant", "reflect", "replicate", "circular")
_LEAST_ENVELOPE = 1e-11


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """Transform pieces of signals, `hop_length` apart, each times a window.

    Args:
        input: Signals [samples] or [n, samples], real or complex.
        n_fft: How many samples a piece has.
        hop_length: How far apart pieces begin; a quarter of `n_fft` by default.
        win_length: How many samples the window has, in the middle of a piece; `n_fft` by default.
        window: Tensor [win_length]; ones by default.
        center: Whether the middle of piece t is sample t * hop_length: then the signal is padded by
            half a piece at both ends. Otherwise its begin is.
        pad_mode: How: "reflect", "constant" (zeros), "replicate" or "circular".
        normalized: Whether to divide by the root of `n_fft`.
        onesided: Whether to give the first half of the frequencies alone, which is all there is of
            a real signal: by default of real signals with real windows.
        return_complex: True: complex numbers. False: their parts along a last dim of two.

    Returns:
        A new complex tensor [n, frequencies, pieces], without n where there was none: n_fft // 2 +
        1 frequencies, or `n_fft`. Gradients pass to `input` and `window`.

    Raises:
        ShapeError: `input` has other dims, a length is below 1 or longer than what it is cut from,
            or the window has other sizes.
        ValueError: `return_complex` is left out, which is not possible for real signals; or
            `onesided` of complex ones, whose halves differ.
        DTypeError: The input is of integers or of 16 bits.
        DisposedError: A tensor is disposed.

    >>> gb.stft(gb.ones(16), 8, window=gb.hann_window(8), return_complex=True).shape
    (5, 9)
    """
    op = "stft"
    if count_of_blocks():
        input, window = as_listed("stft", input, window)
    x = _floats(op, "input", input)
    if x.ndim not in (1, 2):
        raise ShapeError(f"{op}: sizes {[*x.shape]}; [samples] or [n, samples] is needed")
    size, hop, width = _lengths(op, n_fft, hop_length, win_length)
    is_complex = x.is_complex() or (isinstance(window, Tensor) and window.is_complex())
    if return_complex is None:
        if not is_complex:
            raise ArgumentError(f"{op}: return_complex is left out; True or False is needed")
        return_complex = True
    is_half = not is_complex if onesided is None else check.flag(op, "onesided", onesided)
    if is_half and is_complex:
        raise ArgumentError(f"{op}: onesided of complex numbers; their halves differ, give False")
    if check.flag(op, "center", center):
        check.choice(op, "pad_mode", pad_mode, *_PADDINGS)
    norm = "ortho" if check.flag(op, "normalized", normalized) else None
    with _engine.DisposeScope(op) as scope:
        shape = _window(op, window, size, width, x)
        rows = x if x.ndim == 2 else x.unsqueeze(0)
        if center:
            rows = _padded(rows, size // 2, pad_mode)
        if rows.shape[1] < size:
            raise ShapeError(
                f"{op}: {rows.shape[1]} samples for pieces of {size}; as many are needed"
            )
        pieces = rows.unfold(1, size, hop)
        pieces = pieces * shape if shape is not None else pieces
        made = (rfft if is_half else fft)(pieces, norm=norm).transpose(1, 2)
        made = made if x.ndim == 2 else made.squeeze(0)
        return scope.move_to_outer(made if return_complex else _engine.view_as_real(made))


def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """Put signals together of the transforms of their pieces: undo `stft`.

    Where pieces overlap, they are added up, each times its window, and divided by the sum of the
    squares of the windows (Griffin and Lim 1984).

    Args:
        input: Complex tensor [frequencies, pieces] or [n, frequencies, pieces].
        n_fft: As given to `stft`, as what follows.
        hop_length: How far apart pieces begin; a quarter of `n_fft` by default.
        win_length: How many samples the window has; `n_fft` by default.
        window: Tensor [win_length]; ones by default.
        center: Whether half a piece is cut off at both ends.
        normalized: Whether `stft` divided by the root of `n_fft`.
        onesided: Whether the first half of the frequencies is given; by default where there are
            fewer than `n_fft`.
        length: How many samples are wanted: the rest is cut off, or zeros are added.
        return_complex: Whether the signals are complex.

    Returns:
        A new tensor [samples] or [n, samples]. Gradients pass to `input` and `window`.

    Raises:
        ShapeError: The sizes fit neither `n_fft` nor one another, or the windows leave a sample
            out: the sum of their squares is 0 there.
        ValueError: Complex signals are asked for of half of the frequencies.
        DTypeError: `input` is not complex.
        DisposedError: A tensor is disposed.

    >>> x = gb.arange(16.0)
    >>> window = gb.hann_window(8)
    >>> pieces = gb.stft(x, 8, window=window, return_complex=True)
    >>> gb.allclose(gb.istft(pieces, 8, window=window), x, atol=1e-5)
    True
    """
    op = "istft"
    x = _floats(op, "input", input)
    if not x.is_complex():
        raise DTypeError(f"{op}: dtype {x.dtype}; a complex one is needed, as of view_as_complex()")
    if x.ndim not in (2, 3) or x.numel() == 0:
        raise ShapeError(
            f"{op}: sizes {[*x.shape]}; [frequencies, pieces] or [n, frequencies, pieces] is needed"
        )
    size, hop, width = _lengths(op, n_fft, hop_length, win_length)
    frequencies = x.shape[-2]
    is_half = frequencies != size if onesided is None else check.flag(op, "onesided", onesided)
    if check.flag(op, "return_complex", return_complex) and is_half:
        raise ArgumentError(f"{op}: complex signals of half of the frequencies; all are needed")
    if frequencies != (size // 2 + 1 if is_half else size):
        raise ShapeError(
            f"{op}: {frequencies} frequencies of pieces of {size}; {size // 2 + 1} are needed, or "
            f"{size} with onesided=False"
        )
    norm = "ortho" if check.flag(op, "normalized", normalized) else None
    start = size // 2 if check.flag(op, "center", center) else 0
    whole = size + hop * (x.shape[-1] - 1)
    wanted = None if length is None else check.size(op, "length", length)
    end = whole - start if wanted is None else start + wanted
    if end <= start:
        raise ShapeError(f"{op}: {end - start} samples; at least 1 is needed")
    with _engine.DisposeScope(op) as scope:
        shape = _window(op, window, size, width, x.real)
        rows = (x if x.ndim == 3 else x.unsqueeze(0)).transpose(1, 2)
        if return_complex:
            pieces = ifft(rows, norm=norm)
        else:
            pieces = irfft(rows.narrow(2, 0, size // 2 + 1), size, norm=norm)
        if shape is None:
            shape = _engine.ones(size, dtype=pieces.real.dtype, device=x.device)
        pieces = pieces * shape
        squares = (shape * shape).expand(1, pieces.shape[1], size)
        signal, envelope = (
            _added_up(it, hop, whole)[:, start : min(end, whole)] for it in (pieces, squares)
        )
        if envelope.detach().abs().amin().item() <= _LEAST_ENVELOPE:
            raise ShapeError(
                f"{op}: windows that leave samples out; the sum of their squares must not be 0, "
                "give a shorter hop_length, another window, or a length"
            )
        made = signal / envelope
        if end > whole:
            warnings.warn(
                f"istft: a length of {wanted}, but {whole - start} samples; zeros are added",
                stacklevel=2,
            )
            made = _padded_behind(made, end - whole)
        return scope.move_to_outer(made if x.ndim == 3 else made.squeeze(0))


def _floats(op: str, name: str, given: Tensor) -> Tensor:
    x = check.tensor(op, name, given)
    if not (x.is_floating_point() or x.is_complex()) or x.dtype.itemsize < 4:
        raise DTypeError(f"{op}: {name} of dtype {x.dtype}; float32, float64 or complex is needed")
    return x


def _lengths(op: str, n_fft: int, hop: int | None, width: int | None) -> tuple[int, int, int]:
    size = check.integer(op, "n_fft", n_fft)
    if size < 1:
        raise ShapeError(f"{op}: n_fft {shown(size)}; at least 1 is needed")
    step = size // 4 if hop is None else check.integer(op, "hop_length", hop)
    if step < 1:
        raise ShapeError(f"{op}: hop_length {shown(step)}; at least 1 is needed")
    inside = size if width is None else check.integer(op, "win_length", width)
    if not 1 <= inside <= size:
        raise ShapeError(f"{op}: win_length {shown(inside)}; 1 to n_fft, {size}, is needed")
    return size, step, inside


def _window(op: str, window: Tensor | None, size: int, width: int, beside: Tensor) -> Tensor | None:
    """The window in the middle of a piece; None where there is nothing to multiply by."""
    if window is None:
        if width == size:
            return None
        found = _engine.ones(width, dtype=beside.real.dtype, device=beside.device)
    else:
        found = check.tensor(op, "window", window)
        if found.shape != (width,):
            raise ShapeError(
                f"{op}: a window of sizes {[*found.shape]}; [{shown(width)}] is needed"
            )
    before = (size - width) // 2
    zeros = [
        _engine.zeros(count, dtype=found.dtype, device=found.device)
        for count in (before, size - width - before)
    ]
    return found if width == size else _engine.cat([zeros[0], found, zeros[1]])


def _padded(rows: Tensor, count: int, mode: str) -> Tensor:
    from garboard.nn.functional import pad

    if rows.is_complex():
        parts = _engine.view_as_real(rows).movedim(2, 0)
        return _engine.complex(*(_padded(part, count, mode) for part in parts))
    named: Any = mode
    return pad(rows.unsqueeze(0), [count, count], named).squeeze(0)


def _padded_behind(rows: Tensor, count: int) -> Tensor:
    zeros = _engine.zeros(rows.shape[0], count, dtype=rows.dtype, device=rows.device)
    return _engine.cat([rows, zeros], 1)


def _added_up(pieces: Tensor, hop: int, whole: int) -> Tensor:
    """Pieces [n, count, size] as signals [n, whole], where they overlap their sum."""
    n, count, size = pieces.shape
    places = _engine.arange(count, device=pieces.device).unsqueeze(1) * hop
    places = (places + _engine.arange(size, device=pieces.device)).flatten()
    signal = _engine.zeros(n, whole, dtype=pieces.dtype, device=pieces.device)
    return signal.index_add(1, places, pieces.reshape(n, count * size))


add_methods(Tensor, {"istft": istft, "stft": stft})

all_overridable(globals())
