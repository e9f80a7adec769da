"""Whether what sparse tensors are made of is checked: it always is, and the switch is kept."""

from __future__ import annotations

from contextlib import ContextDecorator

from garboard._arguments import check

__all__ = ["check_sparse_tensor_invariants"]

_is_enabled = False


class check_sparse_tensor_invariants(ContextDecorator):
    """Keep PyTorch's switch for checks of sparse tensors, which are always made here.

    A context manager, or a decorator of functions, which run inside then.

    Args:
        enable: What `is_enabled` says inside.

    Raises:
        TypeError: `enable` is not True or False.

    >>> with gb.sparse.check_sparse_tensor_invariants():
    ...     gb.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    >>> gb.sparse.check_sparse_tensor_invariants.is_enabled()
    False
    """

    def __init__(self, enable: bool = True) -> None:
        self.state: bool = check.flag("check_sparse_tensor_invariants", "enable", enable)
        self._before: list[bool] = []

    @staticmethod
    def is_enabled() -> bool:
        """Return what was set last.

        >>> gb.sparse.check_sparse_tensor_invariants.is_enabled()
        False
        """
        return _is_enabled

    @staticmethod
    def enable() -> None:
        """Set it.

        >>> gb.sparse.check_sparse_tensor_invariants.enable()
        >>> gb.sparse.check_sparse_tensor_invariants.disable()
        """
        _set(True)

    @staticmethod
    def disable() -> None:
        """Unset it.

        >>> gb.sparse.check_sparse_tensor_invariants.disable()
        """
        _set(False)

    def __enter__(self) -> None:
        self._before.append(_is_enabled)
        _set(self.state)

    def __exit__(self, *exception: object) -> None:
        _set(self._before.pop())


def _set(is_enabled: bool) -> None:
    global _is_enabled
    _is_enabled = is_enabled
