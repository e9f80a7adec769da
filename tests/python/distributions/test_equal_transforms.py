"""Which transforms are equal: those of one class with equal numbers and parts."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

T = gb.distributions.transforms

MADE = {
    "AbsTransform": T.AbsTransform,
    "AffineTransform": lambda: T.AffineTransform(1.0, gb.tensor([2.0, 3.0])),
    "CatTransform": lambda: T.CatTransform([T.ExpTransform(), T.AbsTransform()], lengths=[1, 2]),
    "ComposeTransform": lambda: T.ComposeTransform([T.ExpTransform(), T.AffineTransform(0, 2)]),
    "CorrCholeskyTransform": T.CorrCholeskyTransform,
    "ExpTransform": T.ExpTransform,
    "IndependentTransform": lambda: T.IndependentTransform(T.ExpTransform(), 1),
    "Inverse": lambda: T.AffineTransform(1.0, 2.0).inv,
    "LowerCholeskyTransform": T.LowerCholeskyTransform,
    "PositiveDefiniteTransform": T.PositiveDefiniteTransform,
    "PowerTransform": lambda: T.PowerTransform(gb.tensor(2.0)),
    "ReshapeTransform": lambda: T.ReshapeTransform((2, 2), (4,)),
    "SigmoidTransform": T.SigmoidTransform,
    "SoftmaxTransform": T.SoftmaxTransform,
    "SoftplusTransform": T.SoftplusTransform,
    "StackTransform": lambda: T.StackTransform([T.ExpTransform(), T.AbsTransform()]),
    "StickBreakingTransform": T.StickBreakingTransform,
    "TanhTransform": T.TanhTransform,
}


@pytest.mark.parametrize("name", MADE)
def test_two_that_were_made_alike_are_equal_and_of_one_hash(name):
    one, other = MADE[name](), MADE[name]()

    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("name", MADE)
def test_it_equals_none_of_another_class(name):
    one = MADE[name]()

    assert all(one != made() for other, made in MADE.items() if other != name)
    assert one != 3


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: T.AffineTransform(1.0, 2.0), lambda: T.AffineTransform(1.0, 3.0)),
        (lambda: T.AffineTransform(1.0, 2.0), lambda: T.AffineTransform(gb.ones(2) * 2, 2.0)),
        (lambda: T.AffineTransform(gb.ones(2), 2.0), lambda: T.AffineTransform(gb.ones(3), 2.0)),
        (lambda: T.AffineTransform(1.0, 2.0), lambda: T.AffineTransform(1.0, 2.0, event_dim=1)),
        (lambda: T.ExpTransform().inv, T.ExpTransform),
        (lambda: T.ComposeTransform([T.ExpTransform()]), lambda: T.ComposeTransform([])),
        (lambda: T.PowerTransform(2.0), lambda: T.PowerTransform(0.5)),
    ],
)
def test_other_numbers_or_parts_make_it_another(one, other):
    assert one() != other()


def test_one_of_a_users_own_class_equals_itself_alone():
    class Doubled(T.Transform):
        pass

    one = Doubled()

    assert one == one
    assert one != Doubled()
    assert len({one, Doubled(), one}) == 2
