"""What garboard does in notebooks, after `%load_ext garboard`: a footer under each cell, `%leaks`,
`%%leaks`, `%memory` and `%%scope`. IPython is not imported: where it runs, it is at hand."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["load_ipython_extension", "unload_ipython_extension"]

_loaded: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # shell to its extension


def load_ipython_extension(ipython: object) -> None:
    """Add the footer and the commands to a shell; `%load_ext garboard` calls this.

    Args:
        ipython: The shell. One that has them already is left as it is.

    Raises:
        TypeError: `ipython` is no shell of IPython's.

    >>> gb.jupyter.load_ipython_extension(None)
    Traceback (most recent call last):
    TypeError: load_ipython_extension: ipython is of type NoneType; IPython's shell is needed
    """
    _check_shell("load_ipython_extension", ipython)
    if ipython in _loaded:
        return
    from garboard.jupyter._extension import Extension

    _loaded[ipython] = Extension(ipython)


def unload_ipython_extension(ipython: object) -> None:
    """Take the footer and the commands away; `%unload_ext garboard` calls this.

    Args:
        ipython: The shell. One that does not have them is left as it is.

    Raises:
        TypeError: `ipython` is no shell of IPython's.

    >>> gb.jupyter.unload_ipython_extension(None)
    Traceback (most recent call last):
    TypeError: unload_ipython_extension: ipython is of type NoneType; IPython's shell is needed
    """
    _check_shell("unload_ipython_extension", ipython)
    extension = _loaded.pop(ipython, None)
    if extension is not None:
        extension.unload()


def _check_shell(op: str, given: object) -> None:
    names = {cls.__name__ for cls in type(given).__mro__}
    if "InteractiveShell" not in names:
        kind = type(given).__name__
        raise TypeError(f"{op}: ipython is of type {kind}; IPython's shell is needed")
