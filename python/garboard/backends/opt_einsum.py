"""Switches of opt_einsum, which finds the order that einsum multiplies in where it is installed.

`enabled = False` leaves the order to garboard; `strategy` is one of opt_einsum's: "auto", "greedy",
"optimal".
"""

from importlib.util import find_spec

__all__ = ["enabled", "is_available", "strategy"]

enabled: bool = True
strategy: str | None = "auto"


def is_available() -> bool:
    """Tell whether opt_einsum is installed; einsum uses it from three operands on.

    Returns:
        A bool.

    >>> gb.backends.opt_einsum.is_available() in (True, False)
    True
    """
    return find_spec("opt_einsum") is not None
