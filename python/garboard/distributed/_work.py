"""What calls that join processes return, and what they check first."""

from __future__ import annotations

from datetime import timedelta
from typing import Generic, TypeVar

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard.distributed._group import of_group, refuse_unless_first
from garboard.futures import Future

__all__ = [
    "ReduceOp",
    "Work",
    "Works",
    "checked",
    "copied",
    "only_tensor",
    "refuse_unless_joinable",
    "refuse_unless_one",
    "work",
]

_T = TypeVar("_T")


class ReduceOp:
    """How numbers of several processes are joined: those of one are what they are.

    >>> gb.distributed.ReduceOp.SUM
    'SUM'
    """

    SUM = "SUM"
    AVG = "AVG"
    PRODUCT = "PRODUCT"
    MIN = "MIN"
    MAX = "MAX"
    BAND = "BAND"
    BOR = "BOR"
    BXOR = "BXOR"


_OPS = frozenset(it for name, it in vars(ReduceOp).items() if name.isupper())
_OF_BITS = frozenset({ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR})


class Work(Generic[_T]):
    """What a call with `async_op=True` returns; it is done already.

    Args:
        made: What the call has written.

    >>> gb.distributed.Work([gb.ones(1)]).wait()
    True
    """

    def __init__(self, made: _T) -> None:
        self._made = made

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Return True.

        Args:
            timeout: Ignored.

        >>> gb.distributed.Work(None).wait()
        True
        """
        return True

    def synchronize(self) -> None:
        """Do nothing.

        >>> gb.distributed.Work(None).synchronize()
        """

    def is_completed(self) -> bool:
        """Return True.

        >>> gb.distributed.Work(None).is_completed()
        True
        """
        return True

    def is_success(self) -> bool:
        """Return True.

        >>> gb.distributed.Work(None).is_success()
        True
        """
        return True

    def exception(self) -> None:
        """Return None: what fails is told by the call.

        >>> gb.distributed.Work(None).exception()
        """

    def result(self) -> _T:
        """Return the tensors that were written.

        >>> gb.distributed.Work([gb.ones(1)]).result()
        [tensor([1.])]
        """
        return self._made

    def get_future(self) -> Future[_T]:
        """Return a future with the tensors that were written.

        >>> gb.distributed.Work([gb.ones(1)]).get_future().wait()
        [tensor([1.])]
        """
        future: Future[_T] = Future()
        future.set_result(self._made)
        return future


Works = Work[list[Tensor]]


def work(made: list[Tensor], async_op: bool) -> Works | None:
    return Work(made) if async_op else None


def checked(op: str, name: str, given: object, group: object) -> Tensor:
    of_group(op, group)
    return check.tensor(f"distributed.{op}", name, given)


def refuse_unless_joinable(op: str, tensor: Tensor, by: object) -> None:
    if by not in _OPS:
        raise TypeError(
            f"distributed.{op}: op {shown(by)}; a member of ReduceOp, SUM say, is needed"
        )
    if by in _OF_BITS and (tensor.is_floating_point() or tensor.is_complex()):
        raise DTypeError(f"distributed.{op}: {shown(by)} of {tensor.dtype}; integers are needed")


def only_tensor(op: str, name: str, given: object) -> Tensor:
    """The one tensor of a list that has one a process."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"distributed.{op}: {name} is of type {type(given).__name__}; a list is needed"
        )
    if len(given) != 1:
        raise ShapeError(
            f"distributed.{op}: {name} has {len(given)} tensors; one a process, 1, is needed"
        )
    return check.tensor(f"distributed.{op}", f"{name}[0]", given[0])


def copied(op: str, target: Tensor, source: Tensor) -> None:
    if target.numel() != source.numel():
        raise ShapeError(
            f"distributed.{op}: sizes {list(source.shape)} into {list(target.shape)}; as many "
            "elements are needed"
        )
    if target.dtype != source.dtype:
        raise DTypeError(
            f"distributed.{op}: {source.dtype} into {target.dtype}; the same dtype is needed"
        )
    with no_grad():
        target.copy_(source.detach().reshape(target.shape))


def refuse_unless_one(op: str, **ranks: int | None) -> None:
    """Check the process that is named once, by its rank among all or in the group."""
    given = {name: rank for name, rank in ranks.items() if rank is not None}
    if not given:
        raise ArgumentError(f"distributed.{op}: no {' or '.join(ranks)}; one is needed")
    for name, rank in given.items():
        refuse_unless_first(op, name, rank)
