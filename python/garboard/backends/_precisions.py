"""How exact float32 has to be for one kind of op of a library."""

from garboard._settings import fp32_precision, set_fp32_precision

__all__ = ["Precision"]


class Precision:
    """What is told of a kind of op, as of `backends.cudnn.conv`.

    Args:
        place: The library and the kind.

    Raises:
        ValueError: What is told is none of the known words.

    >>> gb.backends.cudnn.rnn.fp32_precision = "ieee"
    >>> gb.backends.cudnn.rnn.fp32_precision
    'ieee'
    >>> gb.backends.cudnn.rnn.fp32_precision = "none"
    """

    def __init__(self, place: str) -> None:
        self._place = place

    @property
    def fp32_precision(self) -> str:
        """ "ieee", "tf32", on CPUs "bf16", or "none" where nothing is told of it."""
        return fp32_precision(self._place)

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        set_fp32_precision(self._place, precision)
