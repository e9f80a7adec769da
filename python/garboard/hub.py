"""PyTorch's hub: garboard downloads nothing, and says so where a download is asked for.

Programs name these functions at their top, for weights that they may never fetch.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlparse  # noqa: F401

from garboard._arguments import check
from garboard._names.missing import module_getattr

__all__ = ["download_url_to_file", "get_dir", "load", "load_state_dict_from_url", "set_dir"]


# Where a file of weights has a part of its hash in its name.
HASH_REGEX: re.Pattern[str] = re.compile(r"-([a-f0-9]*)\.")

_chosen: str | None = None


def get_dir() -> str:
    """Return the folder of what PyTorch's hub has downloaded, or that `set_dir` has named.

    It is `hub` in TORCH_HOME, which is `torch` in XDG_CACHE_HOME, or in the user's `.cache`.

    >>> gb.hub.get_dir().endswith("hub")
    True
    """
    return os.path.join(_get_torch_home(), "hub") if _chosen is None else _chosen


def _get_torch_home() -> str:
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d: str | os.PathLike[str]) -> None:
    """Name the folder that `get_dir` returns.

    Args:
        d: The folder.

    Raises:
        TypeError: It is no path.

    >>> before = gb.hub.get_dir()
    >>> gb.hub.set_dir("weights")
    >>> gb.hub.get_dir()
    'weights'
    >>> gb.hub.set_dir(before)
    """
    global _chosen
    _chosen = str(check.path("hub.set_dir", "d", d))


def _refused(name: str) -> Callable[..., NoReturn]:
    needed = "nothing is downloaded; fetch the file yourself, and read it with gb.load(path)"

    def refuse(*given: object, **options: object) -> NoReturn:
        raise NotImplementedError(f"hub.{name}: {needed}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"""Raise NotImplementedError: garboard downloads nothing.

    Args:
        given: What PyTorch's function takes.
        options: Likewise.

    Raises:
        NotImplementedError: Always; `gb.load` reads a file of PyTorch's that is there.

    {">" * 3} gb.hub.{name}("weights.pt")
    Traceback (most recent call last):
    NotImplementedError: hub.{name}: {needed}
    """
    return refuse


download_url_to_file: Callable[..., NoReturn] = _refused("download_url_to_file")
load: Callable[..., NoReturn] = _refused("load")
load_state_dict_from_url: Callable[..., NoReturn] = _refused("load_state_dict_from_url")


class _Unseen:
    """What stands in for a bar of progress where the package that shows them is not there."""

    def __init__(self, iterable: Iterable[Any] = (), *given: object, **named: object) -> None:
        self._iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self._iterable)

    def __enter__(self) -> _Unseen:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def update(self, n: float = 1) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Do nothing."""


def _tqdm() -> Any:
    try:
        return import_module("tqdm").tqdm
    except ImportError:
        return _Unseen


if not TYPE_CHECKING:
    _missing = module_getattr(__name__)

    def __getattr__(name):
        return _tqdm() if name == "tqdm" else _missing(name)
