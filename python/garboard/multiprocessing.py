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
from garboard._names.paths import publish_paths
from garboard._spawning import (
    ProcessContext,
    ProcessException,
    ProcessExitedException,
    ProcessRaisedException,
    spawn,
    start_processes,
)

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]
SpawnContext = ProcessContext  # its older name
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


publish_paths(__name__)

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
