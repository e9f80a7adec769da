"""What `garboard` does on the command line, a command a file.

Each has a SUMMARY, `add_options(parser)` and `run(options)`, which returns the exit status.
"""

from __future__ import annotations

__all__: list[str] = []
