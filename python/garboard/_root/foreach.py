"""`_foreach_...`: an op for each tensor of a list; in place where the name ends in `_`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.linalg import vector_norm
from garboard.types import DType, Number

__all__ = ["FOREACH"]

_ALONE = (
    "abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p "
    "log2 max neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc zero"
)
_WITH_ANOTHER = "add clamp_max clamp_min div maximum minimum mul pow sub"
_NEVER_IN_PLACE = ("clone", "max")

_Tensors = Sequence[Tensor]
_Others = Number | Tensor | Sequence[Tensor] | Sequence[Number]


class _ForEach(Protocol):
    def __call__(self, tensors: _Tensors, *given: Any, **named: Any) -> Any: ...


def _column(op: str, count: int, given: Any) -> list[Any]:
    """What stands beside each tensor: one thing for all, or one each."""
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count:
        raise ValueError(f"{op}: {len(given)} beside {shown(count)} tensors; as many are needed")
    return [*given]


def _checked(op: str, tensors: Any) -> list[Tensor]:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{op}: tensors are of type {type(tensors).__name__}; a list or tuple is needed"
        )
    return [check.tensor(op, "a tensor", it) for it in tensors]


def _answer(name: str, given: Any, made: list[Tensor]) -> Any:
    return given if name.endswith("_") else tuple(made)


def _made(name: str, act: Callable[..., Tensor]) -> _ForEach:
    """A function of a list, of what `act` does with each tensor and with what stands beside it."""
    op = f"_foreach_{name}"

    def for_each(tensors: _Tensors, *given: Any, **named: Any) -> Any:
        held = _checked(op, tensors)
        columns = [_column(op, len(held), it) for it in given]
        return _answer(
            name, tensors, [act(*row, **named) for row in zip(held, *columns, strict=True)]
        )

    for_each.__name__ = for_each.__qualname__ = op
    for_each.__doc__ = f"Call `{name}` of each tensor, with what stands beside it in other lists."
    return for_each


def _clamped(name: str) -> Callable[..., Tensor]:
    """`maximum` and its kin, which take numbers, too."""
    bound = "max" if name.startswith(("minimum", "clamp_max")) else "min"
    in_place = name.endswith("_")

    def act(tensor: Tensor, other: Any) -> Tensor:
        return (tensor.clamp_ if in_place else tensor.clamp)(**{bound: other})

    return act


def _method(name: str) -> Callable[..., Tensor]:
    if name.startswith(("clamp_", "maximum", "minimum")):
        return _clamped(name)
    if name == "zero":
        return _engine.zeros_like
    found: Callable[..., Tensor] = getattr(Tensor, name)
    return found


def _pow(base: Any, exponents: Any) -> tuple[Tensor, ...]:
    """Raise each tensor to a power, or a number to each tensor."""
    if isinstance(base, (int, float, complex)):
        return tuple(_engine.pow(base, it) for it in _checked("_foreach_pow", exponents))
    found: tuple[Tensor, ...] = _made("pow", Tensor.pow)(base, exponents)
    return found


def _norm(tensors: _Tensors, ord: float = 2, dtype: DType | None = None) -> tuple[Tensor, ...]:
    """Return the norm of each tensor, of all its elements."""
    held = _checked("_foreach_norm", tensors)
    return tuple(vector_norm(it, ord, dtype=dtype) for it in held)


def _scaled(name: str) -> _ForEach:
    """`addcmul` and its kin: `value` is a number, one for each tensor, or a tensor of them."""
    op = f"_foreach_{name}"
    act = getattr(Tensor, name)

    def for_each(
        tensors: _Tensors, tensor1: _Tensors, tensor2: _Tensors, *value: Any, **named: Any
    ) -> Any:
        held = _checked(op, tensors)
        scale: Any = [*value, *named.values(), 1][0]
        if isinstance(scale, Tensor):
            scale = scale.tolist()
        beside = (_column(op, len(held), it) for it in (tensor1, tensor2, scale))
        rows = zip(held, *beside, strict=True)
        return _answer(name, tensors, [act(x, a, b, value=factor) for x, a, b, factor in rows])

    for_each.__name__ = for_each.__qualname__ = op
    for_each.__doc__ = f"Call `{name}` of each tensor, with those beside it and a factor."
    return for_each


def _named() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    for name in f"{_ALONE} {_WITH_ANOTHER}".split():
        found[name] = _made(name, _method(name))
        if name not in _NEVER_IN_PLACE:
            found[f"{name}_"] = _made(f"{name}_", _method(f"{name}_"))
    del found["zero"]
    for name in ("addcdiv", "addcdiv_", "addcmul", "addcmul_"):
        found[name] = _scaled(name)
    for name in ("copy_", "lerp", "lerp_", "mm"):
        found[name] = _made(name, getattr(Tensor, name))
    found["norm"], found["pow"] = _norm, _pow
    return {f"_foreach_{name}": act for name, act in found.items()}


FOREACH: dict[str, Callable[..., Any]] = _named()
globals().update(FOREACH)
