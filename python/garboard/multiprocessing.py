"""Python's own `multiprocessing`, where PyTorch's programs look for it.

Tensors on the CPU go to other processes as copies of their bytes, so there is no way of sharing to
choose.
"""

from __future__ import annotations

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403
from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._names.missing import module_getattr
from garboard._spawning import ProcessExitedException, ProcessRaisedException, spawn

__all__ = [
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
]
__all__ += _multiprocessing.__all__


def get_all_sharing_strategies() -> set[str]:
    """Return the only way in which tensors go to other processes.

    >>> gb.multiprocessing.get_all_sharing_strategies()
    {'copy'}
    """
    return {"copy"}


def get_sharing_strategy() -> str:
    """Return how tensors go to other processes.

    >>> gb.multiprocessing.get_sharing_strategy()
    'copy'
    """
    return "copy"


def set_sharing_strategy(new_strategy: str) -> None:
    """Hear how PyTorch would share tensors; here they are copied.

    Args:
        new_strategy: Ignored.

    Raises:
        TypeError: It is no string.

    >>> gb.multiprocessing.set_sharing_strategy("file_system")
    """
    check.text("set_sharing_strategy", "new_strategy", new_strategy)


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
