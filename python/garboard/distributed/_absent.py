"""Types that several processes would share something by: programs ask for their kinds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from garboard._engine import Tensor

if TYPE_CHECKING:
    from garboard.types import DType

__all__ = [
    "DTensor",
    "DeviceMesh",
    "FSDPModule",
    "FullyShardedDataParallel",
    "MixedPrecisionPolicy",
    "distribute_tensor",
    "fully_shard",
    "implicit_replication",
    "irecv",
    "isend",
    "parallelize_module",
    "recv",
    "send",
]


class DeviceMesh:
    """Devices that would share a tensor: the type that programs ask for; none is ever made."""


class DTensor(Tensor):
    """A tensor that several processes would share: the type that programs ask for.

    >>> from garboard.distributed._absent import DTensor
    >>> isinstance(gb.ones(1), DTensor)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: there is one process a program."""
        raise NotImplementedError("DTensor: there is one process a program; use a Tensor")


class FSDPModule:
    """A module whose parameters several processes would share: the type that programs ask for.

    >>> from garboard.distributed._absent import FSDPModule
    >>> isinstance(gb.nn.Linear(1, 1), FSDPModule)
    False
    """

    def __new__(cls, *given: object, **named: object) -> NoReturn:
        """Refuse: there is one process a program."""
        raise NotImplementedError(f"{cls.__name__}: there is one process a program; use the module")


class FullyShardedDataParallel(FSDPModule):
    """The older kind of it.

    >>> from garboard.distributed._absent import FullyShardedDataParallel
    >>> isinstance(gb.nn.Linear(1, 1), FullyShardedDataParallel)
    False
    """


class MixedPrecisionPolicy(NamedTuple):
    """The dtypes that `fully_shard` would be told, which is refused.

    >>> from garboard.distributed._absent import MixedPrecisionPolicy
    >>> MixedPrecisionPolicy(param_dtype=gb.bfloat16).reduce_dtype is None
    True
    """

    param_dtype: DType | None = None
    reduce_dtype: DType | None = None
    output_dtype: DType | None = None
    cast_forward_inputs: bool = True


_PROMPT = ">" * 3  # of an example whose name is not known yet


def _refused(name: str) -> Callable[..., NoReturn]:
    def refuse(*given: object, **options: object) -> NoReturn:
        raise NotImplementedError(f"distributed.{name}: there is one process a program")

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = f"""Raise NotImplementedError: there is one process a program.

    Args:
        given: What PyTorch's function takes.
        options: Likewise.

    Raises:
        NotImplementedError: Always; ask `is_initialized()` first.

    {_PROMPT} gb.distributed.{name}()
    Traceback (most recent call last):
    NotImplementedError: distributed.{name}: there is one process a program
    """
    return refuse


distribute_tensor: Callable[..., NoReturn] = _refused("tensor.distribute_tensor")
fully_shard: Callable[..., NoReturn] = _refused("fsdp.fully_shard")
implicit_replication: Callable[..., NoReturn] = _refused("tensor.experimental.implicit_replication")
irecv: Callable[..., NoReturn] = _refused("irecv")
isend: Callable[..., NoReturn] = _refused("isend")
parallelize_module: Callable[..., NoReturn] = _refused("tensor.parallel.parallelize_module")
recv: Callable[..., NoReturn] = _refused("recv")
send: Callable[..., NoReturn] = _refused("send")
