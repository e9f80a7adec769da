"""PyTorch's switches of the whole process: heard where they change nothing here.

Results never depend on the number of threads or on the run, and subnormal numbers are numbers:
programs that ask for that run as they are. Products of float32 are made of float32, unless a
program lets a CUDA device make them of less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import DeviceError, get_num_threads, set_default_dtype

if TYPE_CHECKING:
    from types import ModuleType

    from garboard._ops.typed_tensors import _TypedTensor
    from garboard.types import Device

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_default_device",
    "get_deterministic_debug_mode",
    "get_device_module",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "is_deterministic_algorithms_warn_only_enabled",
    "set_default_device",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "use_deterministic_algorithms",
]

_MODES = ("default", "warn", "error")
# Each place where a precision is told, behind the one that says it where it says "none".
_ABOVE = {
    "all": None,
    "cuda": "all",
    "cuda.matmul": "cuda",
    "cuda.conv": "cuda",
    "cuda.rnn": "cuda",
    "mkldnn": "all",
    "mkldnn.matmul": "mkldnn",
    "mkldnn.conv": "mkldnn",
    "mkldnn.rnn": "mkldnn",
}


class CudnnSwitches(NamedTuple):
    """How convolutions are computed on CUDA devices where cuDNN is installed."""

    enabled: bool = True
    deterministic: bool = True
    allow_tf32: bool = False


class _Heard:
    """What was asked for last."""

    cudnn = CudnnSwitches()
    deterministic = 0  # a place in _MODES
    only_warns = False
    precision = "highest"
    of_places: ClassVar[dict[str, str]] = {}  # as in _ABOVE
    interop_threads = 0  # 0: nothing was asked for


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same result in every run, which there is anyway.

    Args:
        mode: What `are_deterministic_algorithms_enabled` returns from now on.
        warn_only: Ask for a warning where there is none such: the mode is 1 then, and not 2.

    Raises:
        TypeError: No bool.

    >>> gb.use_deterministic_algorithms(True)
    >>> gb.are_deterministic_algorithms_enabled()
    True
    >>> gb.use_deterministic_algorithms(False)
    """
    op = "use_deterministic_algorithms"
    only_warns, is_on = check.flag(op, "warn_only", warn_only), check.flag(op, "mode", mode)
    _Heard.only_warns = only_warns
    _Heard.deterministic = (1 if only_warns else 2) if is_on else 0


def are_deterministic_algorithms_enabled() -> bool:
    """Tell what `use_deterministic_algorithms` was asked for.

    Returns:
        A bool; results are the same in every run either way.

    >>> gb.are_deterministic_algorithms_enabled()
    False
    """
    return _Heard.deterministic > 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Tell whether `use_deterministic_algorithms` was asked for warnings.

    Returns:
        A bool; results are the same in every run either way.

    >>> gb.is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _Heard.only_warns


def set_deterministic_debug_mode(debug_mode: Literal["default", "warn", "error"] | int) -> None:
    """Ask for the same result in every run, by a word or its number.

    Args:
        debug_mode: "default" or 0, "warn" or 1, "error" or 2.

    Raises:
        ValueError: None of these.
        TypeError: Neither a text nor an integer.

    >>> gb.set_deterministic_debug_mode("default")
    """
    op = "set_deterministic_debug_mode"
    if isinstance(debug_mode, str):
        number = _MODES.index(check.choice(op, "debug_mode", debug_mode, *_MODES))
    else:
        number = check.count(op, "debug_mode", debug_mode)
    if number >= len(_MODES):
        raise ValueError(f"{op}: debug_mode {number}; 0, 1 or 2 is needed")
    _Heard.deterministic, _Heard.only_warns = number, number == 1


def get_deterministic_debug_mode() -> int:
    """Return the number of the mode that was asked for: 0, 1 or 2.

    >>> gb.get_deterministic_debug_mode()
    0
    """
    return _Heard.deterministic


def set_float32_matmul_precision(precision: Literal["highest", "high", "medium"]) -> None:
    """Say how exact products of float32 have to be on CUDA devices.

    Args:
        precision: "highest": of float32. "high" and "medium": factors may be rounded to TF32, 10
            bits behind the point, which tensor cores multiply many times as fast; sums are
            float32's. On a CPU products are of float32 whatever is said.

    Raises:
        ValueError: None of these.
        TypeError: No text.

    >>> gb.set_float32_matmul_precision("high")
    >>> gb.get_float32_matmul_precision()
    'high'
    >>> gb.set_float32_matmul_precision("highest")
    """
    op = "set_float32_matmul_precision"
    _Heard.precision = check.choice(op, "precision", precision, "highest", "high", "medium")
    set_fp32_precision("cuda.matmul", "ieee" if precision == "highest" else "tf32")
    _Heard.of_places["mkldnn.matmul"] = _OF_WORDS[_Heard.precision]


_OF_WORDS = {"highest": "ieee", "high": "tf32", "medium": "bf16"}


def fp32_precision(place: str) -> str:
    """What is told of a place by itself, or by the next above that tells anything."""
    found = "none"
    asked: str | None = place
    while found == "none" and asked is not None:
        found, asked = _Heard.of_places.get(asked, "none"), _ABOVE[asked]
    return found


def set_fp32_precision(place: str, precision: str) -> None:
    """Tell how exact float32 has to be at a place, and at those below that tell nothing."""
    op, known = "fp32_precision", ("none", "ieee", "tf32", "bf16")
    check.choice(op, "precision", precision, *known[: 3 if place.startswith("cuda") else 4])
    _Heard.of_places[place] = precision
    _choose_products()


