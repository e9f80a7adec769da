"""Where programs look for PyTorch's compiler of extensions: none is compiled here.

Libraries try to compile a kernel of their own and go on without it where that fails.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from garboard._names.missing import module_getattr

__all__ = [
    "CUDA_HOME",
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "is_ninja_available",
    "load",
    "load_inline",
]

CUDA_HOME: str | None = None

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


def _refuse(op: str) -> NoReturn:
    raise NotImplementedError(
        f"{op}: extensions of PyTorch's are not compiled here; write the op in Python, or as a "
        "gb.library.custom_op"
    )


class BuildExtension:
    """What builds PyTorch's extensions beside setuptools: no object is one.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: One is asked for.

    >>> from garboard.utils.cpp_extension import BuildExtension
    >>> isinstance(1, BuildExtension)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        _refuse(cls.__name__)


def load(*given: object, **named: object) -> NoReturn:
    """Refuse: nothing is compiled.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.utils.cpp_extension.load("name", ["file.cpp"])
    Traceback (most recent call last):
    NotImplementedError: load: extensions of PyTorch's are not compiled here; ...
    """
    _refuse("load")


def load_inline(*given: object, **named: object) -> NoReturn:
    """Refuse: nothing is compiled.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.utils.cpp_extension.load_inline("name", "")
    Traceback (most recent call last):
    NotImplementedError: load_inline: extensions of PyTorch's are not compiled here; ...
    """
    _refuse("load_inline")


def CppExtension(*given: object, **named: object) -> NoReturn:  # noqa: N802
    """Refuse: nothing is compiled.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.utils.cpp_extension.CppExtension("name", ["file.cpp"])
    Traceback (most recent call last):
    NotImplementedError: CppExtension: extensions of PyTorch's are not compiled here; ...
    """
    _refuse("CppExtension")


def CUDAExtension(*given: object, **named: object) -> NoReturn:  # noqa: N802
    """Refuse: nothing is compiled.

    Args:
        given: PyTorch's.
        named: Likewise.

    Raises:
        NotImplementedError: Always.

    >>> gb.utils.cpp_extension.CUDAExtension("name", ["file.cu"])
    Traceback (most recent call last):
    NotImplementedError: CUDAExtension: extensions of PyTorch's are not compiled here; ...
    """
    _refuse("CUDAExtension")


def is_ninja_available() -> bool:
    """Return False: nothing is built.

    >>> gb.utils.cpp_extension.is_ninja_available()
    False
    """
    return False
