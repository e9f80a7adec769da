"""The pieces that pictures are made of: SVG without a script; names show where the pointer rests.

Colours that must differ by theme are the page's (`_style.py`); these stand on either.
"""

from __future__ import annotations

from garboard.report._markup import escape

__all__ = ["PALETTE", "WIDTH", "area", "clipped", "rect", "svg", "text", "title"]

WIDTH = 1000
PALETTE = (  # of Okabe and Ito, which colour-blind readers can tell apart, and lighter ones
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"),
    *("#8c6bb1", "#b8a400", "#7fa6c9", "#a65628"),
)
_LETTER = 6.5  # units wide, at 11 units high


def title(said: str) -> str:
    """Return what shows where the pointer rests."""
    return f"<title>{escape(said)}</title>"


def rect(x: float, y: float, width: float, height: float, fill: str, said: str) -> str:
    """Return a box; `fill` is a colour, or a class of the page's after a dot."""
    place = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
    paint = f'class="{fill[1:]}"' if fill.startswith(".") else f'fill="{fill}"'
    return f"<rect {place} {paint}>{title(said)}</rect>"


def area(upper: list[str], lower: list[str], fill: str, said: str) -> str:
    """Return the band between two lines of points, both from left to right."""
    paint = f'class="{fill[1:]}"' if fill.startswith(".") else f'fill="{fill}"'
    points = " ".join([*upper, *reversed(lower)])
    return f'<polygon points="{points}" {paint}>{title(said)}</polygon>'


def text(x: float, y: float, said: str, *, anchor: str = "", on: str = "") -> str:
    """Return a line of text; `on` is the colour below it, where that is not the page's."""
    more = f' text-anchor="{anchor}"' if anchor else ""
    if on.startswith("#"):
        more += f' class="{"on-dark" if _is_dark(on) else "on"}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{more}>{escape(said)}</text>'


def _is_dark(color: str) -> bool:
    """Tell whether white is easier to read on a colour than black."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 125


def clipped(said: str, width: float) -> str:
    """Return as much of a text as fits; nothing where that says nothing."""
    fits = int(width / _LETTER) - 1
    if fits < 5:
        return ""
    return said if len(said) <= fits else said[: fits - 1] + "…"


def svg(kind: str, height: float, parts: list[str], label: str = "") -> str:
    """Return the picture; `label` is for those who hear the page."""
    box = f'viewBox="0 0 {WIDTH} {max(height, 1):g}"'
    named = f' aria-label="{escape(label)}"' if label else ""
    return f'<svg class="{kind}" {box} role="img"{named}>\n' + "\n".join(parts) + "\n</svg>"
