"""Where programs look for PyTorch's exporter: files of ONNX are not written here.

Importing this module, asking `is_in_onnx_export()` and telling how ops would be written are for
programs and libraries whose models can be exported and need not be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from garboard._arguments import check
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths

__all__ = ["is_in_onnx_export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"]

_F = TypeVar("_F", bound=Callable[..., Any])

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


def is_in_onnx_export() -> bool:
    """Return False: nothing is ever exported.

    >>> gb.onnx.is_in_onnx_export()
    False
    """
    return False


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Callable[..., object], opset_version: int
) -> None:
    """Hear how an op would be written to a file, which nothing here asks for.

    Args:
        symbolic_name: "namespace::name".
        symbolic_fn: What would write it.
        opset_version: The version of ONNX that it writes.

    Raises:
        TypeError: The name is no text, or the function cannot be called.

    >>> gb.onnx.register_custom_op_symbolic("docs::twice", lambda g, x: g.op("Add", x, x), 11)
    """
    check.text("register_custom_op_symbolic", "symbolic_name", symbolic_name)
    check.function("register_custom_op_symbolic", "symbolic_fn", symbolic_fn)


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Hear that an op would no longer be written so.

    Args:
        symbolic_name: "namespace::name".
        opset_version: The version of ONNX.

    Raises:
        TypeError: The name is no text.

    >>> gb.onnx.unregister_custom_op_symbolic("docs::twice", 11)
    """
    check.text("unregister_custom_op_symbolic", "symbolic_name", symbolic_name)


def parse_args(*descriptors: str) -> Callable[[_F], _F]:
    """Return a decorator that leaves what would write an op as it is: programs name its module."""
    return lambda function: function


publish_paths(__name__)
