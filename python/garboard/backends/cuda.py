"""Switches of CUDA's libraries: products of float32 are always computed in float32."""

from types import SimpleNamespace

__all__ = ["is_built", "matmul"]

matmul: SimpleNamespace = SimpleNamespace(allow_tf32=False)


def is_built() -> bool:
    """Return whether CUDA devices can be used, as `cuda.is_available()`.

    >>> gb.backends.cuda.is_built() == gb.cuda.is_available()
    True
    """
    from garboard.cuda import is_available

    return is_available()
