"""Logarithms and exponentials that are exact near 0, made of ops."""

from __future__ import annotations

from garboard._engine import Tensor, where

__all__ = ["expm1", "log1p", "softplus_of"]

# Beyond it the logarithm of 1 + e^x is x, in every dtype.
_FAR = 40.0


def log1p(x: Tensor) -> Tensor:
    """ln(1 + x) of numbers above -1: what rounding took from 1 + x is given back."""
    sum_ = 1 + x
    return sum_.log() + (x - (sum_ - 1)) / sum_


def expm1(x: Tensor) -> Tensor:
    """e^x - 1, of numbers whose e^x is finite."""
    return (x * 0.5).tanh() * (x.exp() + 1)


def softplus_of(x: Tensor) -> Tensor:
    """ln(1 + e^x), which never overflows; its slope at 0 is 1/2."""
    return where(x > _FAR, x, log1p(x.clamp(max=_FAR).exp()))
