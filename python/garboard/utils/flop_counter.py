"""How many floating-point operations a block takes: of products, convolutions and attention.

As PyTorch counts: a multiplication and an addition are two, and what is not of these kinds is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, Self

from garboard import _engine, ops
from garboard._arguments import check
from garboard._engine import Tensor
from garboard.overrides import TorchFunctionMode

if TYPE_CHECKING:
    from types import TracebackType

    from garboard.nn import Module

__all__ = ["FlopCounterMode"]

_Counts = dict[str, dict[Any, int]]
_Counted = tuple[str, int]  # an op of PyTorch's, and how many operations


def _of_product(a: Tensor, b: Tensor, made: Tensor) -> list[_Counted]:
    if b.ndim == 1 or (a.ndim == 1 and b.ndim == 2):
        return []  # of a vector: PyTorch counts none
    is_batched = b.ndim > 2
    return [("bmm" if is_batched else "mm", 2 * made.numel() * a.shape[-1])]


def _of_sum(name: str) -> Callable[..., list[_Counted]]:
    def count(made: Tensor, _: Tensor, a: Tensor, *rest: Any) -> list[_Counted]:
        return [(name, 2 * made.numel() * a.shape[-1])]

    return count


def _of_linear(made: Tensor, x: Tensor, weight: Tensor, bias: Any = None) -> list[_Counted]:
    return [("mm" if bias is None else "addmm", 2 * made.numel() * x.shape[-1])]


def _of_convolution(made: Tensor, x: Tensor, weight: Tensor, *rest: Any) -> list[_Counted]:
    dims = weight.ndim - 2
    places = prod(made.shape[-dims:]) * (made.shape[0] if made.ndim == weight.ndim else 1)
    return [("convolution", 2 * weight.numel() * places)]


def _of_transposed(made: Tensor, x: Tensor, weight: Tensor, *rest: Any) -> list[_Counted]:
    dims = weight.ndim - 2
    places = prod(x.shape[-dims:]) * (x.shape[0] if x.ndim == weight.ndim else 1)
    return [("convolution", 2 * weight.numel() * places)]


_FLASH = "_scaled_dot_product_flash_attention_for_cpu"


def _of_attention(made: Tensor, q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> list[_Counted]:
    scores = prod(q.shape[:-1]) * k.shape[-2]
    is_flash = q.shape[-1] == v.shape[-1] and q.ndim == 4
    return [(_FLASH if is_flash else "bmm", 2 * scores * (q.shape[-1] + v.shape[-1]))]


def _of_matmul(made: Tensor, a: Tensor, b: Tensor, *rest: Any) -> list[_Counted]:
    return _of_product(a, b, made)


_FORWARD: dict[str, Callable[..., list[_Counted]]] = {
    **dict.fromkeys(("matmul", "mm", "bmm"), _of_matmul),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _of_convolution),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _of_transposed),
    "addmm": _of_sum("addmm"),
    "baddbmm": _of_sum("baddbmm"),
    "linear": _of_linear,
    "scaled_dot_product_attention": _of_attention,
}


def _backward(counted: _Counted, x: Any, weight: Any, groups: int) -> _Counted:
    """What the gradients for the factors take that ask for one."""
    name, count = counted
    asks = [isinstance(it, Tensor) and it.requires_grad for it in (x, weight)]
    if name == _FLASH:
        return f"{_FLASH}_backward", count * 5 // 2  # the scores are computed again
    if name == "convolution":
        return "convolution_backward", count * (asks[0] + asks[1] * groups)
    to = {"addmm": "mm", "baddbmm": "bmm"}.get(name, name)
    return to, count * sum(asks)


class FlopCounterMode(TorchFunctionMode):
    """A block that counts the operations of products, convolutions and attention in it.

    They count for each module that is called in the block, by its path, and for "Global". A
    backward pass in the block counts what it computes of them; recurrent layers count for nothing.

    Args:
        mods: Taken and ignored: modules are found as they are called.
        depth: How deep modules are shown; 2 by default.
        display: Print the table at the end of the block.
        custom_mapping: By op, such as `ops.aten.relu`, a function that counts it: it is called with
            the sizes of the tensors and `out_shape`.

    Raises:
        TypeError: An argument is of another type.

    >>> with gb.utils.flop_counter.FlopCounterMode(display=False) as counter:
    ...     _ = gb.nn.Linear(4, 2)(gb.ones(3, 4))
    >>> counter.get_total_flops()
    48
    >>> counter.get_flop_counts()["Linear"]
    {aten.addmm: 48}
    """

    def __init__(
        self,
        mods: Module | list[Module] | None = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: Mapping[object, Callable[..., int]] | None = None,
    ) -> None:
        self.depth: int = check.count("FlopCounterMode", "depth", depth)
        self.display: bool = check.flag("FlopCounterMode", "display", display)
        self._own: dict[str, Callable[..., int]] = {}
        if custom_mapping is not None:
            kind: type[Any] = Mapping
            check.of_type(kind, "FlopCounterMode", "custom_mapping", custom_mapping)
            for op, count in custom_mapping.items():
                name = str(op).rpartition(".")[2]
                self._own[name] = check.function("FlopCounterMode", f"the count of {name}", count)
        self._counts: _Counts = {}
        self._is_open = False
        self._path: list[str] = []
        self._hooks: list[Any] = []

    def __enter__(self) -> Self:
        from garboard.nn.modules.module import (
            register_module_forward_hook,
            register_module_forward_pre_hook,
        )

        self._counts = {"Global": {}}
        self._is_open, self._path = True, []
        self._hooks = [
            register_module_forward_pre_hook(_Entering(self._path)),
            register_module_forward_hook(_Leaving(self._path), always_call=True),
        ]
        super().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        self._is_open = False
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        if self.display:
            print(self.get_table(self.depth))

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function and count it; of one written in Python, the ops that it is made of."""
        named = kwargs or {}
        if isinstance(func, _engine._Overridable):
            return self._inside(func.__wrapped__, args, named)
        made = func(*args, **named)
        name = getattr(func, "__name__", "")
        if name in self._own:
            sizes = [tuple(it.shape) if isinstance(it, Tensor) else it for it in args]
            out = tuple(made.shape) if isinstance(made, Tensor) else None
            self._add(name, int(self._own[name](*sizes, **named, out_shape=out)), self._names())
        elif name in _FORWARD and isinstance(made, Tensor):
            self._count(name, made, args, named)
        return made

    def _inside(
        self, function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """Call it with the block open again, which is given what it calls."""
        _engine._push_override(self)
        try:
            return function(*args, **named)
        finally:
            _engine._pop_override()

    def _count(self, name: str, made: Tensor, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        given = (*args, *(it for it in named.values() if isinstance(it, Tensor)))
        names = self._names()
        for counted in _FORWARD[name](made, *given):
            kind, count = counted
            if kind in self._own:
                sizes = [tuple(it.shape) for it in given if isinstance(it, Tensor)]
                count = int(self._own[kind](*sizes, out_shape=tuple(made.shape)))
            self._add(kind, count, names)
            if made.requires_grad:
                first = 1 if name in ("addmm", "baddbmm") else 0
                place = 8 if "transpose" in name else 6
                groups = named.get("groups", args[place] if len(args) > place else 1)
                back = _backward(counted, given[first], given[first + 1], groups)
                made.register_hook(_Counting(self, back, names))

    def _names(self) -> list[str]:
        return ["Global", *dict.fromkeys(self._path)]

    def _add(self, kind: str, count: int, names: list[str]) -> None:
        if count and self._is_open:
            op = getattr(ops.aten, kind, None) or _Named(kind)
            for name in names:
                counts = self._counts.setdefault(name, {})
                counts[op] = counts.get(op, 0) + count

    def get_total_flops(self) -> int:
        """Return how many operations the block took."""
        return sum(self._counts.get("Global", {}).values())

    def get_flop_counts(self) -> _Counts:
        """Return by the path of a module, and for "Global", how many each op took."""
        return {"Global": {}} | {name: dict(counts) for name, counts in self._counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """Return the counts as text, a line a module, down to some depth.

        Args:
            depth: How many modules may stand in each other; by default as the block was told.

        >>> with gb.utils.flop_counter.FlopCounterMode(display=False) as counter:
        ...     x = gb.ones(2, 3) @ gb.ones(3, 4)
        >>> "Global" in counter.get_table()
        True
        """
        deepest = self.depth if depth is None else check.count("get_table", "depth", depth)
        total = max(self.get_total_flops(), 1)
        rows = [("Module", "FLOP", "% Total")]
        for name, counts in self._counts.items():
            level = 0 if name == "Global" else name.count(".") + 1
            if level <= deepest:
                for at, (op, count) in enumerate([("", sum(counts.values())), *counts.items()]):
                    shown = " " * level + (f" - {op}" if at else name)
                    rows.append((shown, f"{count:,}", f"{100 * count / total:.2f}%"))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            f"{first.ljust(widths[0])}  {second.rjust(widths[1])}  {third.rjust(widths[2])}"
            for first, second, third in rows
        ]
        return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


class _Named:
    """An op that is none here, by PyTorch's name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and other._name == self._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return f"aten.{self._name}"


class _Counting:
    """A hook of a tensor: its gradient is there, so those of the factors are computed."""

    def __init__(self, counter: FlopCounterMode, counted: _Counted, names: list[str]) -> None:
        self._counter, self._counted, self._names = counter, counted, names

    def __call__(self, gradient: Tensor) -> None:
        self._counter._add(*self._counted, self._names)


class _Entering:
    """A hook of all modules: what is called stands within the module that is called now."""

    def __init__(self, path: list[str]) -> None:
        self._path = path
        self._known: dict[int, str] = {}

    def __call__(self, module: Module, given: Any) -> None:
        name = self._known.setdefault(id(module), type(module).__name__)
        for child, within in module.named_children():
            self._known[id(within)] = f"{name}.{child}"
        self._path.append(name)


class _Leaving:
    def __init__(self, path: list[str]) -> None:
        self._path = path

    def __call__(self, module: Module, given: Any, made: Any) -> None:
        if self._path:
            self._path.pop()
