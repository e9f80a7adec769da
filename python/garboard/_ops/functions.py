"""Functions made of ops, and which names of the engine are public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor
from garboard._native import add_methods
from garboard._ops.dlpack import from_dlpack

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout
    from garboard.types import Device, DType, Number, Size, SupportsBuffer, TensorLike

__all__ = [
    "DTYPES",
    "OPS",
    "aminmax",
    "asarray",
    "broadcast_shapes",
    "empty_permuted",
    "frombuffer",
    "is_tensor",
    "isin",
    "meshgrid",
]

DTYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "short",
    "int",
    "long",
    "half",
    "float",
    "double",
    "cfloat",
    "cdouble",
)
OPS = tuple(
    sorted(
        {row[0] for row in _engine._op_table() if not row[4] and row[0][0] != "_"}
        | {name for name, _, is_method in _engine._other_names() if not is_method}
    )
)


def is_tensor(obj: object) -> bool:
    """Tell whether `obj` is a Tensor.

    Returns:
        A bool; True for a disposed one too.

    >>> gb.is_tensor(gb.ones(2)), gb.is_tensor(2)
    (True, False)
    """
    return isinstance(obj, Tensor)


def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: Literal["ij", "xy"] = "ij"
) -> tuple[Tensor, ...]:
    """Make a grid of coordinates of the tensors' elements.

    Args:
        *tensors: Tensors of one dim at most and of one dtype, or one sequence of them.
        indexing: "ij": element i of tensor k stands at index i of dim k; "xy" swaps the first two
            dims, as pictures have them.

    Returns:
        A tuple of views over the same storage. The graph keeps no tensor.

    Raises:
        ShapeError: There is no tensor, or one has several dims.
        DTypeError: The dtypes differ.
        DeviceError: The tensors are on several devices.
        ValueError: `indexing` is neither of these.
        TypeError: Something else is given than tensors.
        DisposedError: A tensor is disposed.

    >>> rows, columns = gb.meshgrid(gb.arange(2), gb.arange(3))
    >>> rows
    tensor([[0, 0, 0],
            [1, 1, 1]])
    """
    # In Python, as in PyTorch: programs look into its `__kwdefaults__` for `indexing`.
    return _engine.meshgrid(*tensors, indexing=indexing)  # type: ignore[arg-type]


def broadcast_shapes(*shapes: int | Size) -> _engine._Size:
    """Tell the sizes that tensors of these sizes broadcast to.

    Args:
        *shapes: Sizes of each, a tuple or list; an integer stands for one size.

    Returns:
        The sizes, a `Size`.

    Raises:
        ShapeError: They do not broadcast, or a size is negative.
        TypeError: A size is no integer.

    >>> gb.broadcast_shapes((2, 1), 3)
    (2, 3)
    """
    given = [check.sizes("broadcast_shapes", "shapes", shape) for shape in shapes]
    result = [1] * max(map(len, given), default=0)
    for sizes in given:
        for dim in range(-len(sizes), 0):
            if sizes[dim] == 1:
                continue
            if result[dim] not in (1, sizes[dim]):
                raise _engine.ShapeError(
                    f"broadcast_shapes: sizes {[*sizes]} and {result} differ at dim {dim}; they "
                    "must be equal or 1"
                )
            result[dim] = sizes[dim]
    return _engine._Size(result)


@shown_as("aminmax")
class MinAndMax(NamedTuple):
    """What `aminmax` returns."""

    min: Tensor
    max: Tensor


def aminmax(
    input: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
    axis: int | None = None,
    keepdims: bool = False,
) -> MinAndMax:
    """Return the smallest and the largest element.

    Args:
        input: Tensor of any shape.
        dim: Along which; all dims where it is left out.
        keepdim: True keeps it, with size 1.
        axis: NumPy's name of `dim`.
        keepdims: NumPy's name of `keepdim`.

    Returns:
        A pair with the fields `min` and `max`, of `input`'s dtype. Equal elements share a gradient.

    Raises:
        ShapeError: There is no element, or no such dim.
        TypeError: Both names of an argument, or one of another type.
        DisposedError: The tensor is disposed.

    >>> gb.aminmax(gb.tensor([3, 1, 2]))
    garboard.return_types.aminmax(
    min=tensor(1),
    max=tensor(3))
    """
    check.tensor("aminmax", "input", input)
    if dim is not None and axis is not None:
        raise TypeError("aminmax: dim and axis, which are the same; one of them is needed")
    along = axis if dim is None else dim
    dims = () if along is None else (check.integer("aminmax", "dim", along),)
    keeps = check.flag("aminmax", "keepdim", keepdim or keepdims)
    return MinAndMax(input.amin(dims, keeps), input.amax(dims, keeps))


def asarray(
    obj: TensorLike,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """Make a tensor of data, sharing its memory where that is possible, or asked for.

    Args:
        obj: A tensor, an array, a storage, a capsule of DLPack, a number, or nested lists.
        dtype: The dtype; that of `obj` where it is left out. A storage's bytes are read as elements
            of it, of the default dtype where it is left out.
        device: The device; that of `obj` where it is left out.
        copy: True always copies, False never does; None copies where `obj` cannot be shared.
        requires_grad: Whether operations on the tensor are recorded; as on `obj` where it is left
            out.

    Returns:
        A tensor; one made of a tensor that requires grad has its history, unless `requires_grad`
        is False.

    Raises:
        ValueError: `copy` is False, and `obj` cannot be shared.
        ShapeError: Lists of one depth differ in length.
        DTypeError: A number does not fit into the integer dtype, or no dtype is the array's.
        DeviceError: The device cannot be used.
        GradientError: A gradient is asked for, and the dtype is no floating one.
        TypeError: An element is no number, or an argument is of another type.
        DisposedError: `obj` is disposed.

    >>> x = gb.ones(2)
    >>> gb.asarray(x).data_ptr() == x.data_ptr()
    True
    """
    if requires_grad is not None:
        check.flag("asarray", "requires_grad", requires_grad)
    keeps_history = requires_grad is not False
    recorded = obj if keeps_history and isinstance(obj, Tensor) and obj.requires_grad else None
    if type(obj).__name__ == "PyCapsule":  # of DLPack
        obj = from_dlpack(obj)
    if isinstance(obj, _engine.Storage):
        obj = obj._elements(_engine.get_default_dtype() if dtype is None else dtype)
    if copy is not None and check.flag("asarray", "copy", copy):
        if recorded is not None:
            return recorded.to(device=device, dtype=dtype, copy=True)
        place = device if device is not None or not isinstance(obj, Tensor) else obj.device
        made = _engine.tensor(obj, dtype=dtype, device=place)
    else:
        made = _engine.as_tensor(obj, dtype=dtype, device=device)
        if copy is not None and not _is_shared(obj, made):
            raise ArgumentError(
                f"asarray: copy=False of a {type(obj).__name__} that cannot be shared as "
                f"{made.dtype} on {made.device}; leave copy out"
            )
        if recorded is not None:
            return made
        made = made.detach()
    return made.requires_grad_(bool(requires_grad))


def _is_shared(obj: Any, made: Tensor) -> bool:
    if isinstance(obj, (bool, int, float, list, tuple, bytes)):
        return False
    return made.data_ptr() == _engine.as_tensor(obj).data_ptr()


def empty_permuted(
    size: Size,
    physical_layout: Size,
    *,
    dtype: DType | None = None,
    layout: layout | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Make a tensor whose elements lie dense in another order of its dims, and are any numbers.

    Args:
        size: Its sizes.
        physical_layout: Its dims, from the one whose elements lie farthest apart to the one whose
            elements lie side by side.
        dtype: The dtype; the default one where it is left out.
        layout: `gb.strided`, the only one.
        device: The device; the default one where it is left out.
        requires_grad: Whether operations on the tensor are recorded.
        pin_memory: Make it in pinned memory.

    Returns:
        A new tensor.

    Raises:
        ShapeError: `physical_layout` does not name each dim once.
        TypeError: An argument of another type.
        OutOfMemoryError: There is no room.

    >>> gb.empty_permuted((2, 3, 5, 7), (0, 2, 3, 1)).stride()
    (105, 1, 21, 3)
    """
    op = "empty_permuted"
    sizes = check.sizes(op, "size", size)
    order = check.sizes(op, "physical_layout", physical_layout)
    if sorted(order) != [*range(len(sizes))]:
        raise ShapeError(
            f"{op}: physical_layout {list(order)} of sizes {list(sizes)}; each of {len(sizes)} "
            "dims once is needed"
        )
    strides, step = [0] * len(sizes), 1
    for dim in reversed(order):
        strides[dim], step = step, step * max(sizes[dim], 1)
    return _engine.empty_strided(
        sizes,
        strides,
        dtype=dtype,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
        pin_memory=pin_memory,
    )


