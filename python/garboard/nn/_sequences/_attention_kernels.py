"""Which kernel attention takes, as PyTorch's programs choose: there is one, and it is taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum

from garboard._contexts.blocks import block

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(IntEnum):
    """The kernels that PyTorch chooses from.

    >>> gb.nn.attention.SDPBackend.MATH.name
    'MATH'
    """

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@block
def sdpa_kernel(
    backends: SDPBackend | Sequence[SDPBackend], set_priority: bool = False
) -> Iterator[None]:
    """Compute attention in the block as always: memory grows with the length alone.

    Args:
        backends: One kernel of PyTorch's, or several.
        set_priority: Ignored.

    Returns:
        A context manager.

    Raises:
        TypeError: Something else than kernels.

    >>> with gb.nn.attention.sdpa_kernel(gb.nn.attention.SDPBackend.FLASH_ATTENTION):
    ...     x = gb.ones(1, 1, 2)
    ...     gb.nn.functional.scaled_dot_product_attention(x, x, x).tolist()
    [[[1.0, 1.0]]]
    """
    given = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(given, (list, tuple)) or not all(isinstance(it, SDPBackend) for it in given):
        raise TypeError(
            f"sdpa_kernel: backends is of type {type(backends).__name__}; one SDPBackend, or a "
            "list of them, is needed"
        )
    yield
