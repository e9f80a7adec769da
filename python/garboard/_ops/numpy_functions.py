"""How tensors take part in NumPy's operators and functions.

An operator with a tensor on either side is the tensor's: NumPy's scalars and arrays without dims
are numbers there, and other arrays are refused, lest a result turns into an array unnoticed. A
universal function of NumPy's reads tensors as arrays and returns tensors; what else NumPy does
with them returns what it returns. Gradients pass no function of NumPy's: it names the op of
garboard's that they do pass.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._engine import DTypeError, GradientError, ShapeError, Tensor
from garboard._native import add_methods
from garboard._ops import functions as _functions

if TYPE_CHECKING:
    import numpy as np

__all__: list[str] = []

# NumPy's functions behind Python's operators, by name, each with the operator and garboard's name.
_OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], str]] = {
    "add": (operator.add, "add"),
    "subtract": (operator.sub, "sub"),
    "multiply": (operator.mul, "mul"),
    "divide": (operator.truediv, "div"),
    "true_divide": (operator.truediv, "div"),
    "floor_divide": (operator.floordiv, "floor_divide"),
    "remainder": (operator.mod, "remainder"),
    "divmod": (divmod, "divmod"),
    "power": (operator.pow, "pow"),
    "matmul": (operator.matmul, "matmul"),
    "bitwise_and": (operator.and_, "bitwise_and"),
    "bitwise_or": (operator.or_, "bitwise_or"),
    "bitwise_xor": (operator.xor, "bitwise_xor"),
    "left_shift": (operator.lshift, "bitwise_left_shift"),
    "right_shift": (operator.rshift, "bitwise_right_shift"),
    "equal": (operator.eq, "eq"),
    "not_equal": (operator.ne, "ne"),
    "less": (operator.lt, "lt"),
    "less_equal": (operator.le, "le"),
    "greater": (operator.gt, "gt"),
    "greater_equal": (operator.ge, "ge"),
}
# Other functions of NumPy's whose names in garboard are others.
_RENAMED = {
    "absolute": "abs",
    "clip": "clamp",
    "concat": "cat",
    "concatenate": "cat",
    "dot": "matmul",
    "invert": "bitwise_not",
    "negative": "neg",
    "rint": "round",
}
_MOST_DIMS = 64  # of arrays in NumPy
_ABOUT_SIZES = ("iscomplexobj", "isrealobj", "may_share_memory", "ndim", "shape", "size")
_WRITERS = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")


def _array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Call the tensor's operator where NumPy stands on one side of one, else NumPy's function.

    Its results are tensors over what NumPy has made, but for dtypes that no tensor has.

    Raises:
        TypeError: An array with dims is an operand, or the result is to be written into a tensor.
        GradientError: A tensor that requires grad is given to a function.
    """
    import numpy as np

    name = ufunc.__name__
    is_operator = method == "__call__" and not options and name in _OPERATORS and len(inputs) == 2
    if is_operator and any(isinstance(it, (np.ndarray, np.generic)) for it in inputs):
        operate, op = _OPERATORS[name]
        first, second = (_operand(it, op) for it in inputs)
        return operate(first, second)
    written = inputs[:1] if method == "at" else options.get("out") or ()
    if any(isinstance(it, Tensor) for it in written):
        raise _refused_write(name)
    arrays = [_read(it, name) for it in inputs]
    named = {key: _read(it, name) for key, it in options.items()}
    results = getattr(ufunc, method)(*arrays, **named)
    if written:
        return results
    return tuple(map(_made, results)) if isinstance(results, tuple) else _made(results)


def _array_function(
    self: Tensor,
    function: Callable[..., Any],
    types: Any,
    inputs: Sequence[Any],
    options: dict[str, Any],
) -> Any:
    """Call NumPy's function with arrays over the memory of the tensors it was given.

    Raises:
        TypeError: The result is to be written into a tensor.
        GradientError: A tensor requires grad.
        ShapeError: Lists are nested deeper than arrays have dims.
    """
    name = function.__name__
    written = (options.get("out"), *(inputs[:1] if name in _WRITERS else ()))
    if any(isinstance(it, Tensor) for it in written):
        raise _refused_write(name)
    return function(
        *(_read(it, name) for it in inputs),
        **{key: _read(it, name) for key, it in options.items()},
    )


def _made(result: Any) -> Any:
    """A tensor over what a function of NumPy's has made; what another operand has made, itself."""
    import numpy as np

    if not isinstance(result, (np.ndarray, np.generic)):
        return result
    try:
        return _engine.from_numpy(np.asarray(result)) if result.shape else _engine.tensor(result)
    except DTypeError:
        return result


def _operand(given: Any, op: str) -> Any:
    """Return what stands for `given` beside a tensor: itself, or the number that NumPy holds."""
    import numpy as np

    if not isinstance(given, (np.ndarray, np.generic)):
        return given
    if given.ndim > 0:
        raise TypeError(
            f"{op}: an operand is of type {type(given).__module__}.{type(given).__name__}; a "
            f"Tensor{'' if op == 'matmul' else ' or a number'} is needed: gb.from_numpy(array) is "
            "a Tensor over the same memory"
        )
    if given.dtype.kind not in "biufc":
        raise TypeError(
            f"{op}: an operand is a NumPy scalar of dtype {given.dtype}; a Tensor or a number is "
            "needed"
        )
    value = given.item()
    if isinstance(value, np.generic):  # of a long double
        return complex(value) if given.dtype.kind == "c" else float(value)
    return value


def _read(given: Any, name: str, depth: int = 0) -> Any:
    """Return `given` with arrays in place of tensors, in sequences too."""
    if isinstance(given, Tensor):
        if not given.requires_grad:
            return given.numpy()
        if name in _ABOUT_SIZES:
            return given.detach().numpy()
        raise GradientError(
            f"{name}: NumPy's function of a tensor that requires grad; gradients do not pass it, "
            f"{_instead_of(name)}"
        )
    if isinstance(given, Sequence) and not isinstance(given, (str, bytes, range)):
        if depth == _MOST_DIMS:
            raise ShapeError(
                f"{name}: lists nested more than {_MOST_DIMS} deep, the dims of arrays in NumPy"
            )
        read = [_read(it, name, depth + 1) for it in given]
        return tuple(read) if isinstance(given, tuple) else read
    return given


def _instead_of(name: str) -> str:
    own = _OPERATORS[name][1] if name in _OPERATORS else _RENAMED.get(name, name)
    detached = "detach() if the value alone is needed, for a plot say"
    if callable(getattr(_engine, own, None) or getattr(_functions, own, None)):
        return f"use gb.{own}(), or {detached}"
    return f"use garboard's ops, or {detached}"


def _refused_write(name: str) -> TypeError:
    return TypeError(
        f"{name}: NumPy's function is to write into a tensor; an array is needed, or garboard's "
        "op: gradients would not know what NumPy has written"
    )


add_methods(Tensor, {"__array_function__": _array_function, "__array_ufunc__": _array_ufunc})
