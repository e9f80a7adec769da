"""Clipping gradients, vectors of parameters, padded sequences."""

from __future__ import annotations

import math
import pickle

import garboard as gb
import numpy as np
import pytest
from garboard import nn
from garboard.nn import utils
from garboard.nn.utils import rnn

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

A, B = np.array([[3.0, -1.0], [0.0, 2.0]]), np.array([-4.0])


def parameters() -> list[nn.Parameter]:
    given = [nn.Parameter(gb.tensor(it)) for it in (A, B, B)]
    given[0].grad, given[1].grad = gb.tensor(A), gb.tensor(B)
    return given


ALL = np.concatenate([A.ravel(), B])


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0, math.inf])
@pytest.mark.parametrize("most", [1.5, 100.0])
def test_gradients_are_scaled_to_a_norm_of_all(power, most):
    given = parameters()

    with gb.leaks.no_leaks():
        norm = utils.clip_grad_norm_(iter(given), most, power).item()

    assert norm == pytest.approx(np.linalg.norm(ALL, power))
    share = min(1, most / (norm + 1e-6))
    np.testing.assert_allclose(given[0].grad.numpy(), A * share, rtol=1e-12)
    np.testing.assert_allclose(given[1].grad.numpy(), B * share, rtol=1e-12)
    assert given[2].grad is None


def test_gradients_of_any_strides_and_dtypes_are_scaled():
    x, y = nn.Parameter(gb.zeros(2, 2)), nn.Parameter(gb.zeros(1, dtype=gb.float64))
    x.grad, y.grad = gb.tensor(A, dtype=gb.float32).T, gb.tensor(B)

    norm = utils.clip_grad_norm_([x, y], 1.0)

    assert norm.item() == pytest.approx(np.linalg.norm(ALL))
    assert norm.dtype == gb.float64
    assert utils.get_total_norm([x.grad, y.grad]).item() == pytest.approx(1.0, abs=1e-6)
    few_digits = [gb.tensor([3.0], dtype=gb.bfloat16), gb.tensor([4.01])]
    assert utils.get_total_norm(few_digits).item() == pytest.approx(math.hypot(3, 4.01))


def test_elements_are_clamped():
    given = parameters()

    utils.clip_grad_value_(given, 1.5)

    assert given[0].grad.tolist() == [[1.5, -1.0], [0.0, 1.5]]
    assert given[1].grad.tolist() == [-1.5]


def test_the_greatest_absolute_value_may_be_named_by_a_text():
    x = nn.Parameter(gb.zeros(2))
    x.grad = gb.tensor([3.0, -4.0])

    assert utils.get_total_norm([x.grad], "inf").item() == 4.0
    assert utils.clip_grad_norm_([x], 2.0, norm_type="inf").item() == 4.0
    assert x.grad.tolist() == pytest.approx([1.5, -2.0])
    with pytest.raises(TypeError, match="norm_type is of type str"):
        utils.clip_grad_norm_([x], 2.0, norm_type="two")


def test_no_gradients_have_no_norm():
    assert utils.clip_grad_norm_([nn.Parameter(gb.ones(2))], 1.0).item() == 0
    assert utils.clip_grad_norm_([], 1.0).item() == 0


def test_a_norm_that_is_not_finite_is_refused_where_asked_and_nothing_is_scaled():
    x = nn.Parameter(gb.ones(2))
    x.grad = gb.tensor([1.0, math.inf])

    with pytest.raises(gb.GradientError, match=r"clip_grad_norm_: a norm of inf; a finite one"):
        utils.clip_grad_norm_(x, 1.0, error_if_nonfinite=True)

    assert x.grad.tolist() == [1.0, math.inf]


