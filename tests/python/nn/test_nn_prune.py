"""Pruning: what is zero after it, what optimizers and state dicts see of it, what takes it off."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import nn
from garboard.nn.utils import prune

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

WEIGHT = [[1.0, -6.0, 0.5], [-2.0, 0.25, 3.0]]


def linear() -> nn.Linear:
    layer = nn.Linear(3, 2)
    with gb.no_grad():
        layer.weight.copy_(gb.tensor(WEIGHT))
        layer.bias.zero_()
    return layer


class TestTheSmallestElements:
    @pytest.mark.parametrize("amount", [2, 1 / 3])
    def test_are_zero(self, amount):
        layer = prune.l1_unstructured(linear(), "weight", amount)

        assert layer.weight_mask.tolist() == [[1, 1, 0], [1, 0, 1]]
        assert layer.weight.tolist() == [[1, -6, 0], [-2, 0, 3]]
        assert layer.weight_orig.tolist() == WEIGHT

    def test_are_of_those_that_are_left(self):
        layer = prune.l1_unstructured(linear(), "weight", 2)
        prune.l1_unstructured(layer, "weight", 0.5)

        assert layer.weight.tolist() == [[0, -6, 0], [0, 0, 3]]
        assert len(layer._forward_pre_hooks) == 1

    def test_are_told_by_scores_where_there_are_any(self):
        scores = gb.tensor([[0.0, 1, 2], [3, 4, 5]])

        layer = prune.l1_unstructured(linear(), "weight", 3, importance_scores=scores)

        assert layer.weight_mask.tolist() == [[0, 0, 0], [1, 1, 1]]

    def test_may_be_none_or_all(self):
        assert prune.l1_unstructured(linear(), "weight", 0).weight.tolist() == WEIGHT
        assert not prune.l1_unstructured(linear(), "weight", 1.0).weight.any()

    def test_are_chosen_among_several_parameters(self):
        first, second = linear(), linear()
        with gb.no_grad():
            second.weight.mul_(10)
        pairs = [(first, "weight"), (second, "weight")]

        prune.global_unstructured(pairs, prune.L1Unstructured, amount=0.5)
        prune.global_unstructured(iter(pairs), prune.L1Unstructured, amount=1)

        assert first.weight.tolist() == [[0, -6, 0], [0, 0, 0]]
        assert second.weight.tolist() == [[10, -60, 0], [-20, 0, 30]]

    def test_are_chosen_by_scores_among_several_parameters(self):
        layer = linear()
        scores = {(layer, "weight"): -gb.tensor(WEIGHT).abs() + 10}

        prune.global_unstructured([(layer, "weight")], prune.L1Unstructured, scores, amount=1)

        assert layer.weight_mask.tolist() == [[1, 0, 1], [1, 1, 1]]


class TestSlices:
    def test_with_the_smallest_norms_are_zero(self):
        layer = prune.ln_structured(linear(), "weight", 1, n=1, dim=0)
        assert layer.weight_mask.tolist() == [[1, 1, 1], [0, 0, 0]]

        layer = prune.ln_structured(linear(), "weight", 1, n=float("inf"), dim=-1)
        assert layer.weight_mask.tolist() == [[0, 1, 1], [0, 1, 1]]

    def test_at_random_are_whole(self):
        gb.manual_seed(3)

        layer = prune.random_structured(linear(), "weight", 2, dim=1)

        assert sorted(layer.weight_mask.sum(dim=0).tolist()) == [0, 0, 2]

    def test_come_from_those_that_are_left(self):
        layer = prune.ln_structured(linear(), "weight", 1, n=2, dim=1)
        prune.ln_structured(layer, "weight", 1, n=2, dim=1)

        assert layer.weight_mask.tolist() == [[0, 1, 0], [0, 1, 0]]

    def test_count_what_is_left_of_them(self):
        layer = prune.custom_from_mask(linear(), "weight", gb.tensor([[1, 0, 1], [1, 1, 1]]))

        prune.ln_structured(layer, "weight", 1, n=1, dim=1)

        assert layer.weight_mask.tolist() == [[1, 0, 1], [1, 0, 1]]


class TestElementsAtRandom:
    def test_are_as_many_as_asked_for(self):
        layer = prune.random_unstructured(linear(), "weight", 0.5)
        prune.random_unstructured(layer, "weight", 2)

        assert layer.weight_mask.sum().item() == 1


class TestAPrunedParameter:
    def test_trains_where_it_is_not_zero(self):
        layer = linear()
        optimizer = gb.optim.SGD(layer.parameters(), lr=1.0)
        prune.custom_from_mask(layer, "weight", gb.tensor([[1, 0, 1], [0, 1, 1]]))

        layer(gb.ones(1, 3)).sum().backward()
        optimizer.step()
        layer(gb.ones(1, 3))

        assert layer.weight.tolist() == [[0, 0, -0.5], [0, -0.75, 2]]
        assert layer.weight_orig.grad.tolist() == [[1, 0, 1], [0, 1, 1]]
        optimizer.zero_grad()

    def test_has_pytorchs_names_in_a_state_dict(self):
        layer, other = prune.l1_unstructured(linear(), "weight", 2), nn.Linear(3, 2)
        prune.identity(other, "weight")

        other.load_state_dict(layer.state_dict())

        assert list(layer.state_dict()) == ["bias", "weight_orig", "weight_mask"]
        assert other(gb.ones(1, 3)).tolist() == layer(gb.ones(1, 3)).tolist() == [[-5, 1]]

    def test_is_an_ordinary_one_when_pruning_is_taken_off(self):
        layer = linear()
        weight = layer.weight
        prune.l1_unstructured(layer, "weight", 2)
        prune.l1_unstructured(layer, "weight", 1)
        assert prune.is_pruned(nn.Sequential(layer))

        prune.remove(layer, "weight")

        assert not prune.is_pruned(layer)
        assert layer.weight is weight
        assert layer.weight.tolist() == [[0, -6, 0], [-2, 0, 3]]
        assert sorted(layer.state_dict()) == ["bias", "weight"]
        assert not layer._forward_pre_hooks

    def test_is_beside_others_of_its_module(self):
        layer = prune.identity(prune.l1_unstructured(linear(), "weight", 5), "bias")

        prune.remove(layer, "bias")

        assert prune.is_pruned(layer)
        assert layer(gb.ones(1, 3)).tolist() == [[-6, 0]]

    def test_may_be_pruned_again_after_the_scope_of_a_forward(self):
        layer = prune.l1_unstructured(linear(), "weight", 2)
        with gb.dispose_scope():
            layer(gb.ones(1, 3))

        prune.l1_unstructured(layer, "weight", 1)

        assert layer(gb.ones(1, 3)).tolist() == [[-6, 1]]

    def test_keeps_its_mask_where_it_was_pruned_in_a_scope(self):
        layer = linear()
        with gb.dispose_scope():
            prune.global_unstructured([(layer, "weight")], prune.L1Unstructured, amount=2)

        assert layer(gb.ones(1, 3)).tolist() == [[-5, 1]]

    def test_of_half_precision_has_a_mask_of_its_dtype(self):
        layer = prune.l1_unstructured(linear().half(), "weight", 2)

        assert layer.weight_mask.dtype is gb.float16


class TestAMethodOfOnesOwn:
    class Rows(prune.BasePruningMethod):
        PRUNING_TYPE = "structured"
        dim = 0

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask[0] = 0
            return mask

    def test_chooses_from_what_is_left(self):
        layer = linear()

        self.Rows.apply(layer, "weight")
        method = self.Rows.apply(layer, "weight")

        assert not layer.weight.any()
        assert [type(one) for one in method] == [self.Rows, self.Rows]

    def test_takes_pytorchs_checks_of_amounts(self):
        for amount, error in (("half", TypeError), (-1, ValueError), (1.1, ValueError)):
            with pytest.raises(error):
                prune._validate_pruning_amount_init(amount)
        with pytest.raises(ValueError, match="amount 20 of 19"):
            prune._validate_pruning_amount(20, 19)
        with pytest.raises(ValueError, match="1 dims has no channels"):
            prune._validate_structured_pruning(gb.ones(3))
        with pytest.raises(IndexError):
            prune._validate_pruning_dim(gb.ones(3, 2), 2)
        prune._validate_pruning_amount(0.3, 0)

    def test_counts_by_pytorchs_functions(self):
        t = gb.tensor([[3.0, 4.0], [0.0, 2.0]])

        assert [prune._compute_nparams_toprune(it, 17) for it in (0, 15, 0.4, 1.0)] == [
            0,
            15,
            7,
            17,
        ]
        assert prune._compute_norm(t, 2, 0).tolist() == [5.0, 2.0]
        assert prune._compute_norm(t, 1, -1).tolist() == [3.0, 6.0]

    def test_prunes_a_tensor_alone(self):
        pruned = self.Rows().prune(gb.ones(2, 2), default_mask=gb.tensor([[1.0, 1], [0, 1]]))

        assert pruned.tolist() == [[0, 0], [0, 1]]

    def test_that_fails_changes_nothing(self):
        class Fails(self.Rows):
            def compute_mask(self, t, default_mask):
                raise KeyError("mine")

        class Wrong(self.Rows):
            def compute_mask(self, t, default_mask):
                return default_mask[0]

        layer = linear()
        for _ in range(2):
            state = list(layer.state_dict())
            with pytest.raises(KeyError, match="mine"):
                Fails.apply(layer, "weight")
            with pytest.raises((gb.ShapeError, RuntimeError)):
                Wrong.apply(layer, "bias")
            assert list(layer.state_dict()) == state
            assert len(layer._forward_pre_hooks) == (state != ["weight", "bias"])
            prune.identity(layer, "weight")

    def test_must_say_what_kind_it_is(self):
        class Odd(self.Rows):
            PRUNING_TYPE = "some"

        layer = prune.identity(linear(), "weight")
        with pytest.raises(ValueError, match="Odd of PRUNING_TYPE 'some'; 'unstructured', 'str"):
            Odd.apply(layer, "weight")


class TestPruning:
    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda it: prune.identity(it, "weights"), ValueError, "no parameter 'weights'"),
            (lambda it: prune.identity(3, "weight"), TypeError, "module is of type int"),
            (lambda it: prune.identity(it, 3), TypeError, "name is of type int"),
            (lambda it: prune.l1_unstructured(it, "weight", 7), ValueError, "amount 7 of 6"),
            (lambda it: prune.l1_unstructured(it, "weight", -1), ValueError, "amount -1"),
            (lambda it: prune.l1_unstructured(it, "weight", 1.5), ValueError, "amount 1.5"),
            (lambda it: prune.l1_unstructured(it, "weight", float("nan")), ValueError, "nan"),
            (lambda it: prune.l1_unstructured(it, "weight", "2"), TypeError, "amount is of type"),
            (lambda it: prune.l1_unstructured(it, "weight", True), TypeError, "amount is of type"),
            (lambda it: prune.ln_structured(it, "bias", 1, 2, 0), ValueError, "1 dims has no ch"),
            (lambda it: prune.ln_structured(it, "weight", 1, 2, 2), IndexError, "dim 2 of"),
            (lambda it: prune.ln_structured(it, "weight", 3, 2, 0), ValueError, "amount 3 of 2"),
            (lambda it: prune.random_structured(it, "weight", 1, 1.5), TypeError, "dim is of ty"),
            (lambda it: prune.custom_from_mask(it, "weight", [1]), TypeError, "mask is of type"),
            (
                lambda it: prune.custom_from_mask(it, "bias", gb.ones(3)),
                gb.ShapeError,
                r"sizes \[2\] and \[3\]",
            ),
            (
                lambda it: prune.l1_unstructured(it, "weight", 1, gb.ones(3)),
                gb.ShapeError,
                "importance_scores of sizes",
            ),
            (lambda it: prune.remove(it, "weight"), ValueError, "'weight' of Linear is not pruned"),
            (lambda it: prune.is_pruned(None), TypeError, "module is of type NoneType"),
            (lambda it: prune.Identity().remove(it), ValueError, "prunes nothing; apply"),
            (
                lambda it: prune.PruningContainer(prune.Identity(), None),
                TypeError,
                "method is of type NoneType",
            ),
        ],
    )
    def test_refuses_what_cannot_be_pruned(self, call, error, text):
        layer = linear()
        with pytest.raises(error, match=text):
            call(layer)
        assert list(layer.state_dict()) == ["weight", "bias"]
        assert not layer._forward_pre_hooks

    @pytest.mark.parametrize(
        ("pairs", "method", "error", "text"),
        [
            (lambda it: [], prune.L1Unstructured, ValueError, "parameters is empty"),
            (lambda it: [(it, "weight")] * 2, prune.L1Unstructured, ValueError, "a pair twice"),
            (lambda it: [(it,)], prune.L1Unstructured, TypeError, "a module and a name are needed"),
            (lambda it: range(2**62), prune.L1Unstructured, TypeError, "item 0 of parameters is"),
            (lambda it: 3, prune.L1Unstructured, TypeError, "parameters is of type int"),
            (lambda it: [(it, "b")], prune.L1Unstructured, ValueError, "no parameter 'b'"),
            (lambda it: [(it, "bias")], prune.LnStructured, TypeError, "is structured; an unst"),
            (lambda it: [(it, "bias")], prune.identity, TypeError, "a class is needed"),
            (lambda it: [(it, "bias")], prune.L1Unstructured, ValueError, "amount 9 of 2"),
        ],
    )
    def test_of_several_refuses_likewise(self, pairs, method, error, text):
        layer = linear()
        with pytest.raises(error, match=text):
            prune.global_unstructured(pairs(layer), method, amount=9)
        assert list(layer.state_dict()) == ["weight", "bias"]

    @pytest.mark.parametrize(
        "method",
        [
            prune.Identity(),
            prune.RandomUnstructured(1),
            prune.L1Unstructured(1),
            prune.RandomStructured(1),
            prune.LnStructured(1, 2),
            prune.PruningContainer(prune.Identity()),
        ],
        ids=lambda it: type(it).__name__,
    )
    def test_refuses_masks_that_do_not_fit(self, method):
        with pytest.raises(TypeError, match="compute_mask: t is of type bool"):
            method.compute_mask(True, gb.ones(2, 2))
        with pytest.raises(TypeError, match="compute_mask: default_mask is of type NoneType"):
            method.compute_mask(gb.ones(2, 2), None)
        with pytest.raises(gb.ShapeError, match="compute_mask: default_mask of sizes"):
            method.compute_mask(gb.ones(2, 2), gb.ones(2))


def test_what_is_masked_already_is_judged_as_everything_else():
    x = gb.arange(1.0, 9.0).reshape(2, 4)
    mask = gb.tensor([[1, 1, 1, 0], [1, 1, 0, 1]])

    made = prune.L1Unstructured(amount=2).prune(x, mask)

    assert made.tolist() == [[0, 0, 3, 0], [5, 6, 0, 8]]
