"""Whatever a backward pass reads is saved with its version, and what it uses as an address is
checked once more."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

import garboard as gb
import numpy as np
import pytest
from garboard import _engine
from garboard.nn.functional import cross_entropy

Writing = Callable[[gb.Tensor], object]


def write_all(x: gb.Tensor) -> None:
    x[...] = 1 << 40


def write_unrecorded(x: gb.Tensor) -> None:
    with gb.no_grad():
        x.zero_()


WRITES: dict[str, Writing] = {
    "an op in place": lambda x: x.add_(1),
    "all by a key": write_all,
    "a view": lambda x: x[1:].fill_(-7),
    "a view of a view": lambda x: x.view(1, -1).T.zero_(),
    "an alias": lambda x: x.alias().fill_(9),
    "a detached alias": lambda x: x.detach().fill_(9),
    "unrecorded": write_unrecorded,
    "out=": lambda x: gb.neg(gb.zeros(x.shape, dtype=x.dtype), out=x),
    "an operator": lambda x: x.__imul__(3),
}


class Case(NamedTuple):
    """A loss, what to overwrite, and what the error calls it."""

    name: str
    role: str
    loss: Callable[[gb.Tensor, gb.Tensor], gb.Tensor]
    saved: Callable[[], gb.Tensor]


def targets() -> gb.Tensor:
    return gb.tensor([0, 2, 1])


def weights() -> gb.Tensor:
    return gb.tensor([1.0, 2.0, 3.0], dtype=gb.float64)


CASES = [
    Case("cross_entropy", "target", cross_entropy, targets),
    Case(
        "cross_entropy",
        "weight",
        lambda x, weight: cross_entropy(x, targets(), weight=weight),
        weights,
    ),
    Case(
        "layer_norm",
        "second input",
        lambda x, weight: gb.nn.functional.layer_norm(x, [3], weight).square().sum(),
        weights,
    ),
]


def leaf() -> gb.Tensor:
    return gb.tensor(np.linspace(-1, 2, 9).reshape(3, 3) ** 2, requires_grad=True)


class TestASavedTensorThatWasOverwritten:
    @pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
    @pytest.mark.parametrize("case", CASES, ids=attrgetter("role"))
    @pytest.mark.parametrize("create_graph", [False, True])
    def test_is_named_with_its_op_and_the_remedy(self, case, write, create_graph):
        x, saved = leaf(), case.saved()
        loss = case.loss(x, saved)

        write(saved)

        told = rf"^{case.name}: the {case.role} of sizes \[3\] .*; write into a clone\(\)"
        with pytest.raises(gb.VersionError, match=told):
            loss.backward(create_graph=create_graph)

    @pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
    @pytest.mark.parametrize("find", [gb.max, gb.min])
    @pytest.mark.parametrize("create_graph", [False, True])
    def test_may_be_what_the_op_returned(self, find, write, create_graph):
        x = leaf()
        values, indices = find(x, 0)

        write(indices)

        told = rf"^{find.__name__}: the index tensor of sizes \[3\] .*; write into a clone\(\)"
        with pytest.raises(gb.VersionError, match=told):
            values.sum().backward(create_graph=create_graph)

    @pytest.mark.parametrize("case", CASES, ids=attrgetter("role"))
    def test_is_refused_by_the_second_pass_too(self, case):
        x, saved = leaf(), case.saved()
        loss = case.loss(x, saved)
        loss.backward(retain_graph=True)
        once = x.grad.clone()
        loss.backward(retain_graph=True)
        assert gb.allclose(x.grad, once * 2)

        saved.zero_()

        for _ in range(2):
            with pytest.raises(gb.VersionError, match=case.role):
                loss.backward(retain_graph=True)

    def test_does_no_harm_where_a_clone_was_saved(self):
        x, target = leaf(), targets()
        loss = cross_entropy(x, target.clone())
        expected = gb.autograd.grad(cross_entropy(x, target), x)[0]

        target.fill_(1 << 40)
        loss.backward()

        assert x.grad.tolist() == expected.tolist()

    def test_does_no_harm_where_nothing_was_recorded(self):
        x, target = leaf().detach(), targets()

        loss = cross_entropy(x, target)
        target.fill_(1 << 40)

        assert loss.item() == pytest.approx(cross_entropy(x, targets()).item())


class TestMemoryThatNumPyShares:
    @pytest.mark.parametrize("bad", [3, -1, 1 << 40, -(1 << 62)])
    @pytest.mark.parametrize("shape", [(3, 3), (1024, 3)])
    def test_is_checked_before_it_is_used_as_an_address(self, bad, shape):
        x = gb.rand(*shape, requires_grad=True)
        target = gb.zeros(shape[0], dtype=gb.int64)
        loss = cross_entropy(x, target)

        target.numpy()[1:] = bad

        with pytest.raises(gb.VersionError, match=r"^cross_entropy: the target of row 1 is no "):
            loss.backward()
        assert x.grad is None

    def test_may_hold_other_classes(self):
        x, target = leaf(), targets()
        loss = cross_entropy(x, target)

        target.numpy()[:] = -100, 1, 1  # one of them ignored
        loss.backward()

        assert x.grad[0].tolist() == [0, 0, 0]

    def test_leads_a_chosen_gradient_nowhere(self):
        x = leaf()
        values, indices = x.max(0)

        indices.numpy()[:] = 0, 1 << 40, -5
        values.sum().backward()

        assert x.grad.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]


def packed(x: gb.Tensor) -> gb.nn.utils.rnn.PackedSequence:
    return gb.nn.utils.rnn.pack_sequence([x, x[:2]])


def turned(x: gb.Tensor) -> gb.Tensor:
    return x + gb.eye(4, dtype=x.dtype) * 4


#: Ops that keep whole numbers, which their gradients read as places, rows or counts.
KEEPERS: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "max_pool1d": lambda x: gb.nn.functional.max_pool1d(x[None], 2),
    "max_pool2d": lambda x: gb.nn.functional.max_pool2d(x[None], 2),
    "max_pool3d": lambda x: gb.nn.functional.max_pool3d(x.expand(1, 2, 4, 4), 2),
    "adaptive_max_pool2d": lambda x: gb.nn.functional.adaptive_max_pool2d(x[None], 3),
    "max_unpool2d": lambda x: gb.nn.functional.max_unpool2d(
        *gb.nn.functional.max_pool2d(x[None], 2, return_indices=True), 2
    ),
    "solve": lambda x: gb.linalg.solve(turned(x), x),
    "inv of many": lambda x: gb.linalg.inv(turned(x).expand(2, 4, 4)),
    "det": lambda x: gb.linalg.det(turned(x)),
    "slogdet": lambda x: gb.linalg.slogdet(turned(x))[1],
    "lu_factor": lambda x: gb.linalg.lu_factor(turned(x))[0],
    "RNN": lambda x: gb.nn.RNN(4, 2, bidirectional=True)(x)[0],
    "LSTM": lambda x: gb.nn.LSTM(4, 2)(packed(x))[0].data,
    "GRU": lambda x: gb.nn.GRU(4, 2)(packed(x))[0].data,
    "max": lambda x: x.max(0).values,
    "kthvalue": lambda x: x.kthvalue(2, 1).values,
    "sort": lambda x: x.sort(0).values,
    "gather": lambda x: x.gather(0, gb.zeros(2, 2, dtype=gb.int64)),
    "index": lambda x: x[gb.tensor([0, 3]), gb.tensor([1, 1])],
    "embedding": lambda x: gb.nn.functional.embedding(gb.tensor([0, 1]), x),
    "embedding_bag": lambda x: gb.nn.functional.embedding_bag(
        gb.tensor([0, 1, 2]), x, gb.tensor([0, 2]), mode="max"
    ),
    "cross_entropy": lambda x: cross_entropy(x, gb.zeros(4, dtype=gb.int64)),
}


class TestAHookThatGivesBackOtherNumbers:
    @pytest.mark.parametrize("keep", KEEPERS.values(), ids=KEEPERS)
    @pytest.mark.parametrize("bad", [1 << 40, -(1 << 40), 10**7, -5, 1 << 31])
    def test_leads_the_gradient_nowhere(self, keep, bad):
        def forged(kept: gb.Tensor) -> gb.Tensor:
            if kept.dtype not in (gb.int32, gb.int64):
                return kept
            least, most = gb.iinfo(kept.dtype).min, gb.iinfo(kept.dtype).max
            return gb.full(kept.shape, min(max(bad, least), most), dtype=kept.dtype)

        x = gb.rand(4, 4, requires_grad=True)
        with gb.autograd.graph.saved_tensors_hooks(lambda kept: kept, forged):
            loss = keep(x).sum()

        with contextlib.suppress(gb.GarboardError):  # or what it gives is of no use
            loss.backward()


class TestSizesOfBatches:
    @pytest.mark.parametrize("kind", [gb.nn.RNN, gb.nn.LSTM, gb.nn.GRU])
    @pytest.mark.parametrize("bad", [1 << 40, -3, 0, 1])
    def test_that_were_overwritten_are_named_by_backward(self, kind, bad):
        sequence = packed(gb.rand(4, 4, requires_grad=True))
        out = kind(4, 2)(sequence)[0]

        sequence.batch_sizes.numpy()[:] = bad

        with pytest.raises(gb.VersionError, match=r"overwritten from outside.*: pack a clone\(\)"):
            out.data.sum().backward()


class TestWhatANodeSaved:
    def test_is_in_its_row_of_the_registry(self):
        x, target, weight = leaf(), targets(), weights()
        given = {row["storage"] for row in _engine._aliases(0)}

        loss = cross_entropy(x, target, weight=weight, reduction="none")

        [node] = [row for row in _engine._nodes(0) if row["name"] == "cross_entropy"]
        assert given < set(node["saved_storages"])
        assert node["saved_bytes"] == 72 + 24 + 24 + 24  # logits, targets, log sums, weight
        assert loss.grad_fn is not None

    def test_is_owned_by_the_graph_once_its_aliases_are_gone(self):
        x = leaf()
        target, weight = targets(), weights()

        loss = cross_entropy(x, target, weight=weight, reduction="none")
        target.dispose()
        weight.dispose()

        [graph] = [group for group in gb.leaks.live("owner") if group.key == "GRAPH"]
        assert graph.bytes == 24 + 24 + 24  # targets, log sums, weight
        assert loss.grad_fn is not None

    def test_goes_with_the_backward_pass(self):
        x = leaf()
        loss = cross_entropy(x, targets(), weight=weights())
        before = gb.memory.live()

        loss.backward()

        saved = before - gb.memory.live()
        assert saved.bytes >= 3 * 24 - 72  # what was saved, less the gradient
        assert saved.storages >= 2

    def test_goes_where_the_graph_is_never_walked(self):
        def build() -> None:
            x, target = leaf(), targets()
            losses = cross_entropy(x, target, weight=weights(), reduction="none")
            values, indices = x.max(1)
            doomed = losses.sum() + values.sum() + gb.nn.functional.layer_norm(x, [3]).sum()
            indices.add_(1)
            target.add_(1)
            del doomed

        build()
        gc.collect()
        before = gb.memory.live()

        build()

        assert gb.memory.live() == before

    def test_does_not_hide_a_cycle_from_the_collector(self):
        def build() -> None:
            x = leaf()
            doubled = x * 2
            weight = weights()
            loss = cross_entropy(doubled, targets(), weight=weight)
            doubled.register_hook(lambda gradient, loss=loss: None)
            loss.register_hook(lambda gradient, weight=weight: None)

        build()
        gc.collect()
        before = gb.memory.live()

        build()
        gc.collect()

        assert gb.memory.live() == before

    def test_survives_the_scope_that_made_it(self):
        x = leaf()
        with gb.dispose_scope() as scope:
            loss = cross_entropy(x, targets(), weight=weights())
            loss = scope.move_to_outer(loss)

        loss.backward()

        assert gb.allclose(
            x.grad, gb.autograd.grad(cross_entropy(x, targets(), weight=weights()), x)[0]
        )


def test_a_joined_gradient_is_split_anew_at_each_pass():
    parts = [gb.ones(i + 1, requires_grad=True) for i in range(6)]
    joined = (gb.cat(parts) * gb.arange(21)).sum()

    joined.backward(retain_graph=True)
    joined.backward()

    start = 0
    for i, part in enumerate(parts):
        assert part.grad.tolist() == [2.0 * j for j in range(start, start + i + 1)]
        start += i + 1
