"""The page around the pictures: one HTML file, no script, nothing to load."""

from __future__ import annotations

from typing import Any

from garboard._engine import human_bytes
from garboard.report._drawings import Colors, flame_graph, segment_map, timeline_chart
from garboard.report._markup import escape
from garboard.report._style import document
from garboard.report._tally import OTHER, Sites, device_name, live_blocks, timeline

__all__ = ["page"]


def page(snapshot: dict[str, Any], title: str) -> str:
    """Return the page of a snapshot that has been checked."""
    numbers = sorted(
        {segment["device"] for segment in snapshot["segments"]}
        | {number for number, trace in enumerate(snapshot["device_traces"]) if trace}
    )
    parts = [part for number in numbers for part in _device(snapshot, number)]
    if not parts:
        parts = ["<p>No device has any memory.</p>"]
    return document(title, [f"<h1>{escape(title)}</h1>", *parts])


def _device(snapshot: dict[str, Any], number: int) -> list[str]:
    segments = [segment for segment in snapshot["segments"] if segment["device"] == number]
    trace = snapshot["device_traces"][number]
    sites = Sites(snapshot)
    line = timeline(segments, trace, sites)
    peaks: dict[str, int] = {}
    for at in line.bytes:
        for site, size in at.items():
            peaks[site] = max(peaks.get(site, 0), size)
    colors = Colors(peaks)
    live = live_blocks(segments)
    reserved = sum(segment["total_size"] for segment in segments)
    facts = (
        f"{human_bytes(sum(size for _, size, _ in live))} live in {len(live)} blocks, "
        f"{human_bytes(reserved)} in {len(segments)} segments, {len(trace)} recorded events."
    )
    name = escape(device_name(snapshot, number))
    note = (
        ""
        if trace
        else '<p class="note">Nothing was recorded: '
        "<code>garboard.memory.record_history()</code> starts it.</p>"
    )
    return [
        f'<section id="device{number}">\n<h2>{name}</h2>\n<p>{facts}</p>',
        f"<h3>Live bytes over time, by site</h3>\n{note}{timeline_chart(line, colors)}",
        _legend(peaks, live, colors, sites),
        f"<h3>Segments and blocks</h3>\n{segment_map(segments, colors, sites)}",
        f"<h3>Live bytes by call</h3>\n{flame_graph(segments, colors, sites)}\n</section>",
    ]


def _legend(peaks: dict[str, int], live: Any, colors: Colors, sites: Sites) -> str:
    now: dict[str, int] = {}
    for _, size, frames in live:
        site = sites.name(frames)
        now[site] = now.get(site, 0) + size
    rows = [(site, peaks[site], now.get(site, 0)) for site in colors.sites]
    others = [site for site in peaks if site not in set(colors.sites) and peaks[site]]
    if others:
        rows.append(
            (
                f"{OTHER} ({len(others)})",
                sum(peaks[site] for site in others),
                sum(now.get(site, 0) for site in others),
            )
        )
    lines = [
        f'<tr><td><svg style="width:.9em;height:.9em;border:0" viewBox="0 0 1 1"><rect width="1" '
        f'height="1" fill="{colors[site]}"/></svg> {escape(site)}</td>'
        f'<td class="bytes">{human_bytes(most)}</td><td class="bytes">{human_bytes(left)}</td></tr>'
        for site, most, left in rows
    ]
    head = "<tr><th>site</th><th>at most</th><th>live now</th></tr>"
    return f"<table>\n{head}\n" + "\n".join(lines) + "\n</table>"
