"""Something lives on, and nothing that can be seen holds it.

A C extension, an array of records with objects or another library may hold it. The report tells
the bytes and the line of birth; who holds it, it does not guess.

Evidence: births of nearly every step survive, and no root of the interpreter leads to them.
"""

from __future__ import annotations

from garboard.leaks.findings._kind import Kind

__all__ = ["KIND"]

KIND = Kind(
    name="unknown",
    family="LEAK",
    text=__doc__ or "",
    rank=1000,
    is_settled=lambda group: False,
    may_settle=False,
    fix="look for a C extension or a graph node that Python keeps",
)
