"""What the interpreter must be like, and which of its frames are the library's."""

import os
import sys

__all__ = ["TESTED", "mark_library_frames", "refuse_subinterpreters", "refuse_untested"]

# From the first, below the second; as in pyproject.toml.
TESTED = ((3, 11), (3, 15))
TRY = "GARBOARD_UNTESTED_PYTHON"


def refuse_untested() -> None:
    """Raise `ImportError` on a Python that no test has seen, unless the environment asks for it.

    The extension reads frames and walks what the collector sees: it is wrong where those differ.
    """
    if os.environ.get(TRY, "") not in ("", "0"):
        return
    first, end = TESTED
    tested = f"{first[0]}.{first[1]} to {end[0]}.{end[1] - 1}"
    remedy = f"use one of those, or set {TRY}=1 to see how far it comes"
    if not first <= sys.version_info[:2] < end:
        found = ".".join(map(str, sys.version_info[:2]))
        raise ImportError(f"garboard: Python {found}; it is tested with {tested}: {remedy}")
    if "t" in getattr(sys, "abiflags", ""):
        raise ImportError(
            f"garboard: a free-threaded Python; it is tested with {tested} that have the GIL: "
            f"{remedy}"
        )


def refuse_subinterpreters() -> None:
    """Raise `ImportError` outside the main interpreter.

    The extension has one set of types for the process: a second interpreter would break the first.
    """
    try:
        if sys.version_info >= (3, 13):
            import _interpreters as interpreters

            current, main = interpreters.get_current()[0], interpreters.get_main()[0]
        else:
            import _xxsubinterpreters as interpreters  # type: ignore[import-not-found]

            current, main = interpreters.get_current(), interpreters.get_main()
    except ImportError:  # a build without subinterpreters
        return
    if current != main:
        raise ImportError(
            "garboard: imported in a subinterpreter; it runs in the main interpreter alone, "
            "use threads or processes"
        )


def mark_library_frames() -> None:
    """Book births inside the package, and in what copies, wraps and unpickles, to their callers."""
    from garboard import _engine

    _engine._add_library_path(os.path.dirname(__file__) + os.sep)
    standard = os.path.dirname(os.__file__)
    for name in ("copy.py", "pickle.py", "functools.py", "contextlib.py"):
        _engine._add_library_path(os.path.join(standard, name))
