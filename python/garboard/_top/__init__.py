"""The live view: what a running program keeps, in the terminal.

- `_publisher`: in the watched process; answers on a socket that only its user may open.
- `_sampling`: what it answers with.
- `_sockets`: where the socket is, and who may connect.
- `_viewing`: the screen of `garboard top`.
"""

from __future__ import annotations

__all__: list[str] = []
