"""PyTorch's switches of its libraries: taken and kept, without effect, so that programs run."""

from garboard.backends import cpu, cuda, cudnn, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = [
    "cpu",
    "cuda",
    "cudnn",
    "disable_global_flags",
    "flags_frozen",
    "mkl",
    "mkldnn",
    "mps",
    "openmp",
    "opt_einsum",
]


def flags_frozen() -> bool:
    """Return False: switches can be set at any time.

    Returns:
        False, after `disable_global_flags()`, too.

    >>> gb.backends.flags_frozen()
    False
    """
    return False


def disable_global_flags() -> None:
    """Do nothing: PyTorch's tests forbid with it to set switches outside of blocks.

    >>> gb.backends.disable_global_flags()
    >>> gb.backends.flags_frozen()
    False
    """
