"""Bad input: the typed error, what it says, and that nothing has changed when it is raised."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import garboard as gb
import pytest
from garboard import (
    DeviceError,
    DTypeError,
    GarboardError,
    GradientError,
    IndexOutOfRangeError,
    ShapeError,
    _engine,
)
from garboard._arguments.errors import ChoiceError

from tests.python.ops.op_table import ROWS

NAN, INF = float("nan"), float("inf")


def given() -> SimpleNamespace:
    """Return tensors for mistakes to be made with."""
    leaf = gb.ones(2, 3, requires_grad=True)
    return SimpleNamespace(
        x=gb.arange(6.0).view(2, 3),
        y=gb.ones(4),
        cube=gb.zeros(2, 3, 4),
        one=gb.tensor(1.5),
        none=gb.zeros(0, 3),
        ints=gb.arange(6).view(2, 3),
        bools=gb.tensor([True, False]),
        deep=gb.zeros((1,) * 8),
        wide=gb.zeros(1, 3).expand(2, 3),
        tall=gb.ones(2, 4),
        double=gb.ones(3, 2, dtype=gb.float64),
        floats=gb.tensor([0.0, 1.0]),
        three=gb.tensor([0, 1, 2]),
        high=gb.tensor([0, 3]),
        low=gb.tensor([-1, 0]),
        other=gb.ones(1, requires_grad=True),
        leaf=leaf,
        computed=leaf * 2,
    )


# What is called, the error, what is said to be given, what is said to be needed.
Mistake = tuple[str, Callable[[Any], Any], type[Exception], str, str]

SIZES: list[Mistake] = [
    ("zeros", lambda t: gb.zeros(2**62), ShapeError, "[4611686018427387904]", "2^63 bytes; no"),
    ("zeros", lambda t: gb.zeros(2**31, 2**31, 2), ShapeError, "[2147483648, 2147", "; no device"),
    ("ones", lambda t: gb.ones(2**62, 0, -1), ShapeError, "0, -1]", "no size may be negative"),
    ("zeros", lambda t: gb.zeros(2**64), ShapeError, "size does not fit", "at most 2^63 - 1"),
    ("empty", lambda t: gb.empty(-1), ShapeError, "sizes [-1]", "no size may be negative"),
    ("full", lambda t: gb.full((2, -3), 0), ShapeError, "sizes [2, -3]", "no size may be negative"),
    ("eye", lambda t: gb.eye(-1), ShapeError, "[-1, -1]", "no size may be negative"),
    ("randn", lambda t: gb.randn(3, -2), ShapeError, "[3, -2]", "no size may be negative"),
    ("rand", lambda t: gb.rand(2**62), ShapeError, "[4611686018427387904]", "; no device"),
    ("zeros", lambda t: gb.zeros(NAN), TypeError, "of type float", "an integer"),
    ("zeros", lambda t: gb.zeros(1.5, 2), TypeError, "of type float", "an integer"),
    ("zeros", lambda t: gb.zeros("2"), TypeError, "of type str", "an integer"),
    ("zeros", lambda t: gb.zeros(True), TypeError, "of type bool", "an integer"),
    ("zeros", lambda t: gb.zeros([2, None]), TypeError, "of type NoneType", "an integer"),
    ("zeros", lambda t: gb.zeros((1,) * 9), ShapeError, "9 dims", "at most 8"),
    ("ones", lambda t: gb.ones(*(1,) * 9), ShapeError, "9 dims", "at most 8"),
    ("unsqueeze", lambda t: t.deep.unsqueeze(0), ShapeError, "one more dim", "at most 8"),
    ("stack", lambda t: gb.stack([t.deep]), ShapeError, "one more dim", "at most 8"),
    ("view", lambda t: t.deep.view((1,) * 9), ShapeError, "9 dims", "at most 8"),
    ("expand", lambda t: t.deep.expand(*(1,) * 9), ShapeError, "9 dims", "at most 8"),
    ("arange", lambda t: gb.arange(0, 5, 0), ShapeError, "step 0", "must not be zero"),
    ("arange", lambda t: gb.arange(0, 5, -1), ShapeError, "0 to 5 by -1", "lead from start"),
    ("arange", lambda t: gb.arange(NAN), ShapeError, "nan", "must be finite"),
    ("arange", lambda t: gb.arange(0, INF), ShapeError, "inf", "must be finite"),
    ("arange", lambda t: gb.arange(0, 1e30), ShapeError, "1e+30 elements", "at most 2^62"),
    ("randint", lambda t: gb.randint(3, 3, (2,)), ShapeError, "from 3 to 3", "low must be below"),
]
DATA: list[Mistake] = [
    ("tensor", lambda t: gb.tensor([[1, 2], [3]]), ShapeError, "a list of 1", "equally long"),
    ("tensor", lambda t: gb.tensor([[1], 2]), ShapeError, "a number at depth 1", "equally long"),
    ("tensor", lambda t: gb.tensor([1, [2]]), ShapeError, "a number stands", "equally long"),
    ("tensor", lambda t: gb.tensor([[], [1]]), ShapeError, "a list of 1", "equally long"),
    ("tensor", lambda t: gb.tensor([[[[[[[[[1]]]]]]]]]), ShapeError, "more than 8", "at most 8"),
    ("tensor", lambda t: gb.tensor(["a"]), DTypeError, "of type str", "numbers"),
    ("tensor", lambda t: gb.tensor(None), DTypeError, "of type NoneType", "numbers"),
    ("tensor", lambda t: gb.tensor([1j], dtype=gb.int8), DTypeError, "of type complex", "numbers"),
    ("tensor", lambda t: gb.tensor({1}), DTypeError, "of type set", "numbers"),
    ("tensor", lambda t: gb.tensor(2**63), DTypeError, "beyond 64 bits", "at most 2^63 - 1"),
    ("tensor", lambda t: gb.tensor([256], dtype=gb.uint8), DTypeError, "256", "a wider dtype"),
    ("tensor", lambda t: gb.tensor([NAN], dtype=gb.int32), DTypeError, "nan", "a wider dtype"),
    ("index", lambda t: t.ints.__setitem__(0, [1, "a", 2]), DTypeError, "of type str", "numbers"),
    ("zeros", lambda t: gb.zeros(2, dtype="float32"), TypeError, "dtype is of type str", "a dtype"),
    ("to", lambda t: t.x.to(3.5), TypeError, "of type float", "a dtype"),
    ("full", lambda t: gb.full((2,), "a"), TypeError, "of type str", "a number"),
    ("fill_", lambda t: t.x.fill_(t.y), ShapeError, "[4]", "exactly one element"),
]
SHAPES: list[Mistake] = [
    ("view", lambda t: t.x.view(5), ShapeError, "[5] for a tensor of sizes [2, 3]", "6 elements"),
    ("view", lambda t: t.x.view(-1, -1), ShapeError, "[-1, -1]", "at most one may be -1"),
    ("view", lambda t: t.x.view(-2, 3), ShapeError, "[-2, 3]", "no other negative"),
    ("view", lambda t: t.x.view(-1, 4), ShapeError, "[-1, 4]", "6 elements"),
    ("view", lambda t: t.none.view(-1, 0), ShapeError, "[-1, 0]", "0 elements"),
    ("view", lambda t: t.x.view(2**40, 2**40), ShapeError, "[10995116", "6 elements"),
    ("view", lambda t: t.x.T.view(6), ShapeError, "strides [1, 3]", "use reshape()"),
    ("reshape", lambda t: t.x.reshape(7), ShapeError, "[7]", "6 elements"),
    ("t", lambda t: t.cube.t(), ShapeError, "[2, 3, 4]", "at most two dims"),
    ("permute", lambda t: t.x.permute(0, 0), ShapeError, "[0, 0]", "named once"),
    ("permute", lambda t: t.x.permute(0), ShapeError, "[0] of a tensor of 2", "named once"),
    ("flip", lambda t: t.x.flip(0, -2), ShapeError, "[0, -2]", "named once"),
    ("flip", lambda t: t.x.flip(2), IndexOutOfRangeError, "dim 2", "[-2, 1]"),
    ("permute", lambda t: t.x.permute(0, 2), IndexOutOfRangeError, "dim 2", "[-2, 1]"),
    ("transpose", lambda t: t.x.transpose(0, -3), IndexOutOfRangeError, "dim -3", "[-2, 1]"),
    ("transpose", lambda t: t.x.transpose(0.5, 1), TypeError, "type float", "an integer"),
    ("expand", lambda t: t.x.expand(3), ShapeError, "[3] for", "no dim can be left out"),
    ("expand", lambda t: t.x.expand(4, 3), ShapeError, "differ at dim -2", "must be 1 or equal"),
    ("expand", lambda t: t.x.expand(-1, 2, 3), ShapeError, "[-1, 2, 3]", "must be 1 or equal"),
    ("expand", lambda t: t.x.expand(2**62, 2, 3), ShapeError, "[4611", "no device"),
    ("squeeze", lambda t: t.x.squeeze(2), IndexOutOfRangeError, "dim 2", "[-2, 1]"),
    ("unsqueeze", lambda t: t.x.unsqueeze(-4), IndexOutOfRangeError, "dim -4", "[-3, 2]"),
    ("narrow", lambda t: t.x.narrow(1, 2, 2), IndexOutOfRangeError, "2 elements from 2", "inside"),
    ("narrow", lambda t: t.x.narrow(1, 0, -1), IndexOutOfRangeError, "-1 elements", "inside"),
    ("narrow", lambda t: t.one.narrow(0, 0, 1), ShapeError, "without dims", "at least one"),
    ("select", lambda t: t.x.select(1, 3), IndexOutOfRangeError, "index 3", "[-3, 2]"),
    (
        "flatten",
        lambda t: t.cube.flatten(2, 1),
        ShapeError,
        "dim 2 to dim 1",
        "must not come after",
    ),
    ("cat", lambda t: gb.cat([]), ShapeError, "no tensors", "at least one"),
    ("cat", lambda t: gb.cat([t.x, t.y]), ShapeError, "[2, 3] and [4]", "along dim 0 alone"),
    ("cat", lambda t: gb.cat([t.one]), ShapeError, "without dims", "use stack()"),
    ("cat", lambda t: gb.cat([t.x], 2), IndexOutOfRangeError, "dim 2", "[-2, 1]"),
    (
        "cat",
        lambda t: gb.cat(t.x),
        TypeError,
        "of type garboard.Tensor",
        "a list or tuple of Tensors",
    ),
    ("cat", lambda t: gb.cat([t.x, 1]), TypeError, "element 1", "a Tensor is needed"),
    ("stack", lambda t: gb.stack([t.x, t.y]), ShapeError, "[2, 3] and [4]", "must be equal"),
    ("stack", lambda t: gb.stack([]), ShapeError, "no tensors", "at least one"),
    ("size", lambda t: t.x.size(2), IndexOutOfRangeError, "dim 2", "[-2, 1]"),
    ("item", lambda t: t.x.item(), ShapeError, "[2, 3]", "exactly one element"),
    ("float", lambda t: float(t.y), ShapeError, "[4]", "exactly one element"),
]
ARITHMETIC: list[Mistake] = [
    ("add", lambda t: t.x + t.y, ShapeError, "[2, 3] and [4] differ at dim -1", "equal or 1"),
    ("mul", lambda t: t.cube * t.x, ShapeError, "[2, 3, 4] and [2, 3]", "equal or 1"),
    ("where", lambda t: gb.where(t.bools, t.x, 0), ShapeError, "differ at dim -1", "equal or 1"),
    ("clamp", lambda t: t.x.clamp(), DTypeError, "neither min nor max", "at least one"),
    ("pow", lambda t: gb.pow(1, 2), TypeError, "two numbers", "at least one Tensor"),
    ("exp", lambda t: gb.exp(1.0), TypeError, "input is of type float", "a Tensor"),
    ("mul", lambda t: gb.mul(t.x, "a"), TypeError, "other is of type str", "a number"),
    ("neg", lambda t: -t.bools, DTypeError, "bool", "uint8, int8, int16, int32"),
    ("sub", lambda t: t.bools - t.bools, DTypeError, "bool", "uint8, int8, int16, int32"),
    ("bitwise_and", lambda t: t.x & 1, DTypeError, "float32", "one of bool, uint8"),
    ("mean", lambda t: t.ints.mean(), DTypeError, "int64", "dtype=float32"),
    ("sum", lambda t: t.x.sum(2), IndexOutOfRangeError, "dim 2", "[-2, 1]"),
    ("sum", lambda t: t.x.sum((0, -2)), ShapeError, "dim -2 named twice", "once"),
    ("sum", lambda t: t.x.sum("a"), TypeError, "of type str", "an integer"),
    ("amax", lambda t: t.none.amax(), ShapeError, "no elements", "at least one"),
    ("max", lambda t: t.none.max(), ShapeError, "no elements", "at least one"),
    ("min", lambda t: gb.min(t.none, dim=None), ShapeError, "no elements", "at least one"),
    (
        "max",
        lambda t: t.x.max(t.x, keepdim=True),
        TypeError,
        "dim is of type",
        "an integer or None",
    ),
    ("max", lambda t: t.none.max(0), ShapeError, "no elements", "at least one"),
    ("argmin", lambda t: t.none.argmin(), ShapeError, "no elements", "at least one"),
    ("argmax", lambda t: t.x.argmax(5), IndexOutOfRangeError, "dim 5", "[-2, 1]"),
    ("mm", lambda t: gb.mm(t.x, t.x), ShapeError, "[2, 3] and [2, 3]", "must equal"),
    ("mm", lambda t: gb.mm(t.x, t.y), ShapeError, "[2, 3] and [4]", "both need 2 dims"),
    ("bmm", lambda t: gb.bmm(t.cube, t.cube), ShapeError, "[2, 3, 4]", "must equal"),
    ("matmul", lambda t: t.x @ t.y, ShapeError, "[2, 3] and [4]", "3 columns meet 4 rows"),
    ("matmul", lambda t: t.x @ t.one, ShapeError, "[2, 3] and []", "at least one dim"),
    ("matmul", lambda t: t.x @ t.double, DTypeError, "float32 and float64", "must be equal"),
    (
        "linear",
        lambda t: gb.linear(t.x, t.y),
        ShapeError,
        "[2, 3] and weight of sizes [4]",
        "[out,",
    ),
    ("linear", lambda t: gb.linear(t.x, t.x, t.y), ShapeError, "bias of sizes [4]", "[out] and"),
    ("softmax", lambda t: t.x.softmax(2), IndexOutOfRangeError, "dim 2", "[-2, 1]"),
    ("softmax", lambda t: t.ints.softmax(0), DTypeError, "int64", "floating"),
    ("mse_loss", lambda t: gb.mse_loss(t.x, t.y), ShapeError, "[2, 3] and target", "be equal"),
    ("dropout", lambda t: gb.dropout(t.x, 1.5), ShapeError, "p 1.5", "[0, 1]"),
    ("dropout", lambda t: gb.dropout(t.x, NAN), ShapeError, "p nan", "[0, 1]"),
    ("dropout", lambda t: gb.dropout(t.ints), DTypeError, "int64", "floating"),
]


def loss_of(name: str, **more: Any) -> Callable[[Any], gb.Tensor]:
    return lambda t: gb.cross_entropy(t.x, getattr(t, name), **more)


def slid(x: tuple[int, ...], *weight: int, **more: Any) -> Callable[[Any], gb.Tensor]:
    return lambda t: gb.conv1d(t.one.expand(x), t.one.expand(weight), **more)


CONVOLUTIONS: list[Mistake] = [
    ("conv1d", slid((2, 3, 5), 4, 2, 3), ShapeError, "[2, 3, 5], weight [4, 2, 3]", "weight's 2"),
    ("conv1d", slid((5,), 1, 1, 1), ShapeError, "input [5]", "[channels, length]"),
    ("conv1d", slid((2, 3, 5, 1), 4, 3, 3), ShapeError, "[2, 3, 5, 1]", "[channels, length]"),
    ("conv1d", slid((3, 5), 4, 3), ShapeError, "weight [4, 3]", "taps] are needed"),
    ("conv1d", slid((4, 5), 3, 2, 1, groups=2), ShapeError, "groups 2", "divide its 3 out"),
    ("conv1d", slid((4, 5), 4, 4, 1, groups=0), ShapeError, "groups 0", "at least 1"),
    ("conv1d", slid((4, 5), 4, 4, 1, groups=-1), ShapeError, "groups -1", "at least 1"),
    ("conv1d", slid((4, 5), 4, 2, 1, groups=2**62), ShapeError, "groups 4611", "times the groups"),
    ("conv1d", slid((3, 5), 4, 3, 0), ShapeError, "taps 0", "at least 1"),
    ("conv1d", slid((3, 5), 4, 3, 6), ShapeError, "length 5, padded to 5", "not span more"),
    ("conv1d", slid((3, 5), 4, 3, 2, dilation=2**62), ShapeError, "dilation 4611", "not span"),
    ("conv1d", slid((3, 0), 4, 3, 1), ShapeError, "length 0, padded to 0", "not span more"),
    ("conv1d", slid((3, 5), 4, 3, 2, stride=0), ShapeError, "stride 0", "at least 1"),
    ("conv1d", slid((3, 5), 4, 3, 2, dilation=0), ShapeError, "dilation 0", "at least 1"),
    ("conv1d", slid((3, 5), 4, 3, 2, padding=-1), ShapeError, "padding -1", "at least 0"),
    ("conv1d", slid((3, 5), 4, 3, 2, padding=2**62), ShapeError, "padding 4611", "at most 2^60"),
    (
        "conv1d",
        slid((3, 5), 4, 3, 4, padding="same", dilation=2**60),
        ShapeError,
        "padding 'same', dilation 1152",
        "at most 2^60",
    ),
    ("conv1d", slid((3, 5), 4, 3, 2, padding="same", stride=2), ShapeError, "stride 2", "number"),
    ("conv1d", slid((3, 5), 4, 3, 2, padding="full"), ChoiceError, "'full'", "'same' or 'valid'"),
    ("conv1d", slid((3, 5), 4, 3, 2, padding=1.5), TypeError, "of type float", "an integer"),
    ("conv1d", slid((3, 5), 4, 3, 2, padding=2**58), ShapeError, "sizes [1, 4, 5764", "2^63 bytes"),
    ("conv1d", lambda t: gb.conv1d(t.cube, t.cube, t.y), ShapeError, "bias [4]", "a bias [2]"),
    (
        "conv1d",
        lambda t: gb.conv1d(t.cube, t.cube, t.double[0]),
        DTypeError,
        "bias of dtype float64",
        "must be equal",
    ),
    (
        "conv1d",
        lambda t: gb.conv1d(t.cube, t.double.unsqueeze(0)),
        DTypeError,
        "weight of dtype float64",
        "must be equal",
    ),
]
LOSSES: list[Mistake] = [
    ("cross_entropy", loss_of("floats"), DTypeError, "float32", "int64"),
    ("cross_entropy", loss_of("three"), ShapeError, "targets of sizes [3]", "[rows, classes] and"),
    (
        "cross_entropy",
        loss_of("high"),
        IndexOutOfRangeError,
        "row 1 is not in [0, 3)",
        "index -100",
    ),
    ("cross_entropy", loss_of("low"), IndexOutOfRangeError, "row 0", "ignore_index -100"),
    ("cross_entropy", loss_of("low", reduction="max"), ChoiceError, "'max'", "'mean', 'sum' or"),
]
WRITES: list[Mistake] = [
    ("exp", lambda t: gb.exp(t.x, out=t.y), ShapeError, "out has sizes [4]", "must be equal"),
    ("exp", lambda t: gb.exp(t.x, out=t.ints), DTypeError, "into int64", "to()"),
    ("add", lambda t: gb.add(t.x, 1, out=t.wide), ShapeError, "strides [0, 1]", "a clone()"),
    ("add", lambda t: gb.add(t.x, 1, out=3), TypeError, "out is of type int", "a Tensor"),
    ("exp", lambda t: gb.exp(t.leaf, out=t.x), GradientError, "out= given", "no_grad()"),
    ("exp", lambda t: gb.exp(t.x, out=t.computed), GradientError, "out= given", "no_grad()"),
    ("add", lambda t: t.x.add_(t.cube), ShapeError, "[2, 3] and [2, 3, 4]", "equal or 1"),
    ("add", lambda t: t.y.add_(t.tall), ShapeError, "[4], the result [2, 4]", "be equal"),
    ("add", lambda t: t.ints.add_(0.5), DTypeError, "float32 does not fit into int64", "to()"),
    ("div", lambda t: t.ints.div_(2), DTypeError, "float32 does not fit into int64", "to()"),
    ("sqrt", lambda t: t.ints.sqrt_(), DTypeError, "float32 does not fit into int64", "to()"),
    ("mul", lambda t: t.wide.mul_(2), ShapeError, "more than once", "a clone()"),
    ("fill_", lambda t: t.wide.fill_(2), ShapeError, "more than once", "a clone()"),
    ("copy_", lambda t: t.x.copy_(t.y), ShapeError, "[2, 3] and [4]", "equal or 1"),
    ("copy_", lambda t: t.x.copy_(t.cube), ShapeError, "[2, 3, 4]", "broadcast to the target's"),
    ("uniform_", lambda t: t.ints.uniform_(), DTypeError, "int64", "floating"),
    ("uniform_", lambda t: t.x.uniform_(2, 1), ShapeError, "from 2 to 1", "not be above"),
    ("uniform_", lambda t: t.x.uniform_(0, NAN), ShapeError, "nan", "finite"),
    ("normal_", lambda t: t.x.normal_(0, -1), ShapeError, "std -1", "not be negative"),
    ("mul", lambda t: t.leaf.mul_(2), GradientError, "a leaf", "no_grad()"),
    ("fill_", lambda t: t.leaf[0].fill_(2), GradientError, "a view of a leaf", "no_grad()"),
    ("copy_", lambda t: t.leaf.copy_(t.x), GradientError, "a leaf", "no_grad()"),
]
GRADIENTS: list[Mistake] = [
    ("requires_grad_", lambda t: t.ints.requires_grad_(), GradientError, "int64", "floating"),
    ("requires_grad_", lambda t: t.computed.requires_grad_(False), GradientError, "", "detach()"),
    ("backward", lambda t: t.x.backward(), GradientError, "does not require grad", "computed from"),
    ("backward", lambda t: t.computed.backward(), GradientError, "sizes [2, 3]", "one element"),
    ("backward", lambda t: t.computed.backward(t.y), ShapeError, "[4] for", "must be equal"),
    ("backward", lambda t: t.computed.backward(2), TypeError, "of type int", "a Tensor"),
    ("grad", lambda t: setattr(t.leaf, "grad", t.y), ShapeError, "[4] for", "must be equal"),
    ("grad", lambda t: setattr(t.leaf, "grad", t.ints), DTypeError, "int64 for", "must be equal"),
    ("grad", lambda t: setattr(t.leaf, "grad", 2), TypeError, "type int", "a Tensor or None"),
    ("register_hook", lambda t: t.x.register_hook(print), GradientError, "not require", "only"),
    ("register_hook", lambda t: t.leaf.register_hook(3), TypeError, "type int", "a callable"),
    (
        "grad",
        lambda t: gb.autograd.grad(t.computed.sum(), t.x),
        GradientError,
        "an input that does not",
        "requires_grad_()",
    ),
    (
        "grad",
        lambda t: gb.autograd.grad(t.computed.sum(), t.other),
        GradientError,
        "inputs [0]",
        "allow_unused=True",
    ),
]
CALLS: list[Mistake] = [
    ("exp", lambda t: gb.exp(t.x, t.x), TypeError, "2 positional arguments", "at most 1"),
    ("exp", lambda t: t.x.exp(t.x), TypeError, "1 positional arguments", "at most 0"),
    ("add", lambda t: gb.add(t.x), TypeError, "'other' is missing", "needed"),
    ("transpose", lambda t: t.x.transpose(dim0=0), TypeError, "'dim1' is missing", "needed"),
    ("device", lambda t: gb.device("tpu"), DeviceError, '"tpu"', '"cuda"'),
    ("device", lambda t: gb.device("cuda:99"), DeviceError, '"cuda:99"', '"cuda:7"'),
    ("to", lambda t: t.x.to("gpu"), DeviceError, '"gpu"', '"cuda"'),
    (
        "zeros",
        lambda t: gb.zeros(2, device=0.5),
        TypeError,
        "of type float",
        "a device or a string",
    ),
]
# Made of other ops, whose names would say nothing to who calls them.
_X_Y = "sizes [2, 3]"
COMPOSITES: list[Mistake] = [
    *(
        (name, lambda t, name=name: getattr(gb, name)(t.x, t.y), ShapeError, _X_Y, "must be equal")
        for name in ("dist", "isclose")
    ),
    *(
        (
            name,
            lambda t, name=name: getattr(gb.nn.functional, name)(t.x, t.y),
            ShapeError,
            _X_Y,
            "must be equal",
        )
        for name in (
            *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss"),
            *("hinge_embedding_loss", "cosine_similarity", "pairwise_distance"),
        )
    ),
    *(
        (name, lambda t, name=name: getattr(gb, name)(t.x, t.x, t.y), ShapeError, _X_Y, "be equal")
        for name in ("addcmul", "addcdiv")
    ),
    ("addcmul", lambda t: t.x.addcmul_(t.y, t.y), ShapeError, _X_Y, "must be equal"),
    ("masked_fill", lambda t: t.x.masked_fill(t.y > 0, 1.0), ShapeError, _X_Y, "must be equal"),
    (
        "margin_ranking_loss",
        lambda t: gb.nn.functional.margin_ranking_loss(t.x, t.y, t.x),
        ShapeError,
        _X_Y,
        "must be equal",
    ),
]
EVERY = [
    *(*SIZES, *DATA, *SHAPES, *ARITHMETIC, *CONVOLUTIONS, *LOSSES, *WRITES, *GRADIENTS, *CALLS),
    *COMPOSITES,
]
# They find the mistake in the elements themselves, when they have begun.
LATE = ("cross_entropy", "tensor", "index", "grad", "masked_fill")


@pytest.mark.parametrize(
    ("op", "call", "error", "what", "needed"), EVERY, ids=[f"{m[0]}: {m[3]}" for m in EVERY]
)
def test_a_mistake_is_named_and_changes_nothing(op, call, error, what, needed):
    tensors = given()
    before = gb.memory.live()
    versions = {name: x._version for name, x in vars(tensors).items()}
    next_storage = _engine._next_serials()[1]

    with pytest.raises(error) as caught:
        call(tensors)

    assert op in LATE or _engine._next_serials()[1] == next_storage
    said, _, asked = str(caught.value).partition("; ")
    assert said.startswith(f"{op}: ")
    assert what in str(caught.value)
    assert needed in f"{said}; {asked}"
    assert asked
    assert isinstance(caught.value, GarboardError) == (error not in (TypeError, ValueError))
    del caught
    assert gb.memory.live() == before
    assert gb.memory.memory_allocated() == before.bytes
    assert {name: x._version for name, x in vars(tensors).items()} == versions
    assert gb.equal(tensors.x, gb.arange(6.0).view(2, 3))


class TestTheTypes:
    @pytest.mark.parametrize(
        ("error", "bases"),
        [
            ("ShapeError", (GarboardError, RuntimeError, ValueError)),
            ("IndexOutOfRangeError", (ShapeError, IndexError)),
            ("GradientError", (GarboardError, RuntimeError)),
            ("DTypeError", (GarboardError, NotImplementedError, TypeError)),
            ("IndexTypeError", (DTypeError, IndexError)),
            ("DeviceError", (GarboardError, NotImplementedError)),
            ("LinAlgError", (GarboardError, RuntimeError)),
            ("DisposedError", (GarboardError, RuntimeError)),
            ("VersionError", (GarboardError, RuntimeError)),
            ("OutOfMemoryError", (GarboardError, RuntimeError, MemoryError)),
            ("ScopeLimitError", (gb.OutOfMemoryError,)),
        ],
    )
    def test_are_caught_as_what_pythons_users_expect(self, error, bases):
        assert getattr(gb, error).__bases__ == bases
        assert getattr(gb, error).__module__ == "garboard"
        assert GarboardError.__bases__ == (RuntimeError,)

    def test_are_raised_exactly(self):
        for call, error in [
            (lambda: gb.zeros(-1), ShapeError),
            (lambda: gb.zeros(2)[2], IndexOutOfRangeError),
            (lambda: gb.zeros(2).backward(), GradientError),
            (lambda: gb.zeros(2, dtype=gb.int64).mean(), DTypeError),
            (lambda: gb.device("tpu"), DeviceError),
            (lambda: gb.empty(2**40), gb.OutOfMemoryError),
        ]:
            with pytest.raises(error) as caught:
                call()
            assert caught.type is error


class TestMemoryThatCannotBeHad:
    def test_is_reported_and_costs_nothing(self):
        tensors = given()
        before = gb.memory.live()

        for call in (
            lambda: gb.zeros(2**40),
            lambda: tensors.one.expand(2**40).clone(),
            lambda: tensors.one.expand(2**40) + 1,
            lambda: gb.cat([tensors.one.expand(2**38)] * 4),
            lambda: tensors.one.expand(2**20, 2**20) @ tensors.one.expand(2**20, 2**20),
        ):
            with pytest.raises(gb.OutOfMemoryError, match=r"TiB asked on cpu, .*; .+") as caught:
                call()
            assert "TiB" in caught.value.report
            del caught

        assert gb.memory.live() == before
        assert gb.memory.memory_allocated() == before.bytes


def arguments_of(signature: str, tensor: Callable[[], gb.Tensor]) -> dict[str, Any]:
    """Return one argument for each parameter that has no default, by its annotation."""
    made = {
        "Tensor": tensor,
        "Tensor | Number": tensor,
        "list[_T] | tuple[_T, ...]": lambda: [tensor()],
        "Number": lambda: 1,
        "float": lambda: 0.5,
        "int": lambda: 0,
        "int | None": lambda: 0,
        "Any": tensor,
        "int | Size": lambda: 1,
        "int | Size | None": lambda: 0,
        "Size": lambda: (1,),
        "bool": lambda: False,
        "str": lambda: "x",
        "Tensor | None": tensor,
        "DType": lambda: gb.int64,
        "TensorLike": tensor,
        "Callable[[Tensor], Tensor | None]": lambda: print,
        "Callable[[Tensor], None]": lambda: print,
        "Sequence[Tensor | None]": lambda: (tensor(),),
    }
    parameters = ast.parse(f"def f{signature}: ...").body[0].args
    required = parameters.args[: len(parameters.args) - len(parameters.defaults)]

    def one_of(annotation: ast.expr) -> Any:
        text = ast.unparse(annotation)
        words = re.search(r"Literal\['([^']+)'", text)
        return words[1] if words else made[text]()

    return {it.arg: one_of(it.annotation) for it in required if it.annotation is not None}


TABLE = [(name, signature, is_method) for name, signature, _, _, is_method in _engine._op_table()]
# They take no tensor.
OF_NO_TENSOR = [
    "_from_dlpack",
    "arange",
    "empty",
    "eye",
    "from_numpy",
    "full",
    "manual_seed",
    "ones",
    "rand",
    "randint",
    "randn",
    "zeros",
]


PROPERTIES = [
    name
    for name in dir(gb.Tensor)
    if not callable(getattr(gb.Tensor, name, len))  # a missing name of PyTorch's raises
    and not name.startswith("__")
    and name not in ("is_disposed", "_grad")  # that says grad
]


class TestADisposedTensor:
    @pytest.mark.parametrize(
        ("name", "signature"),
        [(name, signature) for name, signature, is_method in TABLE if is_method],
    )
    def test_is_refused_by_every_method(self, name, signature):
        x = gb.ones(2, 2)
        arguments = arguments_of(signature, lambda: gb.ones(2, 2))
        with x:
            pass

        with pytest.raises(gb.DisposedError, match=rf"^{name}: input is a disposed tensor, .*; "):
            getattr(x, name)(*arguments.values())

    @pytest.mark.parametrize(
        ("name", "signature"),
        [(n, s) for n, s, is_method in TABLE if not is_method and n not in OF_NO_TENSOR],
    )
    def test_is_refused_by_every_function_in_every_place(self, name, signature):
        live = gb.ones(2, 2)
        disposed = gb.ones(2, 2)
        disposed.dispose()
        arguments = arguments_of(signature, lambda: live)
        storages = gb.memory.live().storages

        for parameter, argument in arguments.items():
            if argument is not live and not isinstance(argument, list):
                continue
            swapped = disposed if argument is live else [live, disposed]
            pattern = rf"^{name}: {parameter} is a disposed tensor, born at .*; \w"
            with pytest.raises(gb.DisposedError, match=pattern):
                getattr(_engine, name)(*(arguments | {parameter: swapped}).values())

        assert gb.memory.live().storages == storages

    @pytest.mark.parametrize("name", PROPERTIES)
    def test_refuses_every_property(self, name):
        x = gb.ones(2, 2)
        x.dispose()

        with pytest.raises(gb.DisposedError, match=rf"^({name}|call): .* disposed tensor, .*; \w"):
            getattr(x, name)

    @pytest.mark.parametrize("row", [row for row in ROWS if row.takes_out], ids=lambda r: r.name)
    def test_is_refused_as_out(self, row):
        inputs = row.inputs(row.dtypes[0])
        out = gb.zeros(3, 4)
        out.dispose()

        with pytest.raises(gb.DisposedError, match=rf"^{row.name}: out is a disposed tensor"):
            getattr(gb, row.name)(*inputs, out=out)

    def test_may_be_disposed_again_and_asked(self):
        x = gb.ones(2)
        y = x[:1]

        x.dispose()
        x.dispose()
        with y:
            y.dispose()

        assert x.is_disposed
        assert y.is_disposed
        assert isinstance(hash(x), int)


def test_every_message_has_two_halves():
    # Read from the sources, so that no error of the op floor is forgotten here.
    thrown = re.compile(r"throw \w*Error\(\s*(?:text\()?(.*?)\);\n", re.DOTALL)
    ops = sorted((Path(__file__).parents[3] / "csrc" / "ops").rglob("*.cpp"))

    messages = [m for file in ops for m in thrown.findall(file.read_text(encoding="utf-8"))]

    assert len(messages) > 60
    assert [message for message in messages if "; " not in message] == []