# How a memoryview calls each dtype; what it has not, as float16 before Python 3.14, comes as what
# has as many bits.
_FORMATS = {
    _engine.bool: "?",
    _engine.uint8: "B",
    _engine.int8: "b",
    _engine.int16: "h",
    _engine.int32: "i",
    _engine.int64: "q",
    _engine.float16: "h",
    _engine.bfloat16: "h",
    _engine.float32: "f",
    _engine.float64: "d",
    _engine.complex64: "f",
    _engine.complex128: "d",
}


def frombuffer(
    buffer: SupportsBuffer,
    *,
    dtype: _engine.dtype,
    count: int = -1,
    offset: int = 0,
    requires_grad: bool = False,
) -> Tensor:
    """Make a tensor over the bytes of an object, which both share.

    Args:
        buffer: Contiguous bytes: a bytearray, an array.array, a memoryview, bytes.
        dtype: What the bytes are numbers of.
        count: How many numbers; -1 for as many as there are.
        offset: How many bytes come before the first.
        requires_grad: Whether operations on the tensor are recorded.

    Returns:
        A tensor of one dim on the CPU, which keeps `buffer` alive. Where the bytes cannot be
        written, as those of `bytes`, neither can the tensor.

    Raises:
        ValueError: There are fewer bytes than asked for, or they are no whole number of elements.
        DTypeError: A gradient is asked for, and the dtype is no floating one.
        TypeError: `buffer` has no bytes, they lie apart, or an argument is of another type.

    >>> gb.frombuffer(bytearray([1, 0, 2, 0]), dtype=gb.int16)
    tensor([1, 2], dtype=garboard.int16)
    """
    if not isinstance(dtype, _engine.dtype):
        raise TypeError(f"frombuffer: dtype {shown(dtype)}; a dtype of garboard is needed")
    recorded = check.flag("frombuffer", "requires_grad", requires_grad)
    wanted = check.integer("frombuffer", "count", count)
    start = check.integer("frombuffer", "offset", offset)
    try:
        view = memoryview(buffer)
    except TypeError:
        raise TypeError(
            f"frombuffer: buffer is of type {type(buffer).__name__}; an object with bytes is needed"
        ) from None
    if not view.c_contiguous:
        raise TypeError("frombuffer: bytes that lie apart; give bytearray(buffer)")
    size = dtype.itemsize
    left = view.nbytes - start
    if start < 0 or left <= 0 or wanted == 0 or wanted < -1 or wanted * size > left:
        raise ArgumentError(
            f"frombuffer: count {wanted} from offset {start} of {view.nbytes} bytes; at least one "
            f"number of {size} bytes, and no more than there are, is needed"
        )
    if wanted == -1 and left % size:
        raise ArgumentError(
            f"frombuffer: {left} bytes of numbers of {size}; a whole number of them is needed"
        )
    numbers = left // size if wanted == -1 else wanted
    whole: Any = view.cast("B")
    part = whole[start : start + numbers * size].cast(_FORMATS[dtype])
    made = _engine.from_numpy(part)
    found = made.view(dtype)
    return found.requires_grad_(recorded)


