"""`gb.memory.plot()`: the memory of now, and how it came to it, as a page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from garboard import _engine
from garboard.memory._snapshot import snapshot

if TYPE_CHECKING:
    from garboard.report import Report

__all__ = ["plot"]


def plot(
    filename: str | os.PathLike[str] | None = None,
    device: str | _engine.device | None = None,
) -> Report:
    """Draw live bytes over time by site, the map of segments, and the flame graph of live bytes.

    What was recorded is what is seen over time: see `record_history`. The rest is always
    there.

    Args:
        filename: Where to write the page; nowhere by default.
        device: All open devices by default.

    Returns:
        A Report: a notebook shows it by itself; its `html` is the page, which loads nothing.

    Raises:
        OSError: The file cannot be written.
        DeviceError: There is no such device.

    >>> gb.memory.plot().html.startswith("<!doctype html>")
    True
    """
    from garboard.report import Report

    report = Report(snapshot(device))
    if filename is not None:
        report.save(filename)
    return report
