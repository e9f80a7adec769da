"""What programs ask PyTorch's compiler, which traces: whether it does. Nothing is traced here."""

from __future__ import annotations

__all__ = ["active_fake_mode", "detect_fake_mode"]


def active_fake_mode() -> None:
    """Return None: no mode is on in which tensors are traced without elements.

    >>> from garboard._guards import active_fake_mode
    >>> active_fake_mode() is None
    True
    """


def detect_fake_mode(inputs: object = None) -> None:
    """Return None: no tensor is of such a mode.

    Args:
        inputs: Tensors, in any nest.

    >>> from garboard._guards import detect_fake_mode
    >>> detect_fake_mode([gb.ones(1)]) is None
    True
    """
