"""What a report of an error tells of the machine and of what is installed."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import distributions
from typing import TYPE_CHECKING, NamedTuple

from garboard import _info
from garboard._names.missing import module_getattr

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

_TOLD = ("garboard", "numpy", "scipy", "mypy", "onnx", "triton", "torchvision", "optree")


class SystemEnv(NamedTuple):
    """What there is to know of a machine, as texts; PyTorch's names."""

    torch_version: str
    is_debug_build: str
    cuda_compiled_version: str
    gcc_version: str
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: str
    cuda_runtime_version: str
    nvidia_gpu_models: str
    cudnn_version: str
    pip_packages: str
    cpu_info: str


def get_env_info() -> SystemEnv:
    """Return what is installed here, and what it runs on.

    Returns:
        A SystemEnv.

    >>> from garboard.utils import collect_env
    >>> collect_env.get_env_info().python_version.split(".")[0]
    '3'
    """
    from garboard import __version__, cuda
    from garboard.backends import cudnn

    facts = _info.facts()
    has_cuda = cuda.is_available()
    found = cudnn.version()
    installed = sorted({(it.name or "").lower(): it.version for it in distributions()}.items())
    packages = [f"{name}=={version}" for name, version in installed if name in _TOLD]
    names = [cuda.get_device_name(number) for number in range(cuda.device_count())]
    return SystemEnv(
        torch_version=__version__,
        is_debug_build="False",
        cuda_compiled_version="N/A",
        gcc_version=platform.python_compiler(),
        os=f"{platform.system()} {platform.release()} ({platform.machine()})",
        libc_version="-".join(platform.libc_ver()) or "N/A",
        python_version=f"{sys.version} ({sys.maxsize.bit_length() + 1}-bit runtime)",
        python_platform=platform.platform(),
        is_cuda_available=str(has_cuda),
        cuda_runtime_version=facts["CUDA"],
        nvidia_gpu_models="\n".join(names) or "N/A",
        cudnn_version="N/A" if found is None else str(found),
        pip_packages="\n".join(packages),
        cpu_info=(
            f"{os.cpu_count()} cores, kernels {facts['CPU kernels']}, {facts['matrix products']}"
        ),
    )


def get_pretty_env_info() -> str:
    """Return the same as lines of text.

    Returns:
        A text.

    >>> from garboard.utils import collect_env
    >>> "Is CUDA available: " in collect_env.get_pretty_env_info()
    True
    """
    it = get_env_info()
    return "\n".join(
        (
            f"garboard version: {it.torch_version}",
            f"Is debug build: {it.is_debug_build}",
            "",
            f"OS: {it.os}",
            f"Compiler: {it.gcc_version}",
            f"Libc version: {it.libc_version}",
            "",
            f"Python version: {it.python_version}",
            f"Python platform: {it.python_platform}",
            f"Is CUDA available: {it.is_cuda_available}",
            f"CUDA: {it.cuda_runtime_version}",
            f"GPU models: {it.nvidia_gpu_models}",
            f"cuDNN version: {it.cudnn_version}",
            f"CPU: {it.cpu_info}",
            "",
            "Versions of relevant libraries:",
            it.pip_packages,
        )
    )


def main() -> None:
    """Print it.

    >>> from garboard.utils import collect_env
    >>> collect_env.main()  # doctest: +ELLIPSIS
    Collecting environment information...
    garboard version: ...
    """
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
