"""What tensors have to do with streams, where the op tables do not say it."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard._native import add_methods

__all__ = ["record_stream"]


def record_stream(self: Tensor, s: object) -> None:
    """Say that work of a stream uses the elements, beside the stream they were made on.

    Once the tensor has ended, its memory is given to nobody before that stream has done what it was
    given until then. Not needed for the stream that was current when the tensor was made.

    Args:
        s: A stream of the tensor's device; of any device where the tensor is pinned.

    Raises:
        DeviceError: The stream is of another device.
        TypeError: `s` is no stream.
        DisposedError: The tensor is disposed.

    >>> if gb.cuda.is_available():
    ...     x = gb.ones(3, device="cuda")
    ...     x.record_stream(gb.cuda.Stream())
    """
    held = getattr(s, "_held", None)
    if not isinstance(held, _engine._Stream):
        raise TypeError(f"record_stream: s {shown(s)}; a gb.cuda.Stream is needed")
    _engine._record_stream(self, held)


add_methods(Tensor, {"record_stream": record_stream})
