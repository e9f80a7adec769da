"""The switch of PyTorch's faster path of attention layers, of which there is none here."""

from garboard._arguments import check

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]


class _Heard:
    enabled = True


def get_fastpath_enabled() -> bool:
    """Return what `set_fastpath_enabled` was told last; True at first.

    Returns:
        A bool; attention layers take one path either way.

    >>> gb.backends.mha.get_fastpath_enabled()
    True
    """
    return _Heard.enabled


def set_fastpath_enabled(value: bool) -> None:
    """Note whether attention layers may take PyTorch's faster path when nothing is recorded.

    Args:
        value: What `get_fastpath_enabled` returns from now on.

    Raises:
        TypeError: No bool.

    >>> gb.backends.mha.set_fastpath_enabled(True)
    """
    _Heard.enabled = check.flag("set_fastpath_enabled", "value", value)