def isin(
    elements: Tensor | Number,
    test_elements: Tensor | Number,
    *,
    assume_unique: bool = False,
    invert: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Test where each element is among others.

    Args:
        elements: Tensor of any shape, or a number.
        test_elements: What is looked for: a tensor of any shape, or a number; not both are numbers.
        assume_unique: Not needed.
        invert: True tests where none is.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new bool tensor of the shape of `elements`. NaN is among nothing.

    Raises:
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: Both are numbers.
        DisposedError: A tensor is disposed.

    >>> gb.isin(gb.tensor([1, 2, 3]), gb.tensor([3, 1]))
    tensor([ True, False,  True])
    """
    check.flag("isin", "assume_unique", assume_unique)
    like = next((x for x in (elements, test_elements) if isinstance(x, Tensor)), None)
    if like is None:
        raise TypeError("isin: two numbers; at least one Tensor is needed")
    # A number is the other's in its dtype, as 0.1 is among numbers of float64.
    dtype = like.dtype if like.dtype.is_floating_point else None
    with _engine.DisposeScope("isin") as scope, no_grad():
        x, known = (
            check.tensor("isin", name, given)
            if isinstance(given, Tensor)
            else _engine.tensor(check.real("isin", name, given), dtype=dtype, device=like.device)
            for name, given in (("elements", elements), ("test_elements", test_elements))
        )
        shared = _engine.promote_types(x.dtype, known.dtype)
        shared = _engine.uint8 if shared == _engine.bool else shared
        x, known = x.to(shared), _engine.sort(known.to(shared).flatten()).values
        if not known.numel():
            found = _engine.zeros(x.shape, dtype=_engine.bool, device=x.device)
        else:
            places = _engine.searchsorted(known, x).clamp_(max=known.numel() - 1)
            found = known[places] == x
        if check.flag("isin", "invert", invert):
            found = found.logical_not()
        return written("isin", scope.move_to_outer(found), out)


add_methods(Tensor, {"aminmax": aminmax})

all_overridable(globals(), "aminmax", "isin", "meshgrid")