def test_a_vector_of_parameters_goes_there_and_back():
    layer, other = nn.Linear(3, 2), nn.Linear(3, 2)

    vector = utils.parameters_to_vector(layer.parameters())
    utils.vector_to_parameters(vector, other.parameters())
    vector.sum().backward()

    assert gb.equal(other.weight, layer.weight)
    assert gb.equal(other.bias, layer.bias)
    assert layer.weight.grad.tolist() == [[1.0] * 3] * 2


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("batch_first", [True, False])
def test_sequences_are_padded_and_taken_out_again(side, batch_first):
    a, b = gb.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True), gb.tensor([[5.0, 6.0]])

    padded = rnn.pad_sequence([a, b], batch_first, -1.0, side)
    padded.sum().backward()

    rows = padded.detach() if batch_first else padded.detach().transpose(0, 1)
    filled = [[5.0, 6.0], [-1.0, -1.0]]
    assert rows.tolist() == [a.tolist(), filled if side == "right" else filled[::-1]]
    assert a.grad.tolist() == [[1.0, 1.0]] * 2
    if side == "right":
        taken = rnn.unpad_sequence(padded, gb.tensor([2, 1]), batch_first)
        assert [it.tolist() for it in taken] == [a.tolist(), b.tolist()]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: utils.clip_grad_norm_([3], 1), TypeError, "item 0 of parameters is of type int"),
        (lambda: utils.clip_grad_norm_([], "a"), TypeError, "max_norm is of type str; a number"),
        (lambda: utils.clip_grad_value_([], None), TypeError, "clip_value is of type NoneType"),
        (
            lambda: utils.vector_to_parameters(gb.ones(3), [gb.ones(2)]),
            gb.ShapeError,
            r"\[3\]; \[2",
        ),
        (lambda: utils.vector_to_parameters(3, []), TypeError, "vec is of type int; a Tensor"),
        (lambda: rnn.pad_sequence([]), gb.ShapeError, r"pad_sequence: sequences of sizes \[\]"),
        (lambda: rnn.pad_sequence([gb.ones(())]), gb.ShapeError, r"pad_sequence: sequences of"),
        (
            lambda: rnn.pad_sequence([gb.ones(1, 2), gb.ones(1, 3)]),
            gb.ShapeError,
            r"of sizes \[\[1, 2\], \[1, 3\]\]; one or more are needed, equal beyond dim 0",
        ),
        (lambda: rnn.pad_sequence([gb.ones(1)], padding_side="up"), ValueError, "padding_side 'up"),
        (lambda: rnn.unpad_sequence(gb.ones(2, 2), [3, 1]), gb.ShapeError, "2 lengths up to 3 of"),
        (lambda: rnn.unpad_sequence(gb.ones(2, 2), [1]), gb.ShapeError, "1 lengths up to 1 of"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("asks", [(True, False), (False, True)])
def test_fused_parameters_ask_for_gradients_as_each_did_before(asks):
    weight, bias = nn.Parameter(gb.ones(2, 2)), nn.Parameter(gb.ones(2))
    weight.requires_grad_(asks[0])
    bias.requires_grad_(asks[1])
    zeros, ones = gb.zeros(2), gb.ones(2)

    fused = nn.utils.fuse_linear_bn_weights(weight, bias, zeros, ones, 1e-5, ones, zeros)

    assert tuple(it.requires_grad for it in fused) == asks


@pytest.mark.parametrize("norm", [nn.utils.weight_norm, nn.utils.spectral_norm])
def test_a_module_with_a_norm_is_pickled_and_can_be_freed_of_it(norm):
    layer = norm(nn.Linear(3, 2)).eval()

    copied = pickle.loads(pickle.dumps(layer))

    x = gb.ones(1, 3)
    assert gb.equal(copied(x), layer(x))
    remove = {nn.utils.weight_norm: nn.utils.remove_weight_norm}.get(
        norm, nn.utils.remove_spectral_norm
    )
    assert sorted(remove(copied).state_dict()) == ["bias", "weight"]
    assert len(copied._forward_pre_hooks) == 0
    assert len(layer._forward_pre_hooks) == 1
