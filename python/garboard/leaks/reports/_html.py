"""A report as one page: what was found, with its fix first; then the pictures of what lived."""

from __future__ import annotations

import linecache
from collections import Counter
from textwrap import dedent
from typing import TYPE_CHECKING

from garboard._engine import human_bytes
from garboard._shown.site import Site
from garboard.leaks.findings._leak import GRAVITY, Leak
from garboard.leaks.reports._pictures import births_chart, call_chart, colors_of, timeline_chart
from garboard.leaks.reports._seen import Seen, Stack, difference
from garboard.report._markup import escape
from garboard.report._style import document

if TYPE_CHECKING:
    from garboard.leaks.reports._report import LeakReport

__all__ = ["excerpt", "html_text"]

_STYLE = """
header { border-bottom: 1px solid var(--line); margin-bottom: 1.2em }
header h1 { margin-bottom: .2em } header p { margin: .3em 0 .8em }
.verdict { display: inline-block; border: 1.5px solid; border-radius: 1em; padding: 0 .7em;
  font-size: .85em; font-weight: 600; letter-spacing: .03em }
.LEAK { color: var(--leak) } .GROWING { color: var(--growing) } .CYCLE { color: var(--cycle) }
.PINNED { color: var(--pinned) } .RETAINED { color: var(--retained) } .ok { color: var(--good) }
article { border: 1px solid var(--line); border-left-width: 4px; border-radius: 6px;
  padding: .3em 1.1em 1em; margin: 1.2em 0 }
article.LEAK { border-left-color: var(--leak) }
article.GROWING, article.CYCLE { border-left-color: var(--growing) }
article.PINNED { border-left-color: var(--pinned) }
article.RETAINED { border-left-color: var(--retained) }
article > * { color: var(--ink) }
article h3 { margin: .6em 0 .3em; font-size: 1.1em }
article h4 { margin: 1.1em 0 .3em; font-size: .85em; color: var(--faint); font-weight: 600 }
.print { color: var(--faint); font: 12px ui-monospace, monospace; margin-left: .6em }
pre.fix { background: var(--sheet); border: 1px solid var(--line);
  border-left: 4px solid var(--good); padding: .5em .8em; white-space: pre-wrap; margin: .5em 0 }
p.when { color: var(--growing); font-weight: 600; margin: .3em 0 }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1.6em }
@media (max-width: 720px) { .two { grid-template-columns: 1fr } }
table.code { width: 100%; background: var(--sheet); border: 1px solid var(--line);
  table-layout: fixed }
table.code td { font: 12.5px/1.55 ui-monospace, monospace; padding: 0 .6em; white-space: pre;
  overflow: hidden; text-overflow: ellipsis }
table.code td:first-child { width: 3.2em; color: var(--faint); text-align: right;
  border-right: 1px solid var(--line) }
table.code tr.hit { background: var(--mark) }
ol.chain { list-style: none; padding: 0; margin: 0 }
ol.chain > li { position: relative; padding: .1em 0 .35em 1.5em }
ol.chain > li::before { content: ""; position: absolute; left: .35em; top: .55em; width: .55em;
  height: .55em; border-radius: 50%; background: var(--faint) }
ol.chain > li:last-child::before { background: var(--leak) }
ol.chain > li:not(:last-child)::after { content: ""; position: absolute; left: .6em; top: 1.1em;
  bottom: -.5em; border-left: 1.5px solid var(--line) }
ol.chain summary { cursor: pointer } ol.chain table { margin: .3em 0 }
ol.chain summary code { color: var(--faint); margin-left: .6em }
svg.births .bar { fill: var(--leak) }
pre.diff { overflow-x: auto } pre.diff .added { color: var(--good) }
pre.diff .gone { color: var(--leak) } pre.diff .place { color: var(--faint) }
td.more { color: var(--leak) } td.less { color: var(--good) }
td.path { font: 12.5px ui-monospace, monospace; overflow-wrap: anywhere }
"""
_AROUND = 2  # lines of source before and behind
_MOST_CHANGES = 40


