"""Discrete Fourier transforms in float32 and float64, with gradients.

Those that begin with r take real numbers and keep the first half of their frequencies, whose other
half mirrors it; those that begin with h take half of a signal that mirrors itself.
"""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.fft._frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from garboard.fft._many_dims import (
    fft2,
    fftn,
    hfft2,
    hfftn,
    ifft2,
    ifftn,
    ihfft2,
    ihfftn,
    irfft2,
    irfftn,
    rfft2,
    rfftn,
)
from garboard.fft._one_dim import fft, hfft, ifft, ihfft, irfft, rfft

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
