"""Recurrent layers over whole sequences, one native call a layer and direction."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from warnings import warn

from garboard import _check as check
from garboard import _engine
from garboard._engine import ShapeError, Tensor, cat, dropout, empty, full, stack, zeros
from garboard._texts import settings, told
from garboard.nn import init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from garboard.types import Device, DType

__all__ = ["GRU", "LSTM", "RNN"]

_Cell = Literal["tanh", "relu", "lstm", "gru"]


class _Recurrent(Module):
    """What all of them hold, and how sequences pass through layers."""

    _gates: ClassVar[int]
    _cell: _Cell

    if TYPE_CHECKING:
        # weight_ih_l0 and the like, whose names depend on how many layers there are
        def __getattr__(self, name: str) -> Parameter: ...

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        bias: bool,
        batch_first: bool,
        dropout: float,
        bidirectional: bool,
        device: Device | None,
        dtype: DType | None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size: int = check.size(name, "input_size", input_size)
        self.hidden_size: int = check.count(name, "hidden_size", hidden_size, 1)
        self.num_layers: int = check.count(name, "num_layers", num_layers, 1)
        self.bias: bool = check.flag(name, "bias", bias)
        self.batch_first: bool = check.flag(name, "batch_first", batch_first)
        self.dropout: float = check.share(name, "dropout", dropout)
        self.bidirectional: bool = check.flag(name, "bidirectional", bidirectional)
        if self.dropout > 0 and self.num_layers == 1:
            warn(
                f"{name}: dropout {self.dropout} with one layer; it comes between layers",
                stacklevel=3,
            )
        width = self._gates * self.hidden_size
        for layer, suffix in self._passes():
            features = self.hidden_size * (1 + self.bidirectional) if layer else self.input_size
            shapes: dict[str, tuple[int, ...]] = {
                "weight_ih": (width, features),
                "weight_hh": (width, self.hidden_size),
            }
            if self.bias:
                shapes |= {"bias_ih": (width,), "bias_hh": (width,)}
            for kind, shape in shapes.items():
                made = Parameter(empty(*shape, dtype=dtype, device=device))
                self.register_parameter(kind + suffix, made)
        self.reset_parameters()

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
        kinds = ("weight_ih", "weight_hh", *(("bias_ih", "bias_hh") if self.bias else ()))
        return [[getattr(self, kind + end) for kind in kinds] for _, end in self._passes()]

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
        sizes = (layers, sequences, self.hidden_size)
        if given is None:
            return zeros(*sizes, dtype=like.dtype, device=like.device)
        given = check.tensor(type(self).__name__, name, given)
        wanted = (layers, self.hidden_size) if is_single else sizes
        if tuple(given.shape) != wanted:
            raise ShapeError(
                f"{type(self).__name__}: {name} of sizes {tuple(given.shape)}; {wanted} are needed"
            )
        made: Tensor = given.unsqueeze(1) if is_single else given
        return made

    def _run(self, rows: Tensor, batch_sizes: Tensor, states: list[Tensor]) -> list[Tensor]:
        """The rows after the last layer, then the last states of each kind."""
        count, sequences = rows.shape[0], states[0].shape[1]
        last: list[list[Tensor]] = [[] for _ in states]
        sides: list[Tensor] = []
        weights: list[Any] = self.all_weights
        for number, (layer, suffix) in enumerate(self._passes()):
            cells = states[1][number] if len(states) > 1 else None
            biases = weights[number][2:] if self.bias else [None, None]
            is_reversed = suffix.endswith("reverse")
            made = _engine._recurrent_layer(
                self._cell,
                rows,
                states[0][number],
                cells,
                weights[number][0],
                weights[number][1],
                biases[0],
                biases[1],
                batch_sizes,
                is_reversed,
            )
            sides.append(made.narrow(0, 0, count))
            for kind, kept in enumerate(last):
                kept.append(made.narrow(0, count + kind * sequences, sequences))
            if len(sides) <= self.bidirectional:
                continue
            rows = sides[0] if len(sides) == 1 else cat(sides, 1)
            sides = []
            if self.dropout > 0 and layer + 1 < self.num_layers:
                rows = dropout(rows, self.dropout, self.training)
        return [rows, *(stack(kept, 0) for kept in last)]

    def _forward(self, input: Tensor, given: list[Any]) -> list[Any]:
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
        if self.num_layers != 1:
            texts.append(settings(num_layers=self.num_layers))
        if not self.bias:
            texts.append(settings(bias=self.bias))
        if self.batch_first:
            texts.append(settings(batch_first=self.batch_first))
        if self.dropout:
            texts.append(settings(dropout=self.dropout))
        if self.bidirectional:
            texts.append(settings(bidirectional=self.bidirectional))
        return ", ".join(texts)


class RNN(_Recurrent):
    """Run sequences through layers of tanh or relu of what is new and what was.

    h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh) (Elman, "Finding structure in time", 1990).
    Called with hx, the first states, or zeros, it returns the states of the last layer at each step
    and the last states of all.
    Gates stand in PyTorch's order, and parameters have its names. Until backward a layer keeps its
    inputs, its states and what the gates let by; its gradient has no gradient of its own.

    Args:
        input_size: Features of a step.
        hidden_size: Features of the state.
        num_layers: How many layers follow each other.
        nonlinearity: 'tanh' or 'relu'.
        bias: Add learned biases.
        batch_first: Take and give [sequences, steps, features], else [steps, sequences, features].
        dropout: With which probability elements are dropped between layers, in training.
        bidirectional: Run each layer from both ends.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: A number that cannot be.

    >>> out, last = gb.nn.RNN(3, 5)(gb.ones(7, 2, 3))
    >>> out.shape, last.shape
    ((7, 2, 5), (1, 2, 5))
    """

    _gates: ClassVar[int] = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        cell: Any = check.choice("RNN", "nonlinearity", nonlinearity, "tanh", "relu")
        super().__init__(
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device,
            dtype,
        )
        self.nonlinearity: str = cell
        self._cell: _Cell = cell

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        out, last = self._forward(input, [hx])
        return out, last

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...


class LSTM(_Recurrent):
    """Run sequences through layers of long short-term memory.

    i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of W_ih x_t + b_ih + W_hh h_(t-1) + b_hh; c_t = f
    c_(t-1) + i g; h_t = o tanh(c_t) (Hochreiter and Schmidhuber, "Long short-term memory", 1997).
    Called with hx, the pair of first states and cells, or zeros, it returns the states of the last
    layer at each step, and the pair of the last states and cells of all.
    Gates stand in PyTorch's order, and parameters have its names. Until backward a layer keeps its
    inputs, its states and what the gates let by; its gradient has no gradient of its own.

    Args:
        input_size: Features of a step.
        hidden_size: Features of the state.
        num_layers: How many layers follow each other.
        bias: Add learned biases.
        batch_first: Take and give [sequences, steps, features], else [steps, sequences, features].
        dropout: With which probability elements are dropped between layers, in training.
        bidirectional: Run each layer from both ends.
        proj_size: 0 alone: states are not projected.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: A number that cannot be.

    >>> out, (last, cells) = gb.nn.LSTM(3, 5)(gb.ones(7, 2, 3))
    >>> out.shape, cells.shape
    ((7, 2, 5), (1, 2, 5))
    """

    _gates: ClassVar[int] = 4
    _cell: _Cell = "lstm"

    def __init__(
        self,
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
        if check.integer("LSTM", "proj_size", proj_size) != 0:
            raise ValueError("LSTM: proj_size; 0 is needed, project the states by nn.Linear")
        super().__init__(
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device,
            dtype,
        )

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        if hx is not None and (not isinstance(hx, (list, tuple)) or len(hx) != 2):
            raise TypeError(f"LSTM: hx of type {type(hx).__name__}; a pair (h_0, c_0) is needed")
        out, last, cells = self._forward(input, [None, None] if hx is None else list(hx))
        return out, (last, cells)

    if TYPE_CHECKING:

        def __call__(
            self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
        ) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...


class GRU(_Recurrent):
    """Run sequences through layers of gated recurrent units.

    r, z = sigmoid of W_ih x_t + b_ih + W_hh h_(t-1) + b_hh; n = tanh(W_in x_t + b_in + r (W_hn
    h_(t-1) + b_hn)); h_t = (1 - z) n + z h_(t-1) (Cho et al., arXiv:1406.1078). Called with hx, the
    first states, or zeros, it returns the states of the last layer at each step and the last states
    of all.
    Gates stand in PyTorch's order, and parameters have its names. Until backward a layer keeps its
    inputs, its states and what the gates let by; its gradient has no gradient of its own.

    Args:
        input_size: Features of a step.
        hidden_size: Features of the state.
        num_layers: How many layers follow each other.
        bias: Add learned biases.
        batch_first: Take and give [sequences, steps, features], else [steps, sequences, features].
        dropout: With which probability elements are dropped between layers, in training.
        bidirectional: Run each layer from both ends.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: A number that cannot be.

    >>> out, last = gb.nn.GRU(3, 5, bidirectional=True)(gb.ones(7, 2, 3))
    >>> out.shape, last.shape
    ((7, 2, 10), (2, 2, 5))
    """

    _gates: ClassVar[int] = 3
    _cell: _Cell = "gru"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device,
            dtype,
        )

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        out, last = self._forward(input, [hx])
        return out, last

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...
