"""Blocks in which ops choose their dtype."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, overload
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._contexts import autocasting as _autocasting
from garboard._contexts.grad_mode import GradMode

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "autocast",
    "clear_autocast_cache",
    "custom_bwd",
    "custom_fwd",
    "get_autocast_dtype",
    "is_autocast_available",
    "is_autocast_enabled",
]

_F = TypeVar("_F", bound=Callable[..., Any])

_DTYPES = {"cpu": _engine.bfloat16, "cuda": _engine.float16}
# Of which PyTorch has blocks: programs that run on any of them ask about each.
_ELSEWHERE = frozenset({"hpu", "ipu", "maia", "mps", "mtia", "privateuseone", "xla", "xpu"})


def _device_type(op: str, given: Any) -> str:
    said = check.text(op, "device_type", given)
    if said not in _DTYPES:
        raise ArgumentError(f"{op}: device_type {shown(said)}; 'cpu' or 'cuda' is needed")
    return said


def _around(device_type: str) -> _engine.dtype:
    """The dtype of the block around, where ops can convert to it, or the device's own."""
    block = _autocasting.innermost(device_type)
    is_half = block is not None and block.dtype in _DTYPES.values()
    return block.dtype if block is not None and is_half else _DTYPES[device_type]


class autocast(_engine._StackBlock, GradMode):
    """Let ops choose their dtype, in a block or a decorated function.

    Products of matrices, convolutions, attention and recurrent layers convert float32 and half
    types to `dtype`; losses, factorizations and others that need digits, to float32; what adds
    tensors up takes the dtype that holds both. The lists are PyTorch's. float64 stays. Parameters
    are converted once, until the outermost block is left, they are written, or the scope ends in
    which they were converted. Gradients come in the dtypes of what they are for.

    A block belongs to a thread and asyncio task, as grad mode does. Backward passes stand outside
    of it. On the CPU it saves memory rather than time.

    Args:
        device_type: Whose ops: "cpu" or "cuda".
        dtype: What they convert to: by default what the block around does; where there is none,
            bfloat16 on the CPU and float16 on CUDA.
        enabled: False: as if there were no block, inside another one too.
        cache_enabled: Convert parameters once; by default as the block around, or True.

    Raises:
        ValueError: Another device.
        TypeError: A setting of a wrong type, or what is decorated cannot be called.

    >>> layer, x = gb.nn.Linear(4, 2), gb.ones(1, 4)
    >>> with gb.autocast("cpu"):
    ...     y = layer(x)
    >>> y.dtype
    garboard.bfloat16
    """

    _stack = _autocasting.BLOCKS
    _mask = 0

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        op = "autocast"
        self.device: str = _device_type(op, device_type)
        chosen: Any = _around(self.device)
        if dtype is not None:
            chosen = check.of_type(_engine.dtype, op, "dtype", dtype)
        self.fast_dtype: _engine.dtype = chosen
        is_on = check.flag(op, "enabled", enabled)
        outer = _autocasting.blocks_here()
        caches = outer[-1].caches if outer else True
        if cache_enabled is not None:
            caches = check.flag(op, "cache_enabled", cache_enabled)
        self.cache_enabled: bool = caches
        if is_on and self.device == "cuda" and not _engine._cuda_device_count():
            warn(
                "autocast: device_type 'cuda', and there is no CUDA device; nothing is cast",
                stacklevel=2,
            )
            is_on = False
        if is_on and chosen not in (_engine.bfloat16, _engine.float16):
            warn(
                f"autocast: dtype {chosen}; bfloat16 or float16 is needed, and nothing is cast",
                stacklevel=2,
            )
            is_on = False
        self.enabled: bool = is_on

    def _entry(self) -> _autocasting.Block:
        return _autocasting.made(
            self, self.device, self.fast_dtype, self.enabled, self.cache_enabled
        )


