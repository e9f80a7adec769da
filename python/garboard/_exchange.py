"""How tensors take part in Python's and NumPy's protocols: copying, formatting, arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from garboard import _check as check
from garboard import _engine
from garboard._engine import GradientError, ShapeError, Tensor
from garboard._native import add_methods
from garboard._texts import shown, told

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__: list[str] = []


def _array(self: Tensor, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
    """Return a NumPy array over the same memory, or a converted copy."""
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(
                f"__array__: {array.dtype} to {told(dtype)} without a copy; allow the copy"
            )
        return array.astype(dtype)
    return array.copy() if copy else array


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """Copy a leaf's elements, and whether it asks for a gradient.

    Raises:
        GradientError: The tensor was computed by recorded ops; their graph cannot be copied.
        TypeError: `memo` is no dict.
    """
    if not self.is_leaf:
        raise GradientError(
            "deepcopy: a tensor computed by recorded ops; copy detach() of it, or a leaf"
        )
    check.of_type(dict, "deepcopy", "memo", memo)
    known: Tensor | None = memo.get(id(self))
    if known is not None:
        return known
    before = _engine._set_grad_enabled(False)
    try:
        result = self.detach().clone()
    finally:
        _engine._set_grad_enabled(before)
    if type(self) is not Tensor:
        result = type(self)(result)
    memo[id(self)] = result
    return result.requires_grad_(self.requires_grad)


def _format(self: Tensor, spec: str) -> str:
    """Format the only element as a number, or what `repr` shows to a width.

    Raises:
        ShapeError: A number's format, and several elements or none.
    """
    # With a precision, a format for text would cut the text off.
    is_of_number = "." in spec or (spec[-1:].isalpha() and spec[-1] != "s")
    if spec and (self.ndim == 0 or (is_of_number and self.numel() == 1)):
        return format(self.item(), spec)
    if not is_of_number:
        return format(repr(self), spec)
    format(0.0, spec)  # where that is no format at all, it says so
    raise ShapeError(
        f"format: a tensor of sizes {list(self.shape)} as {shown(spec)}; one element is needed, or "
        "set_printoptions(precision=...) for all of them"
    )


def _reduce(self: Tensor, protocol: Any) -> NoReturn:
    raise TypeError(
        "pickle: tensors cannot be pickled; send numpy() or tolist() of them, or save a state_dict"
    )


add_methods(
    Tensor,
    {
        "__array__": _array,
        "__deepcopy__": _deepcopy,
        "__format__": _format,
        "__reduce_ex__": _reduce,
    },
)
