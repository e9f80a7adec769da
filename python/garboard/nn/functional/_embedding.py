"""Rows of a learned table, as a function; and what else is done with rows that are looked up."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor

__all__ = ["embedding", "first_column", "scaled_by_frequency", "shorten_rows"]


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Look up rows of `weight`: numbers of any shape become [*shape, width].

    Args:
        input: Numbers of rows, int64 or int32, of any sizes.
        weight: Tensor [count, width].
        padding_idx: A row that gets no gradient; negative ones count from the end.
        max_norm: Rows that are looked up and longer than this are shortened, in `weight`.
        norm_type: By which norm they are measured.
        scale_grad_by_freq: Divide a row's gradient by how often it was looked up.
        sparse: Heard and not needed: gradients are dense.

    Returns:
        A new tensor [*input.shape, width]. Until backward the graph keeps the numbers.

    Raises:
        ShapeError: `weight` has another number of dims than 2.
        IndexOutOfRangeError: A number or `padding_idx` lies outside; `weight` is unchanged.
        DTypeError: `input` is neither int64 nor int32.
        TypeError: A setting of a wrong type.
        DisposedError: A tensor is disposed.

    >>> table = gb.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> gb.nn.functional.embedding(gb.tensor([1, 0, 1]), table)
    tensor([[3., 4.],
            [1., 2.],
            [3., 4.]])
    """
    if max_norm is None and not sparse and not scale_grad_by_freq:
        return _engine.embedding(input, weight, padding_idx)
    op = "embedding"
    check.flag(op, "sparse", sparse)
    scales = check.flag(op, "scale_grad_by_freq", scale_grad_by_freq)
    _engine.embedding(input, first_column(op, weight), padding_idx)
    if max_norm is not None:
        shorten_rows(op, weight, input, max_norm, norm_type)
    table = scaled_by_frequency(weight, input) if scales else weight
    return _engine.embedding(input, table, padding_idx)


def first_column(op: str, weight: Tensor) -> Tensor:
    """The first column of a table, for a lookup that checks and costs little."""
    table = check.tensor(op, "weight", weight).detach()
    return table[:, :1] if table.ndim == 2 else table


def scaled_by_frequency(weight: Tensor, numbers: Tensor) -> Tensor:
    """The table, whose gradient is divided by how often each row was looked up; of numbers that
    were checked."""
    if not weight.requires_grad:
        return weight
    counts = _engine.bincount(numbers.detach().flatten(), minlength=weight.shape[0])
    shares = (1 / counts.clamp(min=1).double()).to(weight.dtype).unsqueeze(-1)
    table = weight.view(weight.shape)
    if table.requires_grad:  # history is recorded
        table.register_hook(lambda gradient: gradient * shares)
    return table


def shorten_rows(op: str, weight: Tensor, numbers: Tensor, most: float, norm_type: float) -> None:
    """Shorten the rows that are looked up, each once, where they are longer than `most`; of numbers
    that were checked."""
    check.rate(op, "max_norm", most)
    check.rate(op, "norm_type", norm_type)
    with no_grad():
        picked = _engine.unique(numbers.detach())
        assert isinstance(picked, Tensor)
        rows = weight[picked]
        lengths = rows.norm(norm_type, dim=1, keepdim=True)
        weight[picked] = _engine.where(lengths > most, rows * (most / (lengths + 1e-7)), rows)


all_overridable(globals())
