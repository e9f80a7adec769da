"""Which garboard this is, where PyTorch's programs ask for its version and for CUDA's."""

from garboard import __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "xpu"]

debug: bool = False
git_version: str = "Unknown"
cuda: str | None = None
"""None: what the CUDA library was built with is asked of `gb.cuda`."""
hip: str | None = None
xpu: str | None = None