def is_autocast_available(device_type: str) -> bool:
    """Tell whether `autocast` knows devices of a type.

    Args:
        device_type: Such as "cpu".

    Returns:
        A bool.

    Raises:
        TypeError: It is no string.

    >>> gb.amp.is_autocast_available("cpu")
    True
    """
    return check.text("is_autocast_available", "device_type", device_type) in _DTYPES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Tell whether ops of a device choose their dtype here and now.

    Args:
        device_type: "cpu" or "cuda"; of "mps" and others that only PyTorch has, none does.

    Returns:
        A bool.

    Raises:
        ValueError: Another device.

    >>> with gb.autocast("cpu"):
    ...     gb.is_autocast_enabled("cpu")
    True
    """
    if device_type in _ELSEWHERE:
        return False
    block = _autocasting.innermost(_device_type("is_autocast_enabled", device_type))
    return block is not None and block.is_enabled


def get_autocast_dtype(device_type: str) -> _engine.dtype:
    """Return what ops of a device convert to here and now, or would in a block without a dtype.

    Args:
        device_type: "cpu" or "cuda".

    Returns:
        A dtype.

    Raises:
        ValueError: Another device.

    >>> gb.get_autocast_dtype("cpu")
    garboard.bfloat16
    """
    block = _autocasting.innermost(_device_type("get_autocast_dtype", device_type))
    found: _engine.dtype = _DTYPES[device_type] if block is None else block.dtype
    return found


def clear_autocast_cache() -> None:
    """Forget what parameters were converted to in the blocks that are open here.

    >>> gb.clear_autocast_cache()
    """
    _autocasting.clear_cache()


@overload
def custom_fwd(
    fwd: None = None, *, device_type: str, cast_inputs: DType | None = None
) -> Callable[[_F], _F]: ...
@overload
def custom_fwd(fwd: _F, *, device_type: str, cast_inputs: DType | None = None) -> _F: ...
def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: DType | None = None) -> Any:
    """Decorate the forward of an `autograd.Function` that is called inside `autocast`.

    Args:
        fwd: The function; without it a decorator is returned.
        device_type: "cpu" or "cuda".
        cast_inputs: Inside a block, convert floating arguments to it, and run without the block.

    Returns:
        A function, or a decorator.

    Raises:
        ValueError: Another device.
        TypeError: What is decorated cannot be called.

    >>> class Square(gb.autograd.Function):
    ...     @staticmethod
    ...     @gb.amp.custom_fwd(device_type="cpu", cast_inputs=gb.float32)
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @gb.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, gradient):
    ...         return 2 * ctx.saved_tensors[0] * gradient
    >>> with gb.autocast("cpu"):
    ...     Square.apply(gb.ones(1, dtype=gb.bfloat16)).dtype
    garboard.float32
    """
    kind = _device_type("custom_fwd", device_type)
    if fwd is None:
        return lambda function: custom_fwd(function, device_type=kind, cast_inputs=cast_inputs)
    check.function("custom_fwd", "fwd", fwd)

    @wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        block = _autocasting.innermost(kind)
        is_on = block is not None and block.is_enabled
        ctx._fwd_used_autocast = is_on and cast_inputs is None
        ctx._fwd_dtype = get_autocast_dtype(kind)
        if not is_on or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(kind, enabled=False):
            return fwd(
                ctx,
                *[_in_dtype(it, cast_inputs, kind) for it in args],
                **{name: _in_dtype(it, cast_inputs, kind) for name, it in kwargs.items()},
            )

    return forward


def _cast(value: Any, device_type: str, dtype: DType) -> Any:
    """Return what lies in a nest of tuples, lists and dicts with its float tensors in a dtype.

    Tensors of float64, and those of other devices, stay what they are.
    """
    kind = _device_type("_cast", device_type)
    check.of_type(_engine.dtype, "_cast", "dtype", dtype)
    return _in_dtype(value, dtype, kind)


def _in_dtype(given: Any, dtype: Any, kind: str) -> Any:
    is_cast = (
        is_really(given, _engine.Tensor)
        and given.is_floating_point()
        and given.dtype != _engine.float64
        and given.device.type == kind
    )
    if is_cast:
        return given.to(dtype)
    if type(given) in (dict, OrderedDict):
        return type(given)((key, _in_dtype(it, dtype, kind)) for key, it in given.items())
    if type(given) in (list, tuple):
        return type(given)(_in_dtype(it, dtype, kind) for it in given)
    return given


@overload
def custom_bwd(bwd: None = None, *, device_type: str) -> Callable[[_F], _F]: ...
@overload
def custom_bwd(bwd: _F, *, device_type: str) -> _F: ...
def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorate the backward of an `autograd.Function`: it runs in `autocast` as its forward did.

    Args:
        bwd: The function; without it a decorator is returned.
        device_type: "cpu" or "cuda".

    Returns:
        A function, or a decorator.

    Raises:
        ValueError: Another device.
        TypeError: What is decorated cannot be called.

    >>> callable(gb.amp.custom_bwd(device_type="cpu"))
    True
    """
    kind = _device_type("custom_bwd", device_type)
    if bwd is None:
        return lambda function: custom_bwd(function, device_type=kind)
    check.function("custom_bwd", "bwd", bwd)

    @wraps(bwd)
    def backward(ctx: Any, *gradients: Any) -> Any:
        is_on = getattr(ctx, "_fwd_used_autocast", False)
        with autocast(kind, getattr(ctx, "_fwd_dtype", None), enabled=is_on):
            return bwd(ctx, *gradients)

    return backward
