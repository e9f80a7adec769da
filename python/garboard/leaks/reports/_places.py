"""Places as machines read them: files that exist, and lines from 1."""

from __future__ import annotations

import os

from garboard._arguments.texts import printable
from garboard._shown.notebook import cell_of
from garboard._shown.site import Site
from garboard.leaks.findings._leak import Leak

__all__ = ["file_of", "line_to_mend"]


def line_to_mend(leak: Leak) -> Site:
    """Return the line that stores into the holder, or the line of birth where none is known."""
    site = leak.holder_site
    return site if site is not None and file_of(site) else leak.site


def file_of(site: Site) -> str:
    """Return the path as a repository has it, from the working directory where the file is below.

    Empty for what is no file, such as `<stdin>` or a cell of a notebook.
    """
    if not site.file or site.line < 1 or site.file.startswith("<") or cell_of(site.file):
        return ""
    try:
        path = os.path.relpath(site.file)
    except (OSError, ValueError):  # no working directory; another drive; no path at all
        path = site.file
    if path.startswith(os.pardir):
        path = site.file
    return printable(path).replace("\\", "/")
