"""What a kind of leak is, told at length."""

from __future__ import annotations

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard.leaks.kinds import all_kinds

__all__ = ["explain"]


def explain(kind: str | None = None) -> str:
    """Return what a kind of leak is, on what evidence it is reported, and what to write instead.

    Args:
        kind: As reports print it, such as "tensor-list"; None for a list of all.

    Returns:
        Text of several lines.

    Raises:
        TypeError: `kind` is no string.
        ValueError: There is no such kind; the message names those that are spelled alike.

    >>> print(gb.leaks.explain("tensor-list").splitlines()[0])
    tensor-list (LIST-...): A container gains a tensor at every step.
    """
    kinds = {it.name: it for it in all_kinds()}
    if kind is None:
        width = max(map(len, kinds))
        return "\n".join(f"{name:<{width}}  {it.title}" for name, it in sorted(kinds.items()))
    found = kinds.get(check.text("explain", "kind", kind))
    if found is None:
        from difflib import get_close_matches

        family = kind.partition("-")[0].upper()  # of a fingerprint
        alike = [it.name for it in all_kinds() if it.family == family] or (
            get_close_matches(kind, kinds, 3, 0.5)
        )
        advice = (
            f"perhaps {' or '.join(map(shown, alike))} is meant"
            if alike
            else (f"there are {', '.join(sorted(kinds))}")
        )
        raise ValueError(f"explain: kind {shown(kind)}; there is no such kind, {advice}")
    text = f"{found.name} ({found.family}-...): {found.text.strip()}"
    fix = found.fix.replace("{", "<").replace("}", ">")
    return f"{text}\n\nFix: {fix}" if fix else text
