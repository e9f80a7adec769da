"""What layers say of themselves: the words of PyTorch's."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (lambda: nn.SiLU(), "SiLU()"),
        (lambda: nn.Mish(inplace=True), "Mish(inplace=True)"),
        (lambda: nn.Hardswish(inplace=True), "Hardswish()"),
        (lambda: nn.Hardsigmoid(), "Hardsigmoid()"),
        (lambda: nn.LeakyReLU(), "LeakyReLU(negative_slope=0.01)"),
        (lambda: nn.LeakyReLU(0.2, True), "LeakyReLU(negative_slope=0.2, inplace=True)"),
        (lambda: nn.ReLU6(), "ReLU6()"),
        (lambda: nn.Dropout(gb.tensor(0.5)), "Dropout(p=0.5, inplace=False)"),
        (lambda: nn.Hardtanh(), "Hardtanh(min_val=-1.0, max_val=1.0)"),
        (lambda: nn.Threshold(1, 2, True), "Threshold(threshold=1, value=2, inplace=True)"),
        (lambda: nn.Hardshrink(), "Hardshrink(0.5)"),
        (lambda: nn.Softshrink(0.2), "Softshrink(0.2)"),
        (lambda: nn.RReLU(0.1, 0.2, True), "RReLU(lower=0.1, upper=0.2, inplace=True)"),
        (
            lambda: nn.MaxUnpool2d(3, (2, 1)),
            "MaxUnpool2d(kernel_size=(3, 3), stride=(2, 1), padding=(0, 0))",
        ),
        (lambda: nn.AvgPool1d(2), "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))"),
        (lambda: nn.FractionalMaxPool2d(3, output_size=2), "FractionalMaxPool2d()"),
        (
            lambda: nn.TripletMarginWithDistanceLoss(),
            "TripletMarginWithDistanceLoss(\n  (distance_function): PairwiseDistance()\n)",
        ),
        (
            lambda: nn.ParameterList([gb.ones(2, 3), gb.zeros(())]),
            "ParameterList(\n"
            "    (0): Parameter containing: [garboard.float32 of size 2x3]\n"
            "    (1): Parameter containing: [garboard.float32 of size ]\n)",
        ),
        (
            lambda: nn.ParameterDict({"a": gb.ones(2)}),
            "ParameterDict(  (a): Parameter containing: [garboard.FloatTensor of size 2])",
        ),
        (
            lambda: nn.LazyInstanceNorm1d(),
            "LazyInstanceNorm1d(0, eps=1e-05, momentum=0.1, affine=True, bias=True, "
            "track_running_stats=True)",
        ),
    ],
)
def test_a_layer_is_shown_as_pytorch_shows_it(layer, text):
    assert repr(layer()) == text


def test_a_layer_may_call_itself_by_another_name():
    class Quantized(nn.Sequential):
        def _get_name(self):
            return "QuantizedSequential"

    assert repr(Quantized(nn.Tanh())) == "QuantizedSequential(\n  (0): Tanh()\n)"
