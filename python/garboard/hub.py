"""PyTorch's hub: garboard downloads nothing, and says so where a download is asked for.

Programs name these functions at their top, for weights that they may never fetch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from garboard._names.missing import module_getattr

__all__ = ["download_url_to_file", "load", "load_state_dict_from_url"]


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

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
