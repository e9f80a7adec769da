"""`_foreach_...`: an op for each tensor of a list; in place where the name ends in `_`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import Tensor
from garboard.linalg import vector_norm
from garboard.types import DType, Number

__all__ = ["FOREACH", "for_each_named"]

_ALONE = (
    "abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p "
    "log2 max neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc zero"
)
_WITH_ANOTHER = "add clamp_max clamp_min div maximum minimum mul pow sub"
_NEVER_IN_PLACE = ("clone", "max")

_Tensors = Sequence[Tensor]
_Others = Number | Tensor | Sequence[Tensor] | Sequence[Number]


_ForEach = Callable[..., Any]

_ARGUMENTS = {
    "other": "What stands beside them: a number or a tensor for all, or a list of one each.",
    "weight": "How far to go from each: a number or a tensor for all, or a list of one each.",
    "tensor1": "As many tensors, the first factors, or what is divided.",
    "tensor2": "As many tensors, the second factors, or what divides.",
    "ord": "Which norm, as of `linalg.vector_norm`.",
    "dtype": "What each tensor is cast to first.",
}
_DOC = """Call `{op}` of each tensor of a list{how}.

    Args:
        tensors: A list or tuple of tensors.
{arguments}

    Returns:
        {answer}.

    Raises:
        ArgumentError: Lists are of different lengths.
        TypeError: What is given is no list of tensors.

    >>> len(gb.foreach.{name}({example}))
    1
    """


def _column(op: str, count: int, given: Any) -> list[Any]:
    """What stands beside each tensor: one thing for all, or one each."""
    if not isinstance(given, (list, tuple)):
        return [given] * count
    if len(given) != count:
        raise ArgumentError(f"{op}: {len(given)} beside {shown(count)} tensors; as many are needed")
    return [*given]


def _checked(op: str, tensors: Any) -> list[Tensor]:
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            f"{op}: tensors are of type {type(tensors).__name__}; a list or tuple is needed"
        )
    return [check.tensor(op, "a tensor", it) for it in tensors]


def _answer(name: str, given: Any, made: list[Tensor]) -> Any:
    return given if name.endswith("_") else tuple(made)


def _titled(for_each: _ForEach, prefix: str, name: str, example: str, **told: str) -> _ForEach:
    in_place = name.endswith("_")
    for_each.__name__ = for_each.__qualname__ = f"{prefix}{name}".rpartition(".")[2]
    for_each.__doc__ = _DOC.format(
        op=name.rstrip("_"),
        how=", and write what it gives over the tensor" if in_place else "",
        arguments="\n".join(f"        {key}: {it}" for key, it in told.items()),
        answer="The list that was given" if in_place else "A tuple of what the op makes of each",
        name=name,
        example=example,
    ).replace("tensors.\n\n\n", "tensors.\n\n")
    return for_each


def _alone(prefix: str, name: str, act: Callable[..., Tensor]) -> _ForEach:
    op = f"{prefix}{name}"

    def for_each(tensors: _Tensors) -> Any:
        return _answer(name, tensors, [act(it) for it in _checked(op, tensors)])

    return _titled(for_each, prefix, name, "[gb.ones(2)]")


def _beside(
    prefix: str, name: str, act: Callable[..., Tensor], example: str = "[gb.ones(2)], 2"
) -> _ForEach:
    """A function of a list, of what `act` does with each tensor and with what stands beside it."""
    op = f"{prefix}{name}"

    def for_each(tensors: _Tensors, other: _Others, **options: Any) -> Any:
        held = _checked(op, tensors)
        column = _column(op, len(held), other)
        made = [act(it, its, **options) for it, its in zip(held, column, strict=True)]
        return _answer(name, tensors, made)

    told = f"What `{name}` of a tensor takes besides, by its name."
    return _titled(for_each, prefix, name, example, other=_ARGUMENTS["other"], options=told)


def _moved(prefix: str, name: str) -> _ForEach:
    op = f"{prefix}{name}"
    act: Callable[..., Tensor] = getattr(Tensor, name)

    def for_each(tensors: _Tensors, other: _Tensors, weight: _Others) -> Any:
        held = _checked(op, tensors)
        columns = (_column(op, len(held), it) for it in (other, weight))
        return _answer(name, tensors, [act(*row) for row in zip(held, *columns, strict=True)])

    told = {"other": "As many tensors, to go to.", "weight": _ARGUMENTS["weight"]}
    return _titled(for_each, prefix, name, "[gb.ones(2)], [gb.zeros(2)], 0.5", **told)


def _copied(prefix: str) -> _ForEach:
    op = f"{prefix}copy_"

    def for_each(tensors: _Tensors, source: _Tensors, non_blocking: bool = False) -> Any:
        held = _checked(op, tensors)
        for it, its in zip(held, _column(op, len(held), source), strict=True):
            it.copy_(its, non_blocking)
        return tensors

    told = {"source": "As many tensors to copy.", "non_blocking": "Go on before copies are done."}
    return _titled(for_each, prefix, "copy_", "[gb.ones(2)], [gb.zeros(2)]", **told)


def _clamped(name: str) -> Callable[..., Tensor]:
    """`maximum` and its kin, which take numbers, too."""
    bound = "max" if name.startswith(("minimum", "clamp_max")) else "min"
    in_place = name.endswith("_")

    def act(tensor: Tensor, other: Any) -> Tensor:
        method: Callable[..., Tensor] = getattr(tensor, f"clamp_{bound}{'_' if in_place else ''}")
        return method(other)

    return act


def _method(name: str) -> Callable[..., Tensor]:
    if name.startswith(("clamp_", "maximum", "minimum")):
        return _clamped(name)
    if name == "zero":
        return _engine.zeros_like
    found: Callable[..., Tensor] = getattr(Tensor, name)
    return found


def _raised(prefix: str) -> _ForEach:
    """`pow`, whose base may be a number for all."""
    op = f"{prefix}pow"
    of_tensors = _beside(prefix, "pow", Tensor.pow)

    def for_each(tensors: Any, other: Any) -> Any:
        if isinstance(tensors, (int, float, complex)):
            return tuple(_engine.pow(tensors, it) for it in _checked(op, other))
        return of_tensors(tensors, other)

    told = "The exponents: a number or a tensor for all, or a list of one each; a list, where the"
    told += " base is a number."
    return _titled(for_each, prefix, "pow", "[gb.ones(2)], 2", other=told)


def _measured(prefix: str) -> _ForEach:
    """The norm of each tensor, of all its elements."""
    op = f"{prefix}norm"

    def for_each(tensors: _Tensors, ord: float = 2, dtype: DType | None = None) -> Any:
        return tuple(vector_norm(it, ord, dtype=dtype) for it in _checked(op, tensors))

    told = {name: _ARGUMENTS[name] for name in ("ord", "dtype")}
    return _titled(for_each, prefix, "norm", "[gb.ones(2)]", **told)


def _scaled(prefix: str, name: str) -> _ForEach:
    """`addcmul` and its kin: `value` is a number, one for each tensor, or a tensor of them."""
    op = f"{prefix}{name}"
    act: Callable[..., Tensor] = getattr(Tensor, name)

    def for_each(
        tensors: _Tensors,
        tensor1: _Tensors,
        tensor2: _Tensors,
        scalars: Any = None,
        *,
        value: Any = 1,
    ) -> Any:
        held = _checked(op, tensors)
        scale = value if scalars is None else scalars
        if isinstance(scale, Tensor):
            scale = scale.tolist()
        beside = (_column(op, len(held), it) for it in (tensor1, tensor2, scale))
        rows = zip(held, *beside, strict=True)
        return _answer(name, tensors, [act(x, a, b, value=factor) for x, a, b, factor in rows])

    told = {key: _ARGUMENTS[key] for key in ("tensor1", "tensor2")}
    told |= {"scalars": "The same as `value`, which it goes before."}
    told |= {"value": "The factor: a number for all, or a list or a tensor of one each."}
    return _titled(for_each, prefix, name, "[gb.ones(2)], [gb.ones(2)], [gb.ones(2)]", **told)


def for_each_named(prefix: str) -> dict[str, _ForEach]:
    """The functions by their ops, each called `prefix` and its op in what it raises."""
    found: dict[str, _ForEach] = {}
    for names, made in ((_ALONE, _alone), (_WITH_ANOTHER, _beside)):
        for name in names.split():
            found[name] = made(prefix, name, _method(name))
            if name not in _NEVER_IN_PLACE:
                found[f"{name}_"] = made(prefix, f"{name}_", _method(f"{name}_"))
    del found["zero"]
    for name in ("addcdiv", "addcdiv_", "addcmul", "addcmul_"):
        found[name] = _scaled(prefix, name)
    for name in ("lerp", "lerp_"):
        found[name] = _moved(prefix, name)
    found["mm"] = _beside(prefix, "mm", Tensor.mm, "[gb.ones(2, 2)], [gb.ones(2, 2)]")
    found |= {"copy_": _copied(prefix), "norm": _measured(prefix), "pow": _raised(prefix)}
    return found


FOREACH: dict[str, Callable[..., Any]] = {
    f"_foreach_{name}": act for name, act in for_each_named("_foreach_").items()
}
globals().update(FOREACH)
