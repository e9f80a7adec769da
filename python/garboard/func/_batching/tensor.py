"""A sample of a batch: what a function that `vmap` calls is given, for all samples at once.

Its sizes, dtype and name are those of one sample; behind it lies a tensor with the samples along a
first dim. Itself it is a tensor on the device "meta", without elements: an op that would pass the
batch by finds nothing to compute with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn, TypeGuard

from garboard import _engine
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import told
from garboard._engine import Tensor

__all__ = [
    "DEEPEST",
    "BatchedTensor",
    "batch",
    "expanded",
    "hides_a_batch",
    "innermost",
    "is_batched_beyond",
    "revealed",
    "unasked",
]

DEEPEST = 64  # levels of lists in which samples are looked for


class BatchedTensor(Tensor):
    """One sample of a batch that a call of `vmap` hides, standing for all of them."""

    _value: Tensor
    _level: Any
    _is_param = False
    _gives_its_class = False

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        found = innermost((args, kwargs or {}))
        assert found is not None
        return found._level.__torch_function__(func, types, args, kwargs)

    @property
    def requires_grad(self) -> bool:
        return self._value.requires_grad

    @requires_grad.setter
    def requires_grad(self, requires_grad: bool) -> None:
        self._value.requires_grad = requires_grad

    @property
    def grad_fn(self) -> Any:
        return self._value.grad_fn

    @property
    def is_leaf(self) -> bool:
        return self._value.is_leaf

    @property
    def device(self) -> Any:
        return self._value.device

    @property
    def is_cuda(self) -> bool:
        return self._value.is_cuda

    @property
    def is_cpu(self) -> bool:
        return self._value.is_cpu

    @property
    def is_meta(self) -> bool:
        return self._value.is_meta

    @property
    def grad(self) -> Tensor | None:
        found = self._value.grad
        return None if found is None else batch(found, self._level)

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        self._value.grad = None if grad is None else self._beside(grad)

    @property
    def data(self) -> Tensor:
        return batch(self._value.data, self._level)

    @data.setter
    def data(self, data: Tensor) -> None:
        if data.shape != self.shape or data.dtype != self.dtype:
            raise ArgumentError("vmap: a sample's data of other sizes or dtype; use another name")
        self._value.data = self._beside(data)

    def _beside(self, given: Tensor) -> Tensor:
        """What lies behind another sample, or behind what all have alike."""
        found: Any = expanded(given, (self._level,))
        value: Tensor = found._value
        return value

    def get_device(self) -> int:
        return self._value.get_device()

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.unbind(0))

    def __repr__(self, **_: Any) -> str:
        return f"BatchedTensor(level={told(self._level.depth)}, value={told(self._value)})"

    __str__ = __repr__

    def __format__(self, form: str) -> str:
        return self.__repr__()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise ArgumentError("vmap: a sample cannot be pickled; return what is to be kept")

    def __copy__(self) -> Any:
        return batch(self._value, self._level)

    def __deepcopy__(self, memo: Any) -> Any:
        copied: Any = self.detach().clone().requires_grad_(self.requires_grad)
        memo[id(self)] = copied
        copied._is_param = self._is_param
        return copied

    def _agreed(self, op: str, ask: Callable[[Tensor], Any]) -> Any:
        """What every sample answers."""
        first, *others = (ask(it) for it in self._value.unbind(0))
        if any(it != first and not (it != it and first != first) for it in others):
            raise ArgumentError(
                f"vmap: {op} of {len(others) + 1} samples, which differ; one answer is needed, as "
                "they are computed at once: use gb.where, or chunk_size=1, which takes them singly"
            )
        return first

    def item(self) -> Any:
        return self._agreed("item()", lambda it: it.item())

    def tolist(self) -> Any:
        return self._agreed("tolist()", lambda it: it.tolist())

    def __bool__(self) -> bool:
        return bool(self._agreed("bool()", lambda it: it.__bool__()))

    def __int__(self) -> int:
        return int(self._agreed("int()", lambda it: it.__int__()))

    def __float__(self) -> float:
        return float(self._agreed("float()", lambda it: it.__float__()))

    def __complex__(self) -> complex:
        return complex(self._agreed("complex()", lambda it: it.__complex__()))

    def __index__(self) -> int:
        return int(self._agreed("an index", lambda it: it.__index__()))

    def is_nonzero(self) -> bool:
        return bool(self._agreed("is_nonzero()", lambda it: it.is_nonzero()))

    def numpy(self, *, force: bool = False) -> Any:
        return self._only("numpy()").numpy(force=force)

    def __array__(self, *given: Any, **named: Any) -> Any:
        return self._only("an array").__array__(*given, **named)

    def _only(self, op: str) -> Tensor:
        count = self._value.shape[0]
        if count != 1:
            raise ArgumentError(
                f"vmap: {op} of {count} samples, which are computed at once; one is needed: use "
                "ops, or chunk_size=1, which takes them singly"
            )
        return self._value.select(0, 0)


def batch(value: Tensor, level: Any) -> BatchedTensor:
    """The sample that stands for what has the samples along its first dim."""
    before = _engine._set_overriding(None)
    try:
        _engine._set_overriding(False)
        handle = _engine.empty(value.shape[1:], dtype=value.dtype, device="meta")
        made: BatchedTensor = handle.as_subclass(BatchedTensor)
    finally:
        _engine._set_overriding(before)
    made._value, made._level = value, level
    return made


def hides_a_batch(given: Any, level: Any) -> TypeGuard[BatchedTensor]:
    """Whether something is a sample of this level's batch."""
    return type(given) is BatchedTensor and given._level is level


def is_batched_beyond(given: Tensor, depth: int) -> bool:
    """Whether a tensor is a sample of a level inside of the first so many."""
    return type(given) is BatchedTensor and given._level.depth > depth


def innermost(nest: Any, depth: int = 0) -> BatchedTensor | None:
    """The sample of the innermost level within arguments, lists and dicts of them."""
    if type(nest) is BatchedTensor:
        return nest
    found: BatchedTensor | None = None
    if isinstance(nest, (list, tuple, dict)) and depth <= DEEPEST:
        for part in nest.values() if isinstance(nest, dict) else nest:
            one = innermost(part, depth + 1)
            if one is not None and (found is None or one._level.depth > found._level.depth):
                found = one
    return found


def expanded(given: Tensor, levels: tuple[Any, ...]) -> Tensor:
    """A tensor as a sample of each level's batch, the outermost first: seen, where it was none."""
    if not levels:
        return given
    *outer, inner = levels
    if hides_a_batch(given, inner):
        return batch(expanded(given._value, tuple(outer)), inner)
    value = expanded(given, tuple(outer))
    return batch(value.expand(inner.size, *given.shape), inner)


def revealed(given: Tensor) -> Tensor:
    """The tensor with all batches that a sample hides."""
    while type(given) is BatchedTensor:
        given = given._value
    return given


def unasked(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A call with the handles themselves, of which nobody is asked."""
    before = _engine._set_overriding(None)
    try:  # before it is set: a signal may be heard as soon as it is
        _engine._set_overriding(False)
        return function(*args, **kwargs)
    finally:
        _engine._set_overriding(before)
