"""A batch of sequences of several lengths without padding, which scopes take as one thing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, overload

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.texts import shown
from garboard._engine import DeviceError, DTypeError, ShapeError, Tensor, zeros_like

if TYPE_CHECKING:
    from garboard.types import Device

__all__ = ["PackedSequence", "invert_permutation", "owning"]

_Int = int  # which a method is named for


def _whole_numbers(op: str, name: str, given: Any) -> Tensor:
    """A tensor of int64 in one dim."""
    tensor = check.tensor(op, name, given)
    if tensor.dtype != _engine.int64:
        raise DTypeError(f"{op}: {name} of dtype {tensor.dtype}; int64 is needed")
    if tensor.ndim != 1:
        raise ShapeError(f"{op}: {name} of sizes {list(tensor.shape)}; one dim is needed")
    return tensor


@overload
def invert_permutation(permutation: None) -> None: ...
@overload
def invert_permutation(permutation: Tensor) -> Tensor: ...
@overload
def invert_permutation(permutation: Tensor | None) -> Tensor | None: ...
def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the permutation that undoes another one.

    Args:
        permutation: The numbers 0 to n - 1 in any order: int64, one dim. Or None.

    Returns:
        A new tensor of the same sizes, where result[permutation[i]] = i; None for None.

    Raises:
        ShapeError: More or fewer dims than one, or a number beyond n - 1.
        DTypeError: The dtype is not int64.
        TypeError: It is neither a Tensor nor None.
        DisposedError: The tensor is disposed.

    >>> from garboard.nn.utils.rnn import invert_permutation
    >>> invert_permutation(gb.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    given = _whole_numbers("invert_permutation", "permutation", permutation)
    places = _engine.arange(given.shape[0], device=given.device)
    return zeros_like(given).scatter_(0, given, places)


def owning(
    data: Tensor,
    batch_sizes: Tensor,
    sorted_indices: Tensor | None = None,
    unsorted_indices: Tensor | None = None,
) -> PackedSequence:
    """Make a sequence of handles that nobody else has: they belong to it from now on."""
    return _engine._PackedSequence.__new__(
        PackedSequence, data, batch_sizes, sorted_indices, unsorted_indices
    )


def _field(place: int, doc: str) -> Any:
    return property(lambda self: tuple.__getitem__(self, place), doc=doc)


class PackedSequence(_engine._PackedSequence):
    """Hold a batch of sequences of several lengths, the longest first, step by step.

    `data` has the first elements of all sequences, then the second ones of those that have any, and
    so on: [sum of batch_sizes, ...]. It is a tuple of the four fields, as in PyTorch, made by
    `pack_sequence` or `pack_padded_sequence`, and taken by RNN, LSTM and GRU.

    A scope has it as one member: its tensors are in no scope of their own, go where it goes, and
    end with it. What it is constructed of stays the caller's: it holds handles of its own on the
    same tensors. A tensor taken out of it and kept goes to its scope when it is finalized.

    Args:
        data: The rows, or a pair of them and the batch sizes.
        batch_sizes: How many sequences have each step, decreasing: int64, one dim, on the CPU.
        sorted_indices: Which sequence stands at each place; None where they stood so before.
        unsorted_indices: Where each sequence stands; computed where it is left out.

    Raises:
        ShapeError: More or fewer dims than one, or rows without a dim.
        DTypeError: Batch sizes or indices are not of int64.
        DeviceError: The batch sizes are not on the CPU.
        TypeError: Something that is no Tensor.
        DisposedError: A tensor is disposed.

    >>> from garboard.nn.utils.rnn import pack_sequence
    >>> pack_sequence([gb.tensor([1, 2, 3]), gb.tensor([4, 5])])
    PackedSequence(data=tensor([1, 4, 2, 5, 3]), batch_sizes=tensor([2, 2, 1]),
                   sorted_indices=None, unsorted_indices=None)
    """

    __slots__ = ()
    _fields = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")
    __match_args__ = ("data", "batch_sizes", "sorted_indices", "unsorted_indices")

    if TYPE_CHECKING:

        @property
        def data(self) -> Tensor: ...
        @property
        def batch_sizes(self) -> Tensor: ...
        @property
        def sorted_indices(self) -> Tensor | None: ...
        @property
        def unsorted_indices(self) -> Tensor | None: ...
    else:
        data = _field(0, "The rows, [sum of batch_sizes, ...].")
        batch_sizes = _field(1, "How many sequences have each step: int64, on the CPU.")
        sorted_indices = _field(2, "Which sequence stands at each place, or None.")
        unsorted_indices = _field(3, "At which place each sequence stands, or None.")

    def __new__(
        cls,
        data: Tensor | tuple[Tensor, Tensor] | list[Tensor],
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        op = "PackedSequence"
        rows: Any = data
        sizes: Any = batch_sizes
        if sizes is None and isinstance(rows, (list, tuple)):
            pair = items_of(rows)
            if len(pair) != 2:
                raise TypeError(f"{op}: data is {len(pair)} things; a pair with batch_sizes is one")
            rows, sizes = pair
        if check.tensor(op, "data", rows).ndim == 0:
            raise ShapeError(f"{op}: data without dims; one or more are needed")
        where = str(_whole_numbers(op, "batch_sizes", sizes).device)
        if where != "cpu":
            raise DeviceError(f"{op}: batch_sizes on {where}; the CPU is needed")
        orders = {"sorted_indices": sorted_indices, "unsorted_indices": unsorted_indices}
        for name, order in orders.items():
            if order is not None:
                _whole_numbers(op, name, order)
        handles: list[Any] = [
            None if it is None else it.alias() for it in (rows, sizes, *orders.values())
        ]
        if handles[3] is None:
            handles[3] = invert_permutation(handles[2])
        return _engine._PackedSequence.__new__(cls, handles[0], handles[1], handles[2], handles[3])

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:
        return cls(*iterable)

    def _asdict(self) -> dict[str, Tensor | None]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **fields: Any) -> Self:
        strange = [name for name in fields if name not in self._fields]
        if strange:
            raise ValueError(
                f"PackedSequence._replace: {shown(strange[0])}; it has the fields "
                f"{', '.join(self._fields)}"
            )
        parts: dict[str, Any] = {**self._asdict(), **fields}
        return type(self)(**parts)

    def __getnewargs__(self) -> tuple[Tensor | None, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={part}" for name, part in self._asdict().items())
        return f"{type(self).__name__}({fields})"

    def __enter__(self) -> Self:
        _engine._require_living(self, "with")
        return self

    def __exit__(self, *error: object) -> None:
        self.dispose()

    @property
    def is_cuda(self) -> bool:
        """True where `data` lies on a CUDA device."""
        return self.data.is_cuda

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Return a sequence of another dtype, on another device.

        The batch sizes stay where they are, on the CPU, and as they are.

        Args:
            *args: What `Tensor.to` takes.
            **kwargs: The same.

        Returns:
            A new sequence, through which gradients pass; of the same storage where nothing changes.

        Raises:
            DTypeError: There is no such dtype.
            DeviceError: The device cannot be used.
            TypeError: Arguments that `Tensor.to` does not take.
            DisposedError: The sequence is disposed.

        >>> from garboard.nn.utils.rnn import pack_sequence
        >>> pack_sequence([gb.tensor([1, 2])]).to(gb.float64).data
        tensor([1., 2.], dtype=garboard.float64)
        """
        data = self.data.to(*args, **kwargs)
        sorted_indices, unsorted_indices = (
            None if order is None else order.to(data.device)
            for order in (self.sorted_indices, self.unsorted_indices)
        )
        return type(self)(data, self.batch_sizes, sorted_indices, unsorted_indices)

    def cpu(self) -> Self:
        """Return the sequence on the CPU.

        >>> from garboard.nn.utils.rnn import pack_sequence
        >>> pack_sequence([gb.ones(2)]).cpu().data.device
        device(type='cpu')
        """
        return self.to("cpu")

    def cuda(self, device: Device | _Int | None = None) -> Self:
        """Return the sequence on a CUDA device.

        Args:
            device: The device or its number; the first one by default.

        Raises:
            DeviceError: There is no such device.
            DisposedError: The sequence is disposed.

        >>> from garboard.nn.utils.rnn import pack_sequence
        >>> packed = pack_sequence([gb.ones(2)])
        >>> packed.cuda().is_cuda if gb.cuda.is_available() else True
        True
        """
        is_number = device is None or isinstance(device, _Int)
        return self.to(check.numbered_device("cuda", device) if is_number else device)

    def double(self) -> Self:
        """Return the sequence with data of float64.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).double().data
        tensor([1.5000], dtype=garboard.float64)
        """
        return self.to(_engine.float64)

    def float(self) -> Self:
        """Return the sequence with data of float32.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).float().data
        tensor([1.5000])
        """
        return self.to(_engine.float32)

    def half(self) -> Self:
        """Return the sequence with data of float16.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).half().data
        tensor([1.5000], dtype=garboard.float16)
        """
        return self.to(_engine.float16)

    def long(self) -> Self:
        """Return the sequence with data of int64.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).long().data
        tensor([1])
        """
        return self.to(_engine.int64)

    def int(self) -> Self:
        """Return the sequence with data of int32.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).int().data
        tensor([1], dtype=garboard.int32)
        """
        return self.to(_engine.int32)

    def short(self) -> Self:
        """Return the sequence with data of int16.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).short().data
        tensor([1], dtype=garboard.int16)
        """
        return self.to(_engine.int16)

    def char(self) -> Self:
        """Return the sequence with data of int8.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).char().data
        tensor([1], dtype=garboard.int8)
        """
        return self.to(_engine.int8)

    def byte(self) -> Self:
        """Return the sequence with data of uint8.

        >>> gb.nn.utils.rnn.pack_sequence([gb.tensor([1.5])]).byte().data
        tensor([1], dtype=garboard.uint8)
        """
        return self.to(_engine.uint8)
