"""Norms of batches without running statistics, which a function of one example cannot change."""

from __future__ import annotations

from typing import TypeVar

from garboard._arguments import check
from garboard.nn.module import Module
from garboard.nn.modules.batchnorm import _BatchNorm

__all__ = ["replace_all_batch_norm_modules_"]

_M = TypeVar("_M", bound=Module)


def replace_all_batch_norm_modules_(root: _M) -> _M:
    """Let every norm of batches in a module use the statistics of its batch alone, in place.

    The running statistics are gone from the module and from its state dict.

    Args:
        root: A module, which may be such a norm itself.

    Returns:
        `root`.

    Raises:
        TypeError: It is no module.

    >>> model = gb.nn.Sequential(gb.nn.Linear(2, 3), gb.nn.BatchNorm1d(3))
    >>> sorted(gb.func.replace_all_batch_norm_modules_(model)[1].state_dict())
    ['bias', 'weight']
    """
    check.of_type(Module, "replace_all_batch_norm_modules_", "root", root)
    for module in root.modules():
        if isinstance(module, _BatchNorm) and module.track_running_stats:
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
