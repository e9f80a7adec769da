"""What Python's own `pickle` calls, by PyTorch's names, for tensors that PyTorch pickled.

`load` reads PyTorch's files without any of it. A pickle that holds more than tensors, as one of a
whole pipeline does, is Python's to read: it runs code, and only a trusted one should be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

from garboard._arguments import check, layouts
from garboard._arguments.texts import shown
from garboard._engine import Tensor, empty
from garboard.io._files import load
from garboard.nn.parameter import Buffer, Parameter
from garboard.storage import TypedStorage

if TYPE_CHECKING:
    from garboard.types import Size

__all__ = [
    "_get_layout",
    "_load_from_bytes",
    "_rebuild_from_type_v2",
    "_rebuild_parameter",
    "_rebuild_parameter_with_state",
    "_rebuild_tensor",
    "_rebuild_tensor_v2",
]

_T = TypeVar("_T", bound=Tensor)


def _load_from_bytes(b: bytes) -> TypedStorage:
    """Read a storage, whose pickle holds a file of PyTorch's form.

    Args:
        b: The file; nothing in it is run.

    Returns:
        A storage of its own.

    Raises:
        FileError: It is broken, or holds no storage.
        TypeError: It is not bytes.

    >>> import io
    >>> import numpy as np
    >>> from garboard.io._rebuilding import _load_from_bytes
    >>> file = io.BytesIO()
    >>> np.save(file, np.arange(2.0))
    >>> _load_from_bytes(file.getvalue()).tolist()
    [0.0, 1.0]
    """
    found = load(BytesIO(check.of_type(bytes, "_load_from_bytes", "b", b)))
    if not isinstance(found, Tensor):
        raise TypeError(f"_load_from_bytes: a file of {shown(found)}; one of a storage is needed")
    return TypedStorage(found.untyped_storage(), found.dtype)


def _rebuild_tensor(storage: TypedStorage, storage_offset: int, size: Size, stride: Size) -> Tensor:
    """Return a tensor over a storage.

    Args:
        storage: The memory, and the dtype.
        storage_offset: Where the first element stands, in elements.
        size: The sizes.
        stride: The strides, in elements.

    Raises:
        ShapeError: Sizes and strides lead out of the storage.
        TypeError: An argument of another type.

    >>> from garboard._utils import _rebuild_tensor
    >>> _rebuild_tensor(gb.arange(6).storage(), 1, (2, 2), (1, 2))
    tensor([[1, 3],
            [2, 4]])
    """
    block = check.of_type(TypedStorage, "_rebuild_tensor", "storage", storage)
    made: Any = empty(0, dtype=block.dtype, device=block.untyped().device)
    result: Tensor = made.set_(block, storage_offset, size, stride)
    return result


def _rebuild_tensor_v2(
    storage: TypedStorage,
    storage_offset: int,
    size: Size,
    stride: Size,
    requires_grad: bool,
    backward_hooks: object,
    metadata: Mapping[str, bool] | None = None,
) -> Tensor:
    """Return a tensor over a storage, as `_rebuild_tensor`; of its own where it is a conjugate.

    Args:
        storage: The memory, and the dtype.
        storage_offset: Where the first element stands, in elements.
        size: The sizes.
        stride: The strides, in elements.
        requires_grad: Whether it requires grad.
        backward_hooks: Ignored: hooks are not pickled.
        metadata: "conj" and "neg" of a tensor that sees its memory so.

    Raises:
        ShapeError: Sizes and strides lead out of the storage.
        GradientError: `requires_grad` of a dtype that has no gradients.
        TypeError: An argument of another type.

    >>> from garboard._utils import _rebuild_tensor_v2
    >>> _rebuild_tensor_v2(gb.ones(2).storage(), 0, (2,), (1,), True, {})
    tensor([1., 1.], requires_grad=True)
    """
    made = _rebuild_tensor(storage, storage_offset, size, stride)
    given = metadata or {}
    if given.get("conj"):
        made = made.conj()
    if given.get("neg"):
        made = -made
    return made.requires_grad_() if requires_grad else made


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: object) -> Parameter:
    """Return a parameter.

    Args:
        data: Its elements.
        requires_grad: Whether it requires grad.
        backward_hooks: Ignored: hooks are not pickled.

    Raises:
        TypeError: An argument of another type.

    >>> from garboard._utils import _rebuild_parameter
    >>> _rebuild_parameter(gb.ones(1), False, {})
    Parameter containing:
    tensor([1.])
    """
    return Parameter(data, requires_grad)


def _rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: object, state: Any
) -> Parameter:
    """Return a parameter with the attributes that a program gave it.

    Args:
        data: Its elements.
        requires_grad: Whether it requires grad.
        backward_hooks: Ignored: hooks are not pickled.
        state: The attributes by name; or a pair of these and those of its slots.

    Raises:
        TypeError: An argument of another type.

    >>> from garboard._utils import _rebuild_parameter_with_state
    >>> vars(_rebuild_parameter_with_state(gb.ones(1), True, {}, {"role": "scale"}))
    {'role': 'scale'}
    """
    return _told(Parameter(data, requires_grad), state)


def _rebuild_from_type_v2(
    func: Callable[..., Tensor], new_type: type[Tensor], args: tuple[Any, ...], state: Any
) -> Tensor:
    """Return a tensor of a class, with the attributes that a program gave it.

    Args:
        func: Makes the tensor.
        new_type: Its class.
        args: What `func` is called with.
        state: The attributes by name; or a pair of these and those of its slots.

    Raises:
        TypeError: An argument of another type.

    >>> from garboard._tensor import _rebuild_from_type_v2
    >>> vars(_rebuild_from_type_v2(gb.ones, gb.Tensor, (1,), {"role": "scale"}))
    {'role': 'scale'}
    """
    made = check.tensor("_rebuild_from_type_v2", "what func returned", func(*args))
    if isinstance(state, dict) and state.get("_is_buffer") is True:
        return Buffer(made, persistent=state.get("persistent") is not False)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    set_state = getattr(new_type, "__setstate__", None)
    if set_state is not None:
        set_state(made, state)
        return made
    return _told(made, state)


def _told(made: _T, state: Any) -> _T:
    parts = state if isinstance(state, tuple) else (state,)
    for name, value in ((name, value) for part in parts for name, value in (part or {}).items()):
        setattr(made, name, value)
    return made


def _get_layout(name: str) -> layouts.layout:
    """Return the layout that a pickle names.

    Args:
        name: As PyTorch writes it, "torch.strided".

    Raises:
        ValueError: No layout has that name.
        TypeError: It is no string.

    >>> gb.serialization._get_layout("torch.strided")
    garboard.strided
    """
    last = check.text("_get_layout", "name", name).rpartition(".")[2]
    found = getattr(layouts, last, None)
    if not isinstance(found, layouts.layout):
        raise ValueError(f"_get_layout: {shown(name)}; torch.strided is one, for example")
    return found