def html_text(report: LeakReport, with_source: bool = True) -> str:
    """Return the page."""
    seen = report.seen
    colors = colors_of(report.leaks)
    parts = [_header(report)]
    if seen.timeline:
        chart = timeline_chart(seen.timeline, report.leaks, colors)
        parts.append(f'<section id="timeline">\n<h2>Live bytes by step</h2>\n{chart}\n</section>')
    if report.leaks:
        parts.append('<section id="findings">\n<h2>Findings</h2>')
        parts += [_finding(leak, with_source) for leak in report.leaks]
        parts.append("</section>")
    parts += _flame(seen)
    parts += _growth(seen)
    parts += _scopes(seen)
    if report.notes:
        notes = "\n".join(f"<li>{escape(note)}</li>" for note in report.notes)
        parts.append(f'<section id="notes">\n<h2>Notes</h2>\n<ul>\n{notes}\n</ul>\n</section>')
    return document(f"garboard: {report.headline}", parts, _STYLE)


def _header(report: LeakReport) -> str:
    counts = Counter(leak.verdict for leak in report.leaks)
    chips = [
        f'<span class="verdict {verdict}">{counts[verdict]} {verdict}</span>'
        for verdict in GRAVITY
        if counts[verdict]
    ]
    if not chips:
        name = "" if report.checked.is_too_early else " ok"
        chips = [f'<span class="verdict{name}">{escape(report.headline)}</span>']
    checked = report.checked
    facts = [f"{checked.steps} steps"] if checked.steps else []
    facts += [f"{checked.born} tensors born", f"{checked.alive} of them alive"]
    if checked.grown_bytes > 0:
        facts.append(f"+{human_bytes(checked.grown_bytes)} since the warm-up")
    soon = next((leak.forecast for leak in report.leaks if leak.forecast), "")
    when = f'<p class="when">{escape(soon)}</p>' if soon else ""
    return (
        f"<header>\n<h1>garboard · leak report</h1>\n<p>{' '.join(chips)}</p>\n"
        f"<p>{escape(' · '.join(facts))}</p>\n{when}</header>"
    )


def _finding(leak: Leak, with_source: bool) -> str:
    verdict = leak.verdict
    lines = [
        f'<article class="{verdict}" id="{escape(leak.fingerprint)}">',
        f'<h3><span class="verdict {verdict}">{verdict}</span> {escape(leak.kind)}'
        f'<span class="print">{escape(leak.fingerprint)}</span></h3>',
        f"<p>{escape(leak.figures)}"
        + (f", {human_bytes(leak.bytes)} in all" if leak.bytes else "")
        + f". Held by {escape(leak.holder)}.</p>",
    ]
    if leak.forecast:
        lines.append(f'<p class="when">{escape(leak.forecast)}</p>')
    lines.append(f'<h4>what to write</h4>\n<pre class="fix">{escape(leak.fix)}</pre>')
    if leak.diff and with_source:
        lines.append(f"<details><summary>as a patch</summary>{_diff(leak.diff)}</details>")
    born = f"<h4>born at {escape(str(leak.site))}</h4>\n{_source(leak.site, with_source)}"
    held = ""
    if leak.moved_site is not None:
        place = escape(leak.moved_site.place)
        held = f"<h4>moved at {place}</h4>\n{_source(leak.moved_site, with_source)}"
    if leak.holder_site is not None and leak.holder_site[:2] != leak.site[:2]:
        place = escape(leak.holder_site.place)
        held += f"<h4>stored at {place}</h4>\n{_source(leak.holder_site, with_source)}"
    births = ""
    if len(leak.births.counts) > 1:
        births = f"<h4>survivors by the step of their birth</h4>\n{births_chart(leak)}"
    lines.append(f'<div class="two"><div>{born}{held}</div><div>{births}</div></div>')
    lines.append(f"<h4>who holds it, from the root</h4>\n{_chain(leak, with_source)}\n</article>")
    return "\n".join(lines)


def _diff(text: str) -> str:
    rows = [
        f'<span class="{_DIFF_CLASSES.get(line[:1], "")}">{escape(line)}</span>'
        for line in text.split("\n")
    ]
    return f'<pre class="diff">{chr(10).join(rows)}</pre>'


_DIFF_CLASSES = {"+": "added", "-": "gone", "@": "place"}


