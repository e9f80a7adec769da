"""What the CPU's kernels are made for, in PyTorch's words."""

from garboard.cpu import instruction_set

__all__ = ["get_cpu_capability"]

_CAPABILITIES = {"baseline": "DEFAULT", "v3": "AVX2", "v4": "AVX512"}


def get_cpu_capability() -> str:
    """Return which instructions the kernels use: "DEFAULT", "AVX2" or "AVX512".

    >>> gb.backends.cpu.get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")
    True
    """
    return _CAPABILITIES[instruction_set()]
