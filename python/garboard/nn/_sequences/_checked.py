"""What programs ask recurrent layers: their parameters in a row, and which inputs they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard.nn.module import Module

if TYPE_CHECKING:
    from garboard.nn.parameter import Parameter

__all__ = ["CheckedRecurrent"]

_MODES = {"tanh": "RNN_TANH", "relu": "RNN_RELU", "lstm": "LSTM", "gru": "GRU"}


class CheckedRecurrent(Module):
    """The part of a recurrent layer that answers for its parameters and checks what it is given."""

    _cell: str
    input_size: int
    hidden_size: int
    num_layers: int
    bidirectional: bool
    batch_first: bool
    bias: bool
    proj_size: int

    if TYPE_CHECKING:

        @property
        def all_weights(self) -> list[list[Parameter]]: ...

    @property
    def mode(self) -> str:
        """What PyTorch calls the kind of cell: 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'.

        >>> gb.nn.RNN(2, 3).mode
        'RNN_TANH'
        """
        return _MODES[self._cell]

    @property
    def _all_weights(self) -> list[list[str]]:
        """The names of the parameters of each layer and direction."""
        kinds = ["weight_ih", "weight_hh"] + ["bias_ih", "bias_hh"] * bool(self.bias)
        kinds += ["weight_hr"] * bool(self.proj_size)
        ends = [
            f"_l{layer}{end}"
            for layer in range(self.num_layers)
            for end in ("", "_reverse")[: 1 + self.bidirectional]
        ]
        return [[kind + end for kind in kinds] for end in ends]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    @_flat_weights.setter
    def _flat_weights(self, weights: Sequence[Any]) -> None:
        for name, weight in zip(self._flat_weights_names, weights, strict=True):
            if getattr(self, name) is not weight:
                setattr(self, name, weight)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Refuse an input that the layer does not take.

        Args:
            input: Padded sequences, of three dims, or the rows of packed ones, of two.
            batch_sizes: Of packed ones; else None.

        Raises:
            ShapeError: It has other dims, or another last size than `input_size`.

        >>> gb.nn.GRU(2, 3).check_input(gb.ones(4, 1, 2), None)
        """
        dims = 3 if batch_sizes is None else 2
        if check.tensor("check_input", "input", input).ndim != dims or (
            input.shape[-1] != self.input_size
        ):
            raise ShapeError(
                f"{type(self).__name__}: input of sizes {tuple(input.shape)}; {dims} dims are "
                f"needed, the last of size {self.input_size}"
            )

    def _expected(self, input: Tensor, batch_sizes: Tensor | None, size: int) -> tuple[int, ...]:
        op = "get_expected_hidden_size"
        if batch_sizes is not None:
            sequences = int(check.tensor(op, "batch_sizes", batch_sizes)[0].item())
        else:
            sequences = check.tensor(op, "input", input).shape[0 if self.batch_first else 1]
        return self.num_layers * (1 + self.bidirectional), sequences, size

    def get_expected_hidden_size(
        self, input: Tensor, batch_sizes: Tensor | None
    ) -> tuple[int, ...]:
        """Return the sizes of the first states for an input.

        Args:
            input: Padded sequences, or the rows of packed ones.
            batch_sizes: Of packed ones; else None.

        >>> gb.nn.GRU(2, 3, 2).get_expected_hidden_size(gb.ones(4, 1, 2), None)
        (2, 1, 3)
        """
        return self._expected(input, batch_sizes, self.proj_size or self.hidden_size)

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, ...],
        msg: str = "first states of sizes {1}; {0} are needed",
    ) -> None:
        """Refuse first states of other sizes than an input needs.

        Args:
            hx: The states.
            expected_hidden_size: What `get_expected_hidden_size` returns.
            msg: What the error says, with {0} for the sizes needed, and {1} for those given.

        Raises:
            ShapeError: The sizes differ.

        >>> gb.nn.GRU(2, 3).check_hidden_size(gb.ones(1, 4, 3), (1, 4, 3))
        """
        sizes = tuple(check.tensor("check_hidden_size", "hx", hx).shape)
        expected = check.sizes("check_hidden_size", "expected_hidden_size", expected_hidden_size)
        if sizes != expected:
            told = check.text("check_hidden_size", "msg", msg)
            told = told.format(expected, list(sizes))
            raise ShapeError(f"{type(self).__name__}: {told}")

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input, or first states, that the layer does not take.

        Args:
            input: Padded sequences, or the rows of packed ones.
            hidden: The states; a pair of them for an LSTM.
            batch_sizes: Of packed ones; else None.

        Raises:
            ShapeError: Sizes that do not fit.

        >>> gb.nn.GRU(2, 3).check_forward_args(gb.ones(4, 1, 2), gb.ones(1, 1, 3), None)
        """
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Return first states in another order of the sequences.

        Args:
            hx: The states; a pair of them for an LSTM.
            permutation: The order; None leaves it.

        >>> gb.nn.GRU(2, 1).permute_hidden(gb.tensor([[[1.0], [2.0]]]), gb.tensor([1, 0])).tolist()
        [[[2.0], [1.0]]]
        """
        if permutation is None:
            return hx
        order = check.tensor("permute_hidden", "permutation", permutation)
        return check.tensor("permute_hidden", "hx", hx).index_select(1, order)
