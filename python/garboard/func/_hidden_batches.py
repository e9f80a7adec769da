"""What PyTorch has of tensors in which `vmap` hides a batch, by the numbers of its levels."""

from __future__ import annotations

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._engine import Tensor
from garboard.autograd._function_ctx import open_batches
from garboard.func._batching.calls import BatchLevel
from garboard.func._batching.tensor import BatchedTensor, batch

__all__ = [
    "add_batch_dim",
    "get_unwrapped",
    "is_batchedtensor",
    "is_gradtrackingtensor",
    "maybe_get_level",
    "remove_batch_dim",
]


def _level(op: str, number: int) -> BatchLevel:
    levels = open_batches.get()
    place = check.integer(op, "level", number)
    if not 1 <= place <= len(levels):
        raise ArgumentError(
            f"{op}: level {place}; {len(levels)} calls of vmap are running, counted from 1"
        )
    found: BatchLevel = levels[place - 1]
    return found


def add_batch_dim(tensor: Tensor, batch_dim: int, level: int) -> Tensor:
    """Return the sample that stands for those along a dim, in a call of `vmap` that is running.

    Args:
        tensor: A tensor.
        batch_dim: Its dim of the samples.
        level: Which call of `vmap`, from 1, the outermost.

    Raises:
        TypeError: An argument is of another type.
        ValueError: No such call is running, or it has another number of samples.
        IndexOutOfRangeError: There is no such dim.

    >>> from garboard.func._hidden_batches import add_batch_dim
    >>> gb.func.vmap(lambda x: x + add_batch_dim(gb.ones(2), 0, 1))(gb.zeros(2))
    tensor([1., 1.])
    """
    op = "_add_batch_dim"
    found = _level(op, level)
    front = check.tensor(op, "tensor", tensor).movedim(check.integer(op, "batch_dim", batch_dim), 0)
    if front.shape[0] != found.size:
        raise ArgumentError(f"{op}: {front.shape[0]} samples; {found.size} are needed")
    return batch(front, found)


def remove_batch_dim(tensor: Tensor, level: int, batch_size: int, out_dim: int) -> Tensor:
    """Return what has the samples of a call of `vmap` along a dim.

    Args:
        tensor: A sample, or a tensor that all of them have alike.
        level: Which call of `vmap`, from 1, the outermost.
        batch_size: How many samples there are.
        out_dim: Where they are to stand.

    Raises:
        TypeError: An argument is of another type.
        ValueError: No such call is running.
        IndexOutOfRangeError: There is no such dim.

    >>> from garboard.func._hidden_batches import remove_batch_dim
    >>> gb.func.vmap(lambda x: remove_batch_dim(x, 1, 2, 0).sum())(gb.ones(2))
    tensor([2., 2.])
    """
    op = "_remove_batch_dim"
    found = _level(op, level)
    size = check.integer(op, "batch_size", batch_size)
    given = check.tensor(op, "tensor", tensor)
    if type(given) is BatchedTensor and given._level is found:
        front = given._value
    else:
        front = given.expand(size, *given.shape)
    return front.movedim(0, check.integer(op, "out_dim", out_dim))


def is_batchedtensor(tensor: Tensor) -> bool:
    """Return whether a tensor is a sample of a call of `vmap`.

    Args:
        tensor: A tensor.

    Raises:
        TypeError: It is none.

    >>> from garboard.func._hidden_batches import is_batchedtensor
    >>> is_batchedtensor(gb.ones(1))
    False
    """
    return type(check.tensor("is_batchedtensor", "tensor", tensor)) is BatchedTensor


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Return False: no tensor is wrapped for a gradient.

    Args:
        tensor: A tensor.

    Raises:
        TypeError: It is none.

    >>> from garboard.func._hidden_batches import is_gradtrackingtensor
    >>> is_gradtrackingtensor(gb.ones(1))
    False
    """
    check.tensor("is_gradtrackingtensor", "tensor", tensor)
    return False


def get_unwrapped(tensor: Tensor) -> Tensor:
    """Return what has the samples of the innermost call of `vmap` in front; a tensor as it is.

    Args:
        tensor: A tensor.

    Raises:
        TypeError: It is none.

    >>> from garboard.func._hidden_batches import get_unwrapped
    >>> get_unwrapped(gb.ones(1))
    tensor([1.])
    """
    given = check.tensor("get_unwrapped", "tensor", tensor)
    return given._value if type(given) is BatchedTensor else given


def maybe_get_level(tensor: Tensor) -> int:
    """Return which call of `vmap` a tensor is a sample of, from 1, the outermost; or -1.

    Args:
        tensor: A tensor.

    Raises:
        TypeError: It is none.

    >>> from garboard.func._hidden_batches import maybe_get_level
    >>> maybe_get_level(gb.ones(1))
    -1
    """
    given = check.tensor("maybe_get_level", "tensor", tensor)
    return int(given._level.depth) if type(given) is BatchedTensor else -1
