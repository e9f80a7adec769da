"""What recurrent layers share: parameters, and how sequences pass through layers and directions."""

from __future__ import annotations

from contextlib import nullcontext
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import settings, told
from garboard._contexts.autocasting import count_of_blocks, left_alone
from garboard._engine import ShapeError, Tensor, cat, dropout, empty, full, stack, zeros
from garboard.nn import init
from garboard.nn._sequences._checked import CheckedRecurrent
from garboard.nn._sequences._steps import projected
from garboard.nn.parameter import Parameter
from garboard.nn.utils._packed_sequence import PackedSequence, owning
from garboard.nn.utils._packing import sizes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from garboard.types import Device, DType

__all__ = ["Cell", "Recurrent"]

Cell = Literal["tanh", "relu", "lstm", "gru"]

# By what PyTorch calls their mode.
_CELLS: dict[str, Cell] = {"RNN_TANH": "tanh", "RNN_RELU": "relu", "LSTM": "lstm", "GRU": "gru"}
_GATES: dict[Cell, int] = {"tanh": 1, "relu": 1, "lstm": 4, "gru": 3}


class Recurrent(CheckedRecurrent):
    """What all of them hold, and how sequences pass through layers."""

    _cell: Cell
    proj_size: int = 0

    if TYPE_CHECKING:
        # weight_ih_l0 and the like, whose names depend on how many layers there are
        def __getattr__(self, name: str) -> Parameter: ...

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self._cell = _CELLS[check.choice(name, "mode", mode, *_CELLS)]
        self.input_size: int = check.size(name, "input_size", input_size)
        self.hidden_size: int = check.count(name, "hidden_size", hidden_size, 1)
        self.proj_size = self._projected(name, proj_size)
        self.num_layers: int = check.count(name, "num_layers", num_layers, 1)
        check.flag(name, "bias", bias)
        self.bias: bool = bias  # as given: a program that says 1 reads 1
        self.batch_first: bool = check.flag(name, "batch_first", batch_first)
        self.dropout: float = check.share(name, "dropout", dropout)
        self.bidirectional: bool = check.flag(name, "bidirectional", bidirectional)
        if self.dropout > 0 and self.num_layers == 1:
            warn(
                f"{name}: dropout {self.dropout} with one layer; it comes between layers",
                stacklevel=3,
            )
        width = _GATES[self._cell] * self.hidden_size
        for layer, suffix in self._passes():
            features = self._state_size * (1 + self.bidirectional) if layer else self.input_size
            shapes: dict[str, tuple[int, ...]] = {
                "weight_ih": (width, features),
                "weight_hh": (width, self._state_size),
            }
            if self.bias:
                shapes |= {"bias_ih": (width,), "bias_hh": (width,)}
            if self.proj_size:
                shapes["weight_hr"] = (self.proj_size, self.hidden_size)
            for kind, shape in shapes.items():
                made = Parameter(empty(*shape, dtype=dtype, device=device))
                self.register_parameter(kind + suffix, made)
        self.reset_parameters()

    def _projected(self, name: str, given: int) -> int:
        size = check.count(name, "proj_size", given)
        if size and self._cell != "lstm":
            raise ValueError(f"{name}: proj_size {size} of mode {self.mode}; LSTM alone projects")
        if size >= self.hidden_size:
            raise ValueError(
                f"{name}: proj_size {size} of hidden_size {self.hidden_size}; less is needed"
            )
        return size

    @property
    def _state_size(self) -> int:
        """The features of a state; a cell has others where states are projected."""
        return self.proj_size or self.hidden_size

    def _passes(self) -> Iterator[tuple[int, str]]:
        """Each layer and direction: the layer's number, and what its parameters' names end with."""
        for layer in range(self.num_layers):
            for direction in range(1 + self.bidirectional):
                yield layer, f"_l{layer}{'_reverse' if direction else ''}"

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction, in PyTorch's order.

        >>> [len(each) for each in gb.nn.LSTM(2, 3, 2).all_weights]
        [4, 4]
        """
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Do nothing: for programs that call it.

        >>> gb.nn.LSTM(2, 3).flatten_parameters()
        """

    def reset_parameters(self) -> None:
        """Draw all parameters anew, within 1 / sqrt(hidden_size) of zero.

        >>> layer = gb.nn.GRU(2, 4)
        >>> layer.reset_parameters()
        >>> layer.weight_hh_l0.abs().amax().item() <= 0.5
        True
        """
        bound = 1 / sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _states(
        self, name: str, given: Any, sequences: int, is_single: bool, like: Tensor
    ) -> Tensor:
        """The first states of all layers, [layers * directions, sequences, hidden]."""
        layers = self.num_layers * (1 + self.bidirectional)
        size = self.hidden_size if name == "cx" else self._state_size
        sizes = (layers, sequences, size)
        if given is None:
            return zeros(*sizes, dtype=like.dtype, device=like.device)
        given = check.tensor(type(self).__name__, name, given)
        wanted = (layers, size) if is_single else sizes
        if tuple(given.shape) != wanted:
            raise ShapeError(
                f"{type(self).__name__}: {name} of sizes {tuple(given.shape)}; {wanted} are needed"
            )
        made: Tensor = given.unsqueeze(1) if is_single else given
        return made

    def _side(
        self,
        rows: Tensor,
        sizes: Tensor,
        states: list[Tensor],
        weights: list[Any],
        is_reversed: bool,
    ) -> list[Tensor]:
        """One layer in one direction: the rows after it, then the last states of each kind."""
        biases: list[Any] = weights[2:4] if self.bias else [None, None]
        if self.proj_size:
            return projected(rows, sizes, states, weights[:2], biases, weights[-1], is_reversed)
        cells = states[1] if len(states) > 1 else None
        given = (rows, states[0], cells, weights[0], weights[1], biases[0], biases[1])
        # As PyTorch's, a GRU on the CPU ends in the dtype of its state whatever `autocast` says.
        is_apart = (
            count_of_blocks()
            and self._cell == "gru"
            and rows.device.type == "cpu"
            and rows.dtype == weights[0].dtype
        )
        with left_alone("cpu") if is_apart else nullcontext():
            made = _engine._recurrent_layer(self._cell, *given, sizes, is_reversed)
        count, sequences = rows.shape[0], states[0].shape[0]
        starts = [count + kind * sequences for kind in range(len(states))]
        return [made.narrow(0, 0, count), *(made.narrow(0, at, sequences) for at in starts)]

    def _run(self, rows: Tensor, batch_sizes: Tensor, states: list[Tensor]) -> list[Tensor]:
        """The rows after the last layer, then the last states of each kind."""
        last: list[list[Tensor]] = [[] for _ in states]
        sides: list[Tensor] = []
        weights: list[Any] = self.all_weights
        for number, (layer, suffix) in enumerate(self._passes()):
            first = [kind[number] for kind in states]
            is_reversed = suffix.endswith("reverse")
            side, *ends = self._side(rows, batch_sizes, first, weights[number], is_reversed)
            sides.append(side)
            for kept, end in zip(last, ends, strict=True):
                kept.append(end)
            if len(sides) <= self.bidirectional:
                continue
            rows = sides[0] if len(sides) == 1 else cat(sides, 1)
            sides = []
            if self.dropout > 0 and layer + 1 < self.num_layers:
                rows = dropout(rows, self.dropout, self.training)
        return [rows, *(stack(kept, 0) for kept in last)]

    def _forward_packed(self, input: PackedSequence, given: list[Any]) -> list[Any]:
        name = type(self).__name__
        sizes, rows = sizes_of(name, input), input.data
        if rows.ndim != 2 or rows.shape[1] != self.input_size:
            raise ShapeError(
                f"{name}: packed rows of sizes {tuple(rows.shape)}; two dims are needed, the last "
                f"of size {self.input_size}"
            )
        states = [
            self._states(said, one, sizes[0], False, rows)
            for said, one in zip(("hx", "cx"), given, strict=False)
        ]
        orders = (input.sorted_indices, input.unsorted_indices)
        there, back = orders
        if there is not None:
            states = [kind.index_select(1, there) for kind in states]
        made, *last = self._run(rows, input.batch_sizes.contiguous(), states)
        if back is not None:
            last = [kind.index_select(1, back) for kind in last]
        kept = [None if order is None else order.alias() for order in orders]
        return [owning(made.alias(), input.batch_sizes.alias(), *kept), *last]

    def _forward(self, input: Any, given: list[Any]) -> list[Any]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, given)
        name = type(self).__name__
        input = check.tensor(name, "input", input)
        is_single = input.ndim == 2
        if input.ndim not in (2, 3) or input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{name}: input of sizes {tuple(input.shape)}; two or three dims are needed, the "
                f"last of size {self.input_size}"
            )
        if is_single:
            input = input.unsqueeze(1)
        elif self.batch_first:
            input = input.transpose(0, 1)
        steps, sequences, features = input.shape
        if steps == 0:
            raise ShapeError(f"{name}: input of no steps; at least one is needed")
        states = [
            self._states(said, one, sequences, is_single, input)
            for said, one in zip(("hx", "cx"), given, strict=False)
        ]
        batch_sizes = full((steps if sequences else 0,), sequences, dtype=_engine.int64)
        rows = input.reshape(steps * sequences, features)
        made, *last = self._run(rows, batch_sizes, states)
        out = made.reshape(steps, sequences, made.shape[-1])
        if is_single:
            return [out.squeeze(1), *(state.squeeze(1) for state in last)]
        return [out.transpose(0, 1) if self.batch_first else out, *last]

    def extra_repr(self) -> str:
        texts = [told(self.input_size), told(self.hidden_size)]
        if self.proj_size:
            texts.append(settings(proj_size=self.proj_size))
        if self.num_layers != 1:
            texts.append(settings(num_layers=self.num_layers))
        if self.bias is not True:
            texts.append(settings(bias=self.bias))
        if self.batch_first:
            texts.append(settings(batch_first=self.batch_first))
        if self.dropout:
            texts.append(settings(dropout=self.dropout))
        if self.bidirectional:
            texts.append(settings(bidirectional=self.bidirectional))
        return ", ".join(texts)
