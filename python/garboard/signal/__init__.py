"""Signals: windows to multiply them by."""

from garboard.signal import windows

__all__ = ["windows"]
