"""`garboard info`: what is installed here, and what it runs on."""

from __future__ import annotations

import platform
from argparse import ArgumentParser, Namespace
from pathlib import Path

from garboard import _engine

__all__ = ["SUMMARY", "add_options", "facts", "run"]

SUMMARY = "say what is installed, and what it runs on"


def add_options(parser: ArgumentParser) -> None:
    """There are none."""


def facts() -> dict[str, str]:
    """Return what there is to know, by name."""
    import garboard
    from garboard import cuda

    reason = cuda.why_unavailable()
    return {
        "garboard": garboard.__version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "CPU kernels": _engine._instruction_set(),
        "matrix products": _blas(),
        "memory limit": _limit(),
        "CUDA": f"{cuda.device_count()} devices" if reason is None else f"none: {reason}",
    }


def _blas() -> str:
    """Ask the OpenBLAS that lies beside the extension for the core it picked."""
    import ctypes

    found = sorted(Path(_engine.__file__).parent.glob("libscipy_openblas*.so"))
    if not found:
        return "plain loops"
    ask = ctypes.CDLL(str(found[0])).scipy_openblas_get_corename
    ask.restype = ctypes.c_char_p
    return f"OpenBLAS, {ask().decode()}"


def _limit() -> str:
    limit = _engine._memory_limit()
    return "none" if limit is None else _engine.human_bytes(limit)


def run(options: Namespace) -> int:
    """Print the facts; 0."""
    for name, value in facts().items():
        print(f"{name:<16} {value}")
    return 0
