"""The three pictures, as SVG without a script: names show where the pointer rests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from garboard._engine import human_bytes
from garboard.report._flame import Call, flame
from garboard.report._svg import PALETTE, WIDTH, area, rect, svg, text
from garboard.report._tally import OTHER, Sites, Timeline, live_blocks, short_path

__all__ = ["Colors", "flame_graph", "segment_map", "timeline_chart"]

_MOST_SITES = len(PALETTE)
_MOST_SEGMENTS = 150
_MOST_DEPTH = 48
_NARROWEST = 0.4


class Colors:
    """A colour for each of the largest sites; the others share one."""

    def __init__(self, peaks: dict[str, int]) -> None:
        ranked = sorted(peaks, key=lambda site: (-peaks[site], site))
        self.sites = [site for site in ranked if peaks[site] > 0][:_MOST_SITES]
        self._of = dict(zip(self.sites, PALETTE, strict=False))

    def __getitem__(self, site: str) -> str:
        return self._of.get(site, "#999999")


def timeline_chart(line: Timeline, colors: Colors) -> str:
    """Draw live bytes over events, a band for each site, the largest at the bottom."""
    height, top = 260, max(line.peak, 1) * 260 / 240  # room for the words above
    last = max(line.events[-1], 1)
    base = [0] * len(line.events)
    xs = [WIDTH * event / last for event in line.events]
    parts = []
    for site in [*colors.sites, OTHER]:
        if site == OTHER:
            named = set(colors.sites)
            series = [sum(n for s, n in at.items() if s not in named) for at in line.bytes]
        else:
            series = [at.get(site, 0) for at in line.bytes]
        if not any(series):
            continue
        above = [low + more for low, more in zip(base, series, strict=True)]
        upper = [f"{x:.1f},{height - height * y / top:.1f}" for x, y in zip(xs, above, strict=True)]
        lower = [f"{x:.1f},{height - height * y / top:.1f}" for x, y in zip(xs, base, strict=True)]
        said = f"{site}: at most {human_bytes(max(series))}"
        parts.append(area(upper, lower, colors[site], said))
        base = above
    parts.append(text(4, 14, f"{human_bytes(line.peak)} at the peak"))
    parts.append(text(WIDTH - 4, 14, f"{last} events", anchor="end"))
    return svg("timeline", height, parts)


def segment_map(segments: list[dict[str, Any]], colors: Colors, sites: Sites) -> str:
    """Draw a row for each segment, its blocks in the colours of their sites."""
    shown = sorted(segments, key=lambda s: (-s["total_size"], s["address"]))[:_MOST_SEGMENTS]
    shown.sort(key=lambda segment: segment["address"])
    largest = max((segment["total_size"] for segment in shown), default=1) or 1
    row, parts = 16, []
    for i, segment in enumerate(shown):
        width = WIDTH * segment["total_size"] / largest
        said = f"segment {segment['address']:#x}: {human_bytes(segment['total_size'])}"
        parts.append(rect(0, i * row, width, row - 3, ".rest", said))
        parts += _blocks(segment, i * row, width, row - 3, colors, sites)
    if len(shown) < len(segments):
        more = f"and {len(segments) - len(shown)} smaller segments"
        parts.append(text(4, len(shown) * row + 12, more))
    return svg("segments", len(shown) * row + (16 if len(shown) < len(segments) else 0), parts)


def _blocks(
    segment: dict[str, Any], y: float, width: float, height: float, colors: Colors, sites: Sites
) -> Iterator[str]:
    scale = width / max(segment["total_size"], 1)
    at, drawn_to = 0, 0.0
    for block in segment["blocks"]:
        left, right = at * scale, (at + block["size"]) * scale
        at += block["size"]
        if block["state"] == "inactive" or right < drawn_to + _NARROWEST:
            continue  # what is too narrow is seen with its neighbour
        site = sites.name(block.get("frames"))
        said = f"{human_bytes(block.get('requested_size', block['size']))} from {site}"
        if block["state"] != "active_allocated":
            said += ", freed, and waiting for a stream"
        left = max(left, drawn_to)
        drawn_to = max(right, left + _NARROWEST)
        yield rect(left, y, drawn_to - left, height, colors[site], said)


def flame_graph(segments: list[dict[str, Any]], colors: Colors, sites: Sites) -> str:
    """Draw live bytes by the calls that asked for them, the outermost call on top."""
    root = Call()
    for _, size, frames in live_blocks(segments):
        if size:
            calls = [
                f"{frame['name']} ({short_path(frame['filename'])}:{frame['line']})"
                for frame in reversed(frames[:_MOST_DEPTH])
            ]
            root.add(calls, size, colors[sites.name(frames)])
    return flame(root)
