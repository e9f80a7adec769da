"""The pictures of a leak report: memory over the steps, births of what survives, live bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from garboard._engine import human_bytes
from garboard.leaks.findings._leak import Births, Leak
from garboard.leaks.reports._seen import Moment, Stack
from garboard.report._flame import Call, flame
from garboard.report._svg import PALETTE, WIDTH, area, rect, svg, text

__all__ = ["births_chart", "call_chart", "colors_of", "timeline_chart"]

_HEIGHT = 240
_HEAD = 22  # for the words above
_GREY = "#999999"


def colors_of(leaks: Sequence[Leak]) -> dict[str, str]:
    """Return a colour for each finding that has bytes and births to draw."""
    drawn = [leak for leak in leaks if leak.bytes and leak.births.counts]
    return dict(zip((leak.fingerprint for leak in drawn), PALETTE, strict=False))


def timeline_chart(
    moments: Sequence[Moment], leaks: Sequence[Leak], colors: Mapping[str, str]
) -> str:
    """Draw live bytes over the steps; what findings keep is a band each, from the bottom up.

    A band is what lives now, by the steps of its births: what is lost for good, and when.
    """
    last = max(moments[-1].step, 1)
    peak = max(it.bytes for it in moments)
    top = max(peak, 1) * _HEIGHT / (_HEIGHT - _HEAD)
    xs = [WIDTH * it.step / last for it in moments]

    def points(values: Sequence[float]) -> list[str]:
        return [
            f"{x:.1f},{_HEIGHT - _HEIGHT * y / top:.1f}" for x, y in zip(xs, values, strict=True)
        ]

    base = [0.0] * len(moments)
    bands = []
    for leak in leaks:
        if leak.fingerprint not in colors:
            continue
        kept = [leak.bytes * _share(leak.births, it.step) for it in moments]
        above = [low + more for low, more in zip(base, kept, strict=True)]
        said = f"{leak.kind} {leak.fingerprint}: {human_bytes(leak.bytes)} kept by step {last}"
        bands.append(area(points(above), points(base), colors[leak.fingerprint], said))
        base = above
    whole = [float(max(it.bytes, low)) for it, low in zip(moments, base, strict=True)]
    rest = area(points(whole), points(base), ".rest", "all else that lives")
    parts = [rest, *bands, text(4, 15, f"{human_bytes(peak)} at the peak")]
    parts.append(text(WIDTH - 4, 15, f"step {last}", anchor="end"))
    named = [leak for leak in leaks if leak.fingerprint in colors]
    for i, leak in enumerate(named[:6]):
        y = 34 + 16 * i
        parts.append(rect(6, y - 9, 10, 10, colors[leak.fingerprint], leak.fingerprint))
        parts.append(text(21, y, f"{leak.kind} [{leak.fingerprint}], {human_bytes(leak.bytes)}"))
    return svg("timeline", _HEIGHT, parts, "live bytes over the steps")


def _share(births: Births, step: int) -> float:
    """Tell which part of the survivors had been born after a step."""
    total, found = sum(births.counts) or 1, 0.0
    for i, count in enumerate(births.counts):
        begun = births.first + i * births.width
        found += count * min(max((step + 1 - begun) / births.width, 0.0), 1.0)
    return found / total


def births_chart(leak: Leak) -> str:
    """Draw how many of each step's births live on: a leak is a comb, a warm-up cache a block."""
    births = leak.births
    count, most = len(births.counts), max(births.counts)
    height, width = 300, WIDTH / count
    scale = (height - 2 * _HEAD) / most
    parts = []
    for i, value in enumerate(births.counts):
        first = births.first + i * births.width
        last = first + births.width - 1
        said = f"step {first}" if first == last else f"steps {first} to {last}"
        if value:
            y = height - _HEAD - value * scale
            gap = min(2.0, width / 5)
            box = (i * width, y, width - gap, value * scale)
            parts.append(rect(*box, ".bar", f"{said}: {value} alive"))
    end = births.first + count * births.width - 1
    each = "step" if births.width == 1 else f"{births.width} steps"
    parts.append(_large(4, 17, f"at most {most} in {'a step' if births.width == 1 else each}"))
    parts.append(_large(4, height - 5, f"step {births.first}"))
    parts.append(_large(WIDTH - 4, height - 5, f"step {end}", anchor="end"))
    return svg("births", height, parts, "survivors by birth step")


def _large(x: float, y: float, said: str, anchor: str = "") -> str:
    """Return text for a picture that stands in half a page."""
    return text(x, y, said, anchor=anchor).replace("<text ", '<text style="font-size:20px" ', 1)


def call_chart(rows: Sequence[Stack], *, is_by_call: bool) -> str:
    """Draw live bytes by the calls that made them, or by file, function and line."""
    root = Call()
    places = dict.fromkeys(row.frames[-1][:2] for row in rows if row.bytes)
    colors = dict(zip(places, PALETTE, strict=False))
    for row in rows:
        site = row.frames[-1]
        if is_by_call:
            names = [str(it) for it in row.frames]
        else:
            file, _, line = site.place.rpartition(":")
            names = [file or site.place, site.called or "?", f"line {line}"]
        root.add(names, row.bytes, colors.get(site[:2], _GREY))
    return flame(root)
