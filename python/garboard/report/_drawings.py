"""The three pictures, as SVG without a script: names show where the pointer rests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from garboard._engine import human_bytes
from garboard.report._markup import escape
from garboard.report._tally import OTHER, Sites, Timeline, live_blocks, short_path

__all__ = ["Colors", "flame_graph", "segment_map", "timeline_chart"]

_WIDTH = 1000
_PALETTE = (  # of Okabe and Ito, which colour-blind readers can tell apart, and lighter ones
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"),
    *("#8c6bb1", "#b8a400", "#7fa6c9", "#a65628"),
)
_MOST_SITES = len(_PALETTE)
_MOST_SEGMENTS = 150
_MOST_DEPTH = 48
_NARROWEST = 0.4


class Colors:
    """A colour for each of the largest sites; the others share one."""

    def __init__(self, peaks: dict[str, int]) -> None:
        ranked = sorted(peaks, key=lambda site: (-peaks[site], site))
        self.sites = [site for site in ranked if peaks[site] > 0][:_MOST_SITES]
        self._of = dict(zip(self.sites, _PALETTE, strict=False))

    def __getitem__(self, site: str) -> str:
        return self._of.get(site, "#999999")


def timeline_chart(line: Timeline, colors: Colors) -> str:
    """Draw live bytes over events, a band for each site, the largest at the bottom."""
    height, top = 260, max(line.peak, 1) * 260 / 240  # room for the words above
    last = max(line.events[-1], 1)
    base = [0] * len(line.events)
    xs = [_WIDTH * event / last for event in line.events]
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
        points = " ".join([*upper, *reversed(lower)])
        parts.append(f'<polygon points="{points}" fill="{colors[site]}">{_title(said)}</polygon>')
        base = above
    label = f"{human_bytes(line.peak)} at the peak"
    parts.append(f'<text x="4" y="14">{escape(label)}</text>')
    parts.append(f'<text x="{_WIDTH - 4}" y="14" text-anchor="end">{last} events</text>')
    return _svg("timeline", height, parts)


def segment_map(segments: list[dict[str, Any]], colors: Colors, sites: Sites) -> str:
    """Draw a row for each segment, its blocks in the colours of their sites."""
    shown = sorted(segments, key=lambda s: (-s["total_size"], s["address"]))[:_MOST_SEGMENTS]
    shown.sort(key=lambda segment: segment["address"])
    largest = max((segment["total_size"] for segment in shown), default=1) or 1
    row, parts = 16, []
    for i, segment in enumerate(shown):
        width = _WIDTH * segment["total_size"] / largest
        said = f"segment {segment['address']:#x}: {human_bytes(segment['total_size'])}"
        parts.append(_rect(0, i * row, width, row - 3, "#e8e8e8", said))
        parts += _blocks(segment, i * row, width, row - 3, colors, sites)
    if len(shown) < len(segments):
        parts.append(
            f'<text x="4" y="{len(shown) * row + 12}">'
            f"and {len(segments) - len(shown)} smaller segments</text>"
        )
    return _svg("segments", len(shown) * row + (16 if len(shown) < len(segments) else 0), parts)


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
        yield _rect(left, y, drawn_to - left, height, colors[site], said)


def flame_graph(segments: list[dict[str, Any]], colors: Colors, sites: Sites) -> str:
    """Draw live bytes by the calls that asked for them, the outermost call on top."""
    root: dict[str, Any] = {"bytes": 0, "color": "#dddddd", "calls": {}}
    for _, size, frames in live_blocks(segments):
        if not size:
            continue
        root["bytes"] += size
        node, color = root, colors[sites.name(frames)]
        for frame in reversed(frames[:_MOST_DEPTH]):
            name = f"{frame['name']} ({short_path(frame['filename'])}:{frame['line']})"
            node = node["calls"].setdefault(name, {"bytes": 0, "color": color, "calls": {}})
            node["bytes"] += size
    row, parts, depth = 18, [], 0
    waiting = [("all live bytes", root, 0.0, 0)]
    scale = _WIDTH / max(root["bytes"], 1)
    while waiting:
        name, node, x, level = waiting.pop()
        width = node["bytes"] * scale
        if width < _NARROWEST:
            continue
        depth = max(depth, level)
        said = f"{name}: {human_bytes(node['bytes'])}"
        parts.append(_rect(x, level * row, width, row - 1, node["color"], said))
        if fits := int(width / 6.5) - 1:
            shown = said if len(said) <= fits else said[: max(fits - 1, 0)] + "…"
            if fits > 4:
                text = f'<text x="{x + 3:.1f}" y="{level * row + 13}">{escape(shown)}</text>'
                parts.append(text)
        for call, inner in sorted(node["calls"].items()):
            waiting.append((call, inner, x, level + 1))
            x += inner["bytes"] * scale
    return _svg("flame", (depth + 1) * row, parts)


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _rect(x: float, y: float, width: float, height: float, fill: str, said: str) -> str:
    place = f'x="{x:.2f}" y="{y}" width="{width:.2f}" height="{height}"'
    return f'<rect {place} fill="{fill}">{_title(said)}</rect>'


def _svg(kind: str, height: float, parts: list[str]) -> str:
    box = f'viewBox="0 0 {_WIDTH} {max(height, 1)}"'
    return f'<svg class="{kind}" {box} role="img">\n' + "\n".join(parts) + "\n</svg>"