def _is_tf32(place: str) -> bool:
    return fp32_precision(place) == "tf32"


def cudnn_switches() -> CudnnSwitches:
    """Return what was set last."""
    return _Heard.cudnn._replace(allow_tf32=_is_tf32("cuda.conv"))


def set_cudnn_switches(switches: CudnnSwitches) -> None:
    """Set all of them."""
    _Heard.cudnn = switches
    if switches.allow_tf32 != _is_tf32("cuda.conv"):
        for place in ("cuda.conv", "cuda.rnn"):
            _Heard.of_places[place] = "tf32" if switches.allow_tf32 else "ieee"
    _choose_products()


def _choose_products() -> None:
    of = cudnn_switches()
    is_tf32 = _is_tf32("cuda.matmul")
    _engine._choose_products(is_tf32, of.allow_tf32, of.enabled, of.deterministic)


def get_float32_matmul_precision() -> str:
    """Return what `set_float32_matmul_precision` was told.

    Returns:
        Its word; "high" and "highest" where `backends.cuda.matmul` was told otherwise since.

    >>> gb.get_float32_matmul_precision()
    'highest'
    """
    if not _is_tf32("cuda.matmul"):
        return "highest"
    return "high" if _Heard.precision == "highest" else _Heard.precision


def set_num_interop_threads(num: int) -> None:
    """Say how many ops may run beside each other; a program's own threads do that here.

    Args:
        num: 1 or more.

    Raises:
        ValueError: Less than 1.
        TypeError: No integer.

    >>> gb.set_num_interop_threads(2)
    >>> gb.get_num_interop_threads()
    2
    """
    _Heard.interop_threads = check.count("set_num_interop_threads", "num", num, 1)


def get_num_interop_threads() -> int:
    """Return what `set_num_interop_threads` was told, or as many as an op uses.

    >>> gb.get_num_interop_threads() > 0
    True
    """
    return _Heard.interop_threads or get_num_threads()


def set_flush_denormal(mode: bool) -> bool:
    """Refuse to take subnormal numbers for 0: they are numbers.

    Products of `bfloat16` take them for 0 all the same where the processor has instructions for
    such products (AVX512_BF16, AMX), whatever is asked for.

    Args:
        mode: True asks for it.

    Returns:
        False: it is not so.

    Raises:
        TypeError: No bool.

    >>> gb.set_flush_denormal(True)
    False
    """
    check.flag("set_flush_denormal", "mode", mode)
    return False


def set_default_tensor_type(t: str | _TypedTensor) -> None:
    """Choose the dtype that floats get, as programs did before `gb.set_default_dtype`.

    Args:
        t: `gb.FloatTensor`, `gb.DoubleTensor` and their like, or their names, also with "torch."
            before them.

    Raises:
        DeviceError: A name with "cuda" in it: give `device=` where tensors are made.
        TypeError: Another name or type, or an integer's.

    >>> gb.set_default_tensor_type("torch.DoubleTensor")
    >>> gb.tensor(0.5).dtype
    garboard.float64
    >>> gb.set_default_tensor_type(gb.FloatTensor)
    """
    from garboard._ops import typed_tensors as _typed_tensors

    op = "set_default_tensor_type"
    typed: object = t
    if isinstance(t, str):
        name = t.rpartition(".")[2]
        if ".cuda." in t:
            raise DeviceError(f"{op}: {shown(t)}; give device= where tensors are made")
        typed = getattr(_typed_tensors, name, None) if name in _typed_tensors.__all__ else None
    dtype = getattr(typed, "dtype", None)
    if not isinstance(typed, _typed_tensors._TypedTensor) or dtype is None:
        given = shown(t) if isinstance(t, str) else f"of type {type(t).__name__}"
        raise TypeError(f"{op}: t is {given}; gb.FloatTensor or its like is needed")
    if not dtype.is_floating_point:
        raise TypeError(f"{op}: t is of dtype {dtype}; a floating one is needed")
    set_default_dtype(dtype)


def set_default_device(device: Device | None) -> None:
    """Choose where tensors are made that no `device=` is given for, in this thread or task.

    Args:
        device: A device; None for the CPU. `with gb.device(...):` chooses for a block.

    Raises:
        DeviceError: There is no such device, or it cannot be used.

    >>> gb.set_default_device("meta")
    >>> gb.ones(2, 3)
    tensor(..., device='meta', size=(2, 3))
    >>> gb.set_default_device(None)
    """
    _engine._set_default_device(device)


def get_default_device() -> _engine.device:
    """Return the device of tensors that no `device=` is given for, in this thread or task.

    Returns:
        That of the innermost `with gb.device(...):`; else of `set_default_device`, first the CPU.

    >>> with gb.device("meta"):
    ...     gb.get_default_device()
    device(type='meta')
    """
    return _engine._default_device()


def get_device_module(device: Device | None = None) -> ModuleType:
    """Return the module about a kind of device, such as `gb.cuda`.

    Args:
        device: One of that kind; by default CUDA's, where there is one, and else the CPU.

    Returns:
        `gb.cuda` or `gb.cpu`.

    Raises:
        DeviceError: There is no such device, or no module about it.
        TypeError: It is no device, nor the name of one.

    >>> gb.get_device_module("cpu") is gb.cpu
    True
    """
    from importlib import import_module

    if device is None:
        device = "cuda" if _engine._cuda_device_count() else "cpu"
    kind = _engine.device(device).type
    if kind not in ("cpu", "cuda"):
        raise DeviceError(f"get_device_module: {shown(kind)}; 'cpu' or 'cuda' is needed")
    return import_module(f"garboard.{kind}")
