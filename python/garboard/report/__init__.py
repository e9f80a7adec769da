"""Pictures of a memory snapshot, in one file that needs nothing else.

The memory over time by site, the map of segments and blocks, the flame graph of live bytes: drawn
here, as SVG, so that the file holds no script and asks nobody for anything.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from garboard.report._page import page

__all__ = ["Report"]


class Report:
    """A report of one snapshot, for a file or for a notebook, which shows it by itself."""

    def __init__(self, snapshot: dict[str, Any], title: str = "garboard memory") -> None:
        """Draw all that is in `snapshot`, ours or PyTorch's.

        Raises:
            SnapshotError: It breaks a rule of `garboard.memory.check_snapshot`.
        """
        from garboard.memory import check_snapshot

        check_snapshot(snapshot)
        self.html: str = page(snapshot, title)
        """The whole page."""

    def save(self, filename: str | os.PathLike[str]) -> Path:
        """Write the page to a file, UTF-8; replace one of that name. Return its path."""
        path = Path(filename)
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            part.write_text(self.html, encoding="utf-8", errors="replace")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        return path

    def _repr_html_(self) -> str:
        return f'<iframe style="width:100%;height:900px" srcdoc="{escape(self.html)}"></iframe>'
