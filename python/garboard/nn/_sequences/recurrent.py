"""Recurrent layers over whole sequences, padded or packed."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn._sequences._layer import Recurrent
from garboard.nn.utils._packed_sequence import PackedSequence

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["GRU", "LSTM", "RNN"]

_Pair = tuple[Tensor, Tensor]
_Rows = Tensor | PackedSequence


class RNN(Recurrent):
    """Run sequences through layers of tanh or relu of what is new and what was.

    h_t = tanh(W_ih x_t + b_ih + W_hh h_(t-1) + b_hh) (Elman, "Finding structure in time", 1990).
    Called with hx, the first states, or zeros, it returns the states of the last layer at each step
    and the last states of all. A PackedSequence gives one, and the states of its sequences in the
    order they had before.
    Gates stand in PyTorch's order, and parameters have its names. Until backward a layer keeps its
    inputs, its states and what the gates let by; with create_graph=True the steps are computed
    again by ops. Half types are computed with in float32 and rounded after each layer.

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
        cell = check.choice("RNN", "nonlinearity", nonlinearity, "tanh", "relu")
        super().__init__(
            f"RNN_{cell.upper()}",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )
        self.nonlinearity: str = cell

    def forward(self, input: _Rows, hx: Tensor | None = None) -> tuple[_Rows, Tensor]:
        out, last = self._forward(input, [hx])
        return out, last

    if TYPE_CHECKING:

        @overload
        def __call__(self, input: Tensor, hx: Tensor | None = None) -> _Pair: ...
        @overload
        def __call__(
            self, input: PackedSequence, hx: Tensor | None = None
        ) -> tuple[PackedSequence, Tensor]: ...
        def __call__(self, input: _Rows, hx: Tensor | None = None) -> tuple[_Rows, Tensor]: ...


class LSTM(Recurrent):
    """Run sequences through layers of long short-term memory.

    i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of W_ih x_t + b_ih + W_hh h_(t-1) + b_hh; c_t = f
    c_(t-1) + i g; h_t = o tanh(c_t) (Hochreiter and Schmidhuber, "Long short-term memory", 1997).
    Called with hx, the pair of first states and cells, or zeros, it returns the states of the last
    layer at each step, and the pair of the last states and cells of all. A PackedSequence gives
    one, and the states of its sequences in the order they had before. With `proj_size` the state is
    W_hr h_t (Sak et al., arXiv:1402.1128), computed step by step by ops.
    Gates stand in PyTorch's order, and parameters have its names. Until backward a layer keeps its
    inputs, its states and what the gates let by; with create_graph=True the steps are computed
    again by ops. Half types are computed with in float32 and rounded after each layer.

    Args:
        input_size: Features of a step.
        hidden_size: Features of the state.
        num_layers: How many layers follow each other.
        bias: Add learned biases.
        batch_first: Take and give [sequences, steps, features], else [steps, sequences, features].
        dropout: With which probability elements are dropped between layers, in training.
        bidirectional: Run each layer from both ends.
        proj_size: Features of a projected state, below hidden_size; 0 projects none.
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
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            proj_size,
            device,
            dtype,
        )

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, ...]:
        """Return the sizes of the first cells for an input.

        Args:
            input: Padded sequences, or the rows of packed ones.
            batch_sizes: Of packed ones; else None.

        >>> gb.nn.LSTM(2, 3, proj_size=1).get_expected_cell_size(gb.ones(4, 1, 2), None)
        (1, 1, 3)
        """
        return self._expected(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: _Pair, batch_sizes: Tensor | None) -> None:
        if not isinstance(hidden, (list, tuple)) or len(hidden) != 2:
            raise TypeError(
                f"LSTM: hidden of type {type(hidden).__name__}; a pair (h_0, c_0) is needed"
            )
        super().check_forward_args(input, hidden[0], batch_sizes)
        self.check_hidden_size(hidden[1], self.get_expected_cell_size(input, batch_sizes))

    def permute_hidden(self, hx: _Pair, permutation: Tensor | None) -> _Pair:
        states, cells = (super(LSTM, self).permute_hidden(it, permutation) for it in hx)
        return states, cells

    def forward(self, input: _Rows, hx: _Pair | None = None) -> tuple[_Rows, _Pair]:
        if hx is not None and (not isinstance(hx, (list, tuple)) or len(hx) != 2):
            raise TypeError(f"LSTM: hx of type {type(hx).__name__}; a pair (h_0, c_0) is needed")
        out, last, cells = self._forward(input, [None, None] if hx is None else list(hx))
        return out, (last, cells)

    if TYPE_CHECKING:

        @overload
        def __call__(self, input: Tensor, hx: _Pair | None = None) -> tuple[Tensor, _Pair]: ...
        @overload
        def __call__(
            self, input: PackedSequence, hx: _Pair | None = None
        ) -> tuple[PackedSequence, _Pair]: ...
        def __call__(self, input: _Rows, hx: _Pair | None = None) -> tuple[_Rows, _Pair]: ...


class GRU(Recurrent):
    """Run sequences through layers of gated recurrent units.

    r, z = sigmoid of W_ih x_t + b_ih + W_hh h_(t-1) + b_hh; n = tanh(W_in x_t + b_in + r (W_hn
    h_(t-1) + b_hn)); h_t = (1 - z) n + z h_(t-1) (Cho et al., arXiv:1406.1078). Called with hx, the
    first states, or zeros, it returns the states of the last layer at each step and the last states
    of all. A PackedSequence gives one, and the states of its sequences in the order they had
    before.
    Gates stand in PyTorch's order, and parameters have its names. Until backward a layer keeps its
    inputs, its states and what the gates let by; with create_graph=True the steps are computed
    again by ops. Half types are computed with in float32 and rounded after each layer.

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
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            0,
            device,
            dtype,
        )

    def forward(self, input: _Rows, hx: Tensor | None = None) -> tuple[_Rows, Tensor]:
        out, last = self._forward(input, [hx])
        return out, last

    if TYPE_CHECKING:

        @overload
        def __call__(self, input: Tensor, hx: Tensor | None = None) -> _Pair: ...
        @overload
        def __call__(
            self, input: PackedSequence, hx: Tensor | None = None
        ) -> tuple[PackedSequence, Tensor]: ...
        def __call__(self, input: _Rows, hx: Tensor | None = None) -> tuple[_Rows, Tensor]: ...
