"""How pages look, in light and in dark, and what they may do: nothing but be shown."""

from __future__ import annotations

from garboard.report._markup import escape

__all__ = ["document"]

# The browser itself refuses whatever the page would load or run.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --sheet: #fafafa; --ink: #1f2328;
  --faint: #656d76; --line: #d8dee4; --rest: #e4e7eb; --mark: #fff3c4; --good: #1a7f37;
  --leak: #c62828; --growing: #9a6700; --cycle: #9a6700; --pinned: #8250df; --retained: #0969da }
@media (prefers-color-scheme: dark) { :root { --page: #14171c; --sheet: #1b2027; --ink: #dfe5ec;
  --faint: #929ba6; --line: #333b45; --rest: #2c333c; --mark: #4a3f12; --good: #5fc77a;
  --leak: #ff7b72; --growing: #e3b341; --cycle: #e3b341; --pinned: #c297ff; --retained: #79c0ff } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; padding: 0 1em; max-width: 1080px;
  color: var(--ink); background: var(--page) }
h1 { font-size: 1.5em } h2 { font-size: 1.25em; margin-top: 2em } h3 { font-size: 1em }
svg { width: 100%; background: var(--sheet); border: 1px solid var(--line) }
svg text { font: 11px sans-serif; fill: var(--ink); pointer-events: none }
svg text.on { fill: #111 } svg text.on-dark { fill: #fff }
svg .rest { fill: var(--rest) }
svg rect:hover, svg polygon:hover { opacity: .7 }
table { border-collapse: collapse }
td, th { padding: .15em .8em .15em 0; text-align: left; vertical-align: top }
td.bytes, th.bytes { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
p.note { color: var(--faint) }
code, pre { font: 13px/1.5 ui-monospace, monospace }
"""


def document(title: str, parts: list[str], style: str = "") -> str:
    """Return a page of one file: no script, nothing to load."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width">',
            '<link rel="icon" href="data:,">',
            f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>",
            *parts,
            "</body>\n</html>\n",
        ]
    )
