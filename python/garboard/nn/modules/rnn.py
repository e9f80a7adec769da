"""Recurrent layers, where PyTorch's users look for them."""

from garboard.nn import (
    GRU,
    LSTM,
    RNN,
    GRUCell,
    LSTMCell,
    RNNCell,
)
from garboard.nn._sequences._layer import Recurrent as RNNBase  # noqa: F401
from garboard.nn._sequences.recurrent_cells import _Cell as RNNCellBase  # noqa: F401
from garboard.nn.utils.rnn import PackedSequence as PackedSequence

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "GRUCell",
    "LSTMCell",
    "RNNCell",
]
