"""HTML for notebooks: plain elements that stand without a script, a style sheet or a request.

A sanitised notebook loses styles, an exported one its program. What is said here survives both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from garboard.report._markup import escape

__all__ = [
    "Bundle",
    "Table",
    "bundle",
    "code",
    "escape",
    "folded",
    "grey",
    "matrix",
    "paragraph",
    "preformatted",
    "strong",
]

Bundle = dict[str, str]


def bundle(plain: str, html: str) -> Bundle:
    """Return what a front end chooses from: text for terminals, HTML for notebooks."""
    return {"text/plain": plain, "text/html": html}


def grey(text: str) -> str:
    """Return a line that steps back, on white and on black."""
    return f'<span style="color:#888">{escape(text)}</span>'


def code(text: str) -> str:
    """Return a name or a piece of a program."""
    return f"<code>{escape(text)}</code>"


def paragraph(html: str) -> str:
    """Return a paragraph that is no taller than its text."""
    return f'<div style="margin:.3em 0">{html}</div>'


def strong(text: str) -> str:
    """Return a word that steps forward."""
    return f"<strong>{escape(text)}</strong>"


def preformatted(text: str) -> str:
    """Return lines as they are."""
    lines = "".join(map(_line, text.splitlines()))
    return f'<pre style="margin:.3em 0;font-family:monospace">{lines}</pre>'


def _line(text: str) -> str:
    return f"{escape(text)}\n"


def matrix(rows: Sequence[Sequence[str]]) -> str:
    """Return numbers in rows and columns."""
    body = "".join(f"<tr>{''.join(map(_number, row))}</tr>" for row in rows)
    return f"<table><tbody>{body}</tbody></table>"


def _number(text: str) -> str:
    return f'<td style="text-align:right">{escape(text)}</td>'


def folded(summary: str, body: str, *, is_open: bool = False) -> str:
    """Return HTML that opens at a click, without a script."""
    start = "<details open>" if is_open else "<details>"
    return f"{start}<summary>{summary}</summary>{body}</details>"


@dataclass
class Table:
    """Rows of text under a head, as HTML and as columns of characters.

    Attributes:
        head: The names of the columns.
        numbers: Which of them stand to the right.
        rows: A text for each column.
    """

    head: Sequence[str]
    numbers: Sequence[str] = ()
    rows: list[Sequence[str]] = field(default_factory=list)

    @property
    def html(self) -> str:
        head = "".join(self._cell("th", name, name) for name in self.head)
        body = "".join(f"<tr>{''.join(map(self._data, self.head, row))}</tr>" for row in self.rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    @property
    def text(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.head, *self.rows, strict=True)]
        return "\n".join(self._line(row, widths) for row in (self.head, *self.rows))

    def _data(self, name: str, text: str) -> str:
        return self._cell("td", name, text)

    def _cell(self, tag: str, name: str, text: str) -> str:
        side = "right" if name in self.numbers else "left"
        return f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'

    def _line(self, row: Sequence[str], widths: Iterable[int]) -> str:
        cells = (
            text.rjust(width) if name in self.numbers else text.ljust(width)
            for name, text, width in zip(self.head, row, widths, strict=True)
        )
        return "  ".join(cells).rstrip()
