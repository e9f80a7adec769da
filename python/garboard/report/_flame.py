"""Flame graphs: bytes by the calls that asked for them, the outermost call on top."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from garboard._engine import human_bytes
from garboard.report._svg import WIDTH, clipped, rect, svg, text

__all__ = ["Call", "flame"]

_ROW = 18
_NARROWEST = 0.4


@dataclass
class Call:
    """One call in one place, with the bytes of all calls inside."""

    color: str = ".rest"
    bytes: int = 0
    calls: dict[str, Call] = field(default_factory=dict)

    def add(self, names: Iterable[str], size: int, color: str) -> None:
        """Book bytes under a row of calls, the outermost first."""
        node = self
        node.bytes += size
        for name in names:
            node = node.calls.setdefault(name, Call(color))
            node.bytes += size


def flame(root: Call, name: str = "all live bytes") -> str:
    """Draw what has been booked."""
    parts, depth = [], 0
    waiting = [(name, root, 0.0, 0)]
    scale = WIDTH / max(root.bytes, 1)
    while waiting:
        name, node, x, level = waiting.pop()
        width = node.bytes * scale
        if width < _NARROWEST:
            continue
        depth = max(depth, level)
        said = f"{name}: {human_bytes(node.bytes)}"
        parts.append(rect(x, level * _ROW, width, _ROW - 1, node.color, said))
        if shown := clipped(said, width):
            parts.append(text(x + 3, level * _ROW + 13, shown, on=node.color))
        for call, inner in sorted(node.calls.items()):
            waiting.append((call, inner, x, level + 1))
            x += inner.bytes * scale
    return svg("flame", (depth + 1) * _ROW, parts, "live bytes by call")
