"""When growth is a leak: steps, streaks, exemptions, verdicts."""

from __future__ import annotations

__all__: list[str] = []
