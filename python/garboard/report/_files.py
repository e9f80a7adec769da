"""Pages on disk: a reader sees the old one or the new one, never half of it."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["replace_file"]


def replace_file(path: Path, text: str) -> Path:
    """Write a text as UTF-8; a file of that name is replaced once the new one is complete.

    Raises:
        OSError: The file cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path
