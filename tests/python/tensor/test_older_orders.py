"""Factors before the tensors, as optimizers of PyTorch's first years give them."""

from __future__ import annotations

import garboard as gb
import pytest


def matrices() -> tuple[gb.Tensor, gb.Tensor, gb.Tensor]:
    a = gb.tensor([[1.0, 2.0], [3.0, 4.0]])
    return a, gb.tensor([[0.5, 1.0], [2.0, 4.0]]), gb.tensor([1.0, 2.0])


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (lambda x, a, b, v: x.add_(0.5, b), lambda x, a, b, v: x.add_(b, alpha=0.5)),
        (lambda x, a, b, v: x.add(2, b), lambda x, a, b, v: x.add(b, alpha=2)),
        (lambda x, a, b, v: x.sub_(0.5, b), lambda x, a, b, v: x.sub_(b, alpha=0.5)),
        (lambda x, a, b, v: gb.add(x, 0.5, b), lambda x, a, b, v: gb.add(x, b, alpha=0.5)),
        (lambda x, a, b, v: gb.sub(x, 0.5, b), lambda x, a, b, v: gb.sub(x, b, alpha=0.5)),
        (lambda x, a, b, v: x.addcmul_(0.5, a, b), lambda x, a, b, v: x.addcmul_(a, b, value=0.5)),
        (
            lambda x, a, b, v: x.addcdiv_(-0.5, a, b),
            lambda x, a, b, v: x.addcdiv_(a, b, value=-0.5),
        ),
        (
            lambda x, a, b, v: gb.addcmul(x, 3, a, b),
            lambda x, a, b, v: gb.addcmul(x, a, b, value=3),
        ),
        (
            lambda x, a, b, v: gb.addcdiv(x, 3, a, b),
            lambda x, a, b, v: gb.addcdiv(x, a, b, value=3),
        ),
        (
            lambda x, a, b, v: x.addmm_(0.5, 2, a, b),
            lambda x, a, b, v: x.addmm_(a, b, beta=0.5, alpha=2),
        ),
        (lambda x, a, b, v: x.addmm(0.5, a, b), lambda x, a, b, v: x.addmm(a, b, beta=0.5)),
        (
            lambda x, a, b, v: gb.addmm(0.5, x, 2, a, b),
            lambda x, a, b, v: gb.addmm(x, a, b, beta=0.5, alpha=2),
        ),
        (
            lambda x, a, b, v: gb.addmv(0.5, x[0], 2, a, v),
            lambda x, a, b, v: gb.addmv(x[0], a, v, beta=0.5, alpha=2),
        ),
        (
            lambda x, a, b, v: gb.addr(0.5, x, 2, v, v),
            lambda x, a, b, v: gb.addr(x, v, v, beta=0.5, alpha=2),
        ),
        (
            lambda x, a, b, v: gb.addbmm(0.5, x, 2, a[None], b[None]),
            lambda x, a, b, v: gb.addbmm(x, a[None], b[None], beta=0.5, alpha=2),
        ),
    ],
)
def test_a_factor_before_tensors_is_taken_with_a_warning(older, newer):
    x = gb.tensor([[3.0, 1.0], [1.0, 2.0]])

    with pytest.warns(FutureWarning, match=r"before a tensor, as PyTorch once took them; give"):
        found = older(x.clone(), *matrices())

    assert gb.equal(found, newer(x.clone(), *matrices()))


def test_a_factor_before_tensors_may_be_complex():
    x = gb.tensor([1 + 2j])

    with pytest.warns(FutureWarning, match="before a tensor"):
        assert gb.addcmul(x, 2j, x, x).tolist() == [(1 + 2j) + 2j * (1 + 2j) ** 2]


def test_a_tensor_is_written_in_place():
    x = gb.ones(2)

    with pytest.warns(FutureWarning, match=r"add_: a factor .* give alpha= behind the tensors"):
        found = x.add_(0.5, gb.tensor([1.0, 2.0]))

    assert found is x
    assert x.tolist() == [1.5, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.add_(1, 2),
        lambda x: x.add_(0.5, x, x),
        lambda x: x.mul_(0.5, x),
        lambda x: x.addcmul_(0.5, 2, x, x),
        lambda x: x.add_("half", x),
        lambda x: x.add_(0.5, x, alpha=2),
    ],
)
def test_other_calls_are_refused_as_they_were(call):
    with pytest.raises(TypeError, match="positional"):
        call(gb.ones(2))