def _chain(leak: Leak, with_source: bool) -> str:
    places = [*leak.places, *[None] * (len(leak.chain) - len(leak.places))]
    if len(places) > 1 and places[-2] is None:
        places[-2] = leak.holder_site  # what holds it, at the line that fills it
    hops = []
    for hop, place in zip(leak.chain, places, strict=False):
        code = _source(place, with_source) if place else ""
        if code:
            line = escape(place.source) if place else ""
            said = f"{escape(hop)} <code>{line}</code>"
            hops.append(f"<li><details><summary>{said}</summary>{code}</details></li>")
        else:
            hops.append(f"<li>{escape(hop)}</li>")
    return '<ol class="chain">\n' + "\n".join(hops) + "\n</ol>"


def excerpt(site: Site, around: int = _AROUND) -> list[tuple[int, str]]:
    """Return the lines around a place, with their numbers; none where no file can be read."""
    linecache.checkcache(site.file)
    lines = linecache.getlines(site.file) if site.file else []
    first, last = max(site.line - around, 1), min(site.line + around, len(lines))
    found = [(number, lines[number - 1].rstrip("\n")) for number in range(first, last + 1)]
    return found if first <= site.line <= last else []


def _source(site: Site, with_source: bool) -> str:
    found = excerpt(site) if with_source else []
    text = dedent("\n".join(line.expandtabs(4) for _, line in found)).split("\n")
    rows = [
        f"<tr{' class=hit' if number == site.line else ''}><td>{number}</td>"
        f"<td>{escape(line)}</td></tr>"
        for (number, _), line in zip(found, text, strict=False)
    ]
    return f'<table class="code">{"".join(rows)}</table>' if rows else ""


def _flame(seen: Seen) -> list[str]:
    rows = seen.calls or seen.after
    if not any(row.bytes for row in rows):
        return []
    what = "calls" if seen.calls else "file, function and line"
    note = (
        ""
        if seen.calls
        else '<p class="note"><code>garboard.memory.record_history("stack")</code> before the loop '
        "draws the calls, too.</p>"
    )
    return [
        f'<section id="flame">\n<h2>Live bytes by {what}</h2>\n{note}',
        call_chart(rows, is_by_call=bool(seen.calls)),
        "</section>",
    ]


def _growth(seen: Seen) -> list[str]:
    if not seen.before and not seen.timeline:
        return []
    changes = difference(seen.before, seen.after)
    if not changes:
        return []
    rows = [_change(*pair) for pair in changes[:_MOST_CHANGES]]
    more = len(changes) - len(rows)
    note = f'<p class="note">and {more} smaller changes</p>' if more > 0 else ""
    return [
        '<section id="growth">\n<h2>What has changed since the warm-up</h2>\n<table>',
        '<tr><th>born at</th><th class="bytes">tensors then</th><th class="bytes">now</th>'
        '<th class="bytes">bytes then</th><th class="bytes">now</th>'
        '<th class="bytes">change</th></tr>',
        *rows,
        f"</table>{note}\n</section>",
    ]


def _change(before: Stack, after: Stack) -> str:
    grown = after.bytes - before.bytes
    sign = "+" if grown > 0 else "-" if grown < 0 else ""
    cells = [
        f'<td class="path">{escape(str(after.frames[-1]))}</td>',
        *(
            f'<td class="bytes">{text}</td>'
            for text in (
                before.count,
                after.count,
                human_bytes(before.bytes),
                human_bytes(after.bytes),
            )
        ),
        f'<td class="bytes {"more" if grown > 0 else "less"}">{sign}{human_bytes(abs(grown))}</td>',
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _scopes(seen: Seen) -> list[str]:
    if not seen.scopes:
        return []
    rows = [
        f'<tr><td class="path">{escape(it.key or "no scope")}</td><td class="bytes">{it.count}</td>'
        f'<td class="bytes">{human_bytes(it.bytes)}</td></tr>'
        for it in seen.scopes
    ]
    head = '<tr><th>scope</th><th class="bytes">tensors</th><th class="bytes">bytes</th></tr>'
    return [
        '<section id="scopes">\n<h2>Which scope will end what lives</h2>\n<table>',
        head,
        *rows,
        "</table>\n</section>",
    ]
