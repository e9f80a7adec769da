"""Pictures of a memory snapshot, in one file that needs nothing else.

The memory over time by site, the map of segments and blocks, the flame graph of live bytes: drawn
here, as SVG, so that the file holds no script and asks nobody for anything.
"""

from __future__ import annotations

import os
from html import escape
from pathlib import Path
from typing import Any

from garboard._arguments import check
from garboard._snapshot_rules import check_snapshot
from garboard._whole_files import replace_file
from garboard.report._page import page

__all__ = ["Report"]


class Report:
    """A report of one snapshot, for a file or for a notebook, which shows it by itself.

    Args:
        snapshot: All of it is drawn; ours or PyTorch's.
        title: Stands on top.

    Attributes:
        html: The whole page.

    Raises:
        SnapshotError: The snapshot breaks a rule of `garboard.memory.check_snapshot`.
        TypeError: `title` is no string.

    >>> from garboard.report import Report
    >>> Report(gb.memory.snapshot()).html.startswith("<!doctype html>")
    True
    """

    def __init__(self, snapshot: dict[str, Any], title: str = "garboard memory") -> None:
        check_snapshot(snapshot)
        self.html: str = page(snapshot, check.text("Report", "title", title))

    def save(self, filename: str | os.PathLike[str]) -> Path:
        """Write the page to a file, UTF-8; replace one of that name once the new one is complete.

        Args:
            filename: Where to.

        Returns:
            Its path.

        Raises:
            OSError: The file cannot be written.

        >>> import tempfile
        >>> from garboard.report import Report
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Report(gb.memory.snapshot()).save(f"{folder}/memory.html").name
        'memory.html'
        """
        return replace_file(check.path("save", "filename", filename), self.html)

    def _repr_html_(self) -> str:
        return f'<iframe style="width:100%;height:900px" srcdoc="{escape(self.html)}"></iframe>'
