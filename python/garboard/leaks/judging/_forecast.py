"""How long memory will last at the rate at which it is lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.findings._leak import Leak

__all__ = ["with_forecasts"]

_GROWING = ("LEAK", "GROWING")


def with_forecasts(leaks: Iterable[Leak], evidence: Evidence) -> list[Leak]:
    """Return the findings; those that grow know when their device will be full, by all of them."""
    found = list(leaks)
    rates: dict[str, float] = {}
    for leak in found:
        if leak.verdict in _GROWING and leak.device and leak.rate.bytes > 0:
            rates[leak.device] = rates.get(leak.device, 0.0) + leak.rate.bytes
    left = {device: _steps_left(device, rate, evidence) for device, rate in rates.items()}
    return [
        replace(leak, steps_left=left[leak.device])
        if leak.verdict in _GROWING and leak.rate.bytes > 0 and leak.device in left
        else leak
        for leak in found
    ]


def _steps_left(device: str, rate: float, evidence: Evidence) -> int | None:
    live = evidence.live_bytes().get(device)
    limit = evidence.memory_limit(device) if live is not None else None
    if live is None or limit is None:
        return None
    return int(min(max(limit - live, 0) / rate, 2.0**62))
