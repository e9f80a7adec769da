"""Packed sequences: packing and padding, and one life for the four tensors."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.nn.utils import rnn
from garboard.nn.utils.rnn import PackedSequence, pack_sequence

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

LENGTHS = [2, 4, 1, 3]


def singles(*lengths: int, requires_grad: bool = False) -> list[gb.Tensor]:
    """Sequences of three features whose numbers say where they stand: 100 * sequence + step."""
    return [
        gb.tensor([[100.0 * i + t] * 3 for t in range(length)], requires_grad=requires_grad)
        for i, length in enumerate(lengths)
    ]


def packed(enforce_sorted: bool = True) -> PackedSequence:
    lengths = [3, 2] if enforce_sorted else [2, 3]
    return pack_sequence(singles(*lengths), enforce_sorted=enforce_sorted)


def statistics() -> list[tuple[int, ...]]:
    found = gb.dispose_scope_statistics()
    return [
        (
            it.created_outside_scope_count,
            it.created_in_scope_count,
            it.disposed_in_scope_count,
            it.attached_to_scope_count,
            it.detached_from_scope_count,
            it.thread_total_live_count,
        )
        for it in (found.packed_sequence_statistics, found.tensor_statistics)
    ]


class TestPacking:
    def test_lays_out_step_by_step_the_longest_first(self):
        it = pack_sequence(singles(*LENGTHS), enforce_sorted=False)

        assert it.batch_sizes.tolist() == [4, 3, 2, 1]
        assert it.sorted_indices.tolist() == [1, 3, 0, 2]
        assert it.unsorted_indices.tolist() == [2, 0, 3, 1]
        rows = [100, 300, 0, 200, 101, 301, 1, 102, 302, 103]
        assert it.data[:, 0].tolist() == rows

    def test_takes_lengths_as_an_array(self):
        padded = gb.arange(6).reshape(2, 3)

        packed = rnn.pack_padded_sequence(padded, np.array([3, 1]), batch_first=True)

        assert packed.data.tolist() == [0, 3, 1, 2]

    def test_pads_bools_with_a_bool(self):
        packed = rnn.pack_padded_sequence(gb.zeros(2, 2, dtype=gb.bool), [2, 1], batch_first=True)

        padded, _ = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=True)

        assert padded.tolist() == [[False, False], [False, True]]

    def test_of_sorted_sequences_remembers_no_order(self):
        it = packed()

        assert it.data[:, 1].tolist() == [0, 100, 1, 101, 2]
        assert (it.sorted_indices, it.unsorted_indices) == (None, None)

    @pytest.mark.parametrize("batch_first", [False, True])
    @pytest.mark.parametrize("in_list", [False, True])
    def test_a_padded_tensor_gives_what_single_sequences_give(self, batch_first, in_list):
        sequences = singles(*LENGTHS)
        padded = rnn.pad_sequence(sequences, batch_first=batch_first, padding_value=-1)
        lengths = LENGTHS if in_list else gb.tensor(LENGTHS)

        it = rnn.pack_padded_sequence(padded, lengths, batch_first, enforce_sorted=False)

        for part, wanted in zip(it, pack_sequence(sequences, enforce_sorted=False), strict=True):
            assert part.tolist() == wanted.tolist()

    @pytest.mark.parametrize("batch_first", [False, True])
    @pytest.mark.parametrize("total_length", [None, 6])
    def test_padding_gives_the_order_of_before(self, batch_first, total_length):
        it = pack_sequence(singles(*LENGTHS), enforce_sorted=False)

        out, lengths = rnn.pad_packed_sequence(it, batch_first, -1.0, total_length)

        wanted = np.full((4, total_length or 4, 3), -1.0)
        for i, sequence in enumerate(singles(*LENGTHS)):
            wanted[i, : len(sequence)] = sequence.numpy()
        assert lengths.tolist() == LENGTHS
        assert out.tolist() == (wanted if batch_first else wanted.swapaxes(0, 1)).tolist()

    def test_unpacking_gives_the_sequences(self):
        it = pack_sequence(singles(*LENGTHS), enforce_sorted=False)

        out = rnn.unpack_sequence(it)

        assert [x.tolist() for x in out] == [x.tolist() for x in singles(*LENGTHS)]

    def test_gradients_come_back_to_the_sequences(self):
        sequences = singles(*LENGTHS, requires_grad=True)
        padded = rnn.pad_sequence(sequences)
        it = rnn.pack_padded_sequence(padded, LENGTHS, enforce_sorted=False)
        weights = [gb.arange(float(x.numel())).reshape(x.shape) for x in sequences]

        out, _ = rnn.pad_packed_sequence(it, padding_value=7.0)
        (out * rnn.pad_sequence(weights)).sum().backward()

        assert [x.grad.tolist() for x in sequences] == [x.tolist() for x in weights]

    def test_permutations_are_inverted(self):
        assert rnn.invert_permutation(gb.tensor([2, 0, 1])).tolist() == [1, 2, 0]
        assert rnn.invert_permutation(None) is None

    @pytest.mark.parametrize(
        ("call", "error", "message"),
        [
            (lambda: pack_sequence(singles(1, 2)), RuntimeError, "enforce_sorted=False"),
            (lambda: pack_sequence([]), gb.ShapeError, "one or more"),
            (lambda: pack_sequence([gb.ones(2), gb.ones(0)]), gb.ShapeError, "1 or more"),
            (lambda: pack_sequence([gb.ones(2, 1), gb.ones(2)]), gb.ShapeError, "beyond dim 0"),
            (lambda: pack_sequence([gb.tensor(1.0)]), gb.ShapeError, "one dim"),
            (lambda: pack_sequence([1.0]), TypeError, "Tensors"),
            (lambda: rnn.pack_padded_sequence(gb.ones(3), [1]), gb.ShapeError, "two dims"),
            (lambda: rnn.pack_padded_sequence(gb.ones(3, 2), [3]), gb.ShapeError, "one a sequence"),
            (lambda: rnn.pack_padded_sequence(gb.ones(3, 1), [4]), gb.ShapeError, "up to 4"),
            (lambda: rnn.pack_padded_sequence(gb.ones(3, 1), [0]), gb.ShapeError, "1 or more"),
            (lambda: rnn.pack_padded_sequence(gb.ones(3, 1), [1.0]), TypeError, "an integer"),
            (lambda: rnn.pack_padded_sequence(gb.ones(3, 1), 3), TypeError, "list of integers"),
            (
                lambda: rnn.pack_padded_sequence(gb.ones(3, 1), gb.ones(1)),
                gb.DTypeError,
                "integers in one dim",
            ),
            (lambda: rnn.pad_packed_sequence(packed(), total_length=2), ValueError, "3, the long"),
            (lambda: rnn.pad_packed_sequence(gb.ones(2)), TypeError, "PackedSequence"),
            (
                lambda: rnn.pad_packed_sequence(PackedSequence(gb.ones(4), gb.tensor([1, 3]))),
                gb.ShapeError,
                "not grow",
            ),
            (lambda: PackedSequence(gb.ones(2), gb.ones(2)), gb.DTypeError, "int64"),
            (lambda: PackedSequence(gb.ones(2)), TypeError, "batch_sizes"),
            (lambda: PackedSequence((gb.ones(2),)), TypeError, "a pair"),
            (lambda: packed()._replace(rows=1), ValueError, "fields"),
            (lambda: rnn.invert_permutation(gb.ones(2, 2)), gb.DTypeError, "int64"),
            (lambda: rnn.invert_permutation(gb.tensor([0, 5])), gb.ShapeError, "5"),
        ],
    )
    def test_bad_input_is_refused(self, call: Callable[[], Any], error, message):
        with gb.leaks.no_leaks(), pytest.raises(error, match=message):
            call()


class TestANamedTuple:
    def test_is_unpacked_and_asked_by_names(self):
        it = packed(enforce_sorted=False)

        data, batch_sizes, _, unsorted_indices = it

        assert isinstance(it, tuple)
        assert data is it.data is it[0]
        assert batch_sizes is it.batch_sizes
        assert unsorted_indices is it._asdict()["unsorted_indices"]
        assert it._fields == ("data", "batch_sizes", "sorted_indices", "unsorted_indices")

    def test_shows_its_fields(self):
        assert repr(pack_sequence([gb.tensor([1, 2]), gb.tensor([3])])) == (
            "PackedSequence(data=tensor([1, 3, 2]), batch_sizes=tensor([2, 1]), "
            "sorted_indices=None, unsorted_indices=None)"
        )

    @pytest.mark.parametrize(
        "copied",
        [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it)), lambda it: it.to()],
    )
    def test_is_copied(self, copied):
        it = packed(enforce_sorted=False)

        other = copied(it)

        assert type(other) is PackedSequence
        assert [x.tolist() for x in other] == [x.tolist() for x in it]
        it.dispose()
        assert not other.data.is_disposed

    def test_of_a_pair_or_with_an_order_alone_has_all_fields(self):
        data, batch_sizes = gb.ones(3), gb.tensor([3])
        order = gb.tensor([1, 2, 0])

        assert PackedSequence((data, batch_sizes)).sorted_indices is None
        assert PackedSequence(data, batch_sizes, order).unsorted_indices.tolist() == [2, 0, 1]

    def test_replaces_a_field(self):
        it = packed()

        other = it._replace(data=it.data * 2)

        assert other.data[:, 0].tolist() == [0, 200, 2, 202, 4]
        assert other.batch_sizes.tolist() == it.batch_sizes.tolist()

    @pytest.mark.parametrize(
        ("name", "dtype"),
        [
            ("double", gb.float64),
            ("float", gb.float32),
            ("half", gb.float16),
            ("long", gb.int64),
            ("int", gb.int32),
            ("short", gb.int16),
            ("char", gb.int8),
            ("byte", gb.uint8),
        ],
    )
    def test_is_converted(self, name, dtype):
        it = getattr(packed(enforce_sorted=False), name)()

        assert it.data.dtype == dtype
        assert it.batch_sizes.dtype == it.sorted_indices.dtype == gb.int64
        assert (it.is_cuda, it.cpu().is_cuda) == (False, False)

    def test_a_class_made_of_it_is_collected_with_a_cycle(self):
        class Named(PackedSequence):
            pass

        it = Named(gb.ones(2), gb.tensor([2]))
        it.itself = it

        del it

        gc.collect()  # the fixture looks at what is left


class TestItsLife:
    def test_is_one_member_of_its_scope_and_ends_with_it(self):
        with gb.dispose_scope("step") as scope:
            it = packed(enforce_sorted=False)

            assert len(scope) == 1
            assert scope.disposables == (it,)
            assert scope.disposables[0] is it
            assert it in scope
            assert it.data not in scope

        assert it.is_disposed
        assert all(part.is_disposed for part in it)
        with pytest.raises(gb.DisposedError, match=r'packed sequence, .*disposed by scope "step"'):
            rnn.pad_packed_sequence(it)
        with pytest.raises(gb.DisposedError, match=r'add: .*disposed by scope "step"'):
            it.data + 1

    def test_is_disposed_with_its_tensors(self):
        it = packed(enforce_sorted=False)
        with it as same:
            assert same is it

        it.dispose()

        assert it.is_disposed
        assert all(part.is_disposed for part in it)
        with pytest.raises(gb.DisposedError, match="disposed explicitly"):
            it.move_to_outer_dispose_scope()

    def test_what_it_is_made_of_stays_the_callers(self):
        with gb.dispose_scope() as scope:
            data, batch_sizes = gb.ones(3), gb.tensor([2, 1])
            it = PackedSequence(data, batch_sizes)

            it.dispose()

            assert data in scope
            assert data.tolist() == [1, 1, 1]

    def test_a_gradient_goes_to_the_tensor_it_is_made_of(self):
        x = gb.ones(3, requires_grad=True)

        (PackedSequence(x, gb.tensor([2, 1])).data * 2).sum().backward()

        assert x.grad.tolist() == [2, 2, 2]

    @pytest.mark.parametrize(
        "move",
        [
            lambda inner, outer, it: inner.move_to_outer(it),
            lambda inner, outer, it: inner.move_to_outer([{"it": (it,)}]),
            lambda inner, outer, it: inner.move_to_other(outer, it),
            lambda inner, outer, it: outer.attach(it),
            lambda inner, outer, it: it.move_to_outer_dispose_scope(),
            lambda inner, outer, it: it.move_to_other_dispose_scope(outer),
            lambda inner, outer, it: it.move_to_other_dispose_scope(
                gb.ones(1).move_to_outer_dispose_scope()
            ),
        ],
    )
    def test_moves_as_one(self, move):
        with gb.dispose_scope() as outer:
            with gb.dispose_scope() as inner:
                it = packed(enforce_sorted=False)
                move(inner, outer, it)
                assert (it in inner, it in outer, [it] in outer) == (False, True, True)
            assert not any(part.is_disposed for part in it)

        assert all(part.is_disposed for part in it)

    @pytest.mark.parametrize(
        "detach",
        [lambda scope, it: scope.detach(it), lambda scope, it: it.detach_from_dispose_scope()],
    )
    def test_is_detached_as_one(self, detach):
        with gb.dispose_scope() as scope:
            it = packed()

            detach(scope, it)

            assert len(scope) == 0
        assert it.data[0, 0].item() == 0

    def test_may_be_all_that_is_spared(self):
        with gb.dispose_scope() as scope:
            it, x = packed(), gb.ones(1)

            scope.dispose_everything_but([it])

            assert (it.is_disposed, x.is_disposed, len(scope)) == (False, True, 1)

    def test_returned_by_a_decorated_function_lives_on(self):
        @gb.dispose_scope
        def make() -> dict[str, Any]:
            return {"it": [packed()], "mask": gb.ones(1)}

        with gb.dispose_scope() as scope:
            made = make()

            assert len(scope) == 2
            assert not made["it"][0].data.is_disposed

    def test_a_tensor_taken_out_of_it_stays_in_its_scope(self):
        with gb.dispose_scope() as scope:
            data = packed().data

            assert data in scope
            assert data[:, 0].tolist() == [0, 100, 1, 101, 2]
        assert data.is_disposed

    def test_without_a_scope_a_tensor_taken_out_stays(self):
        data, batch_sizes, *_ = packed()

        assert (data.shape, batch_sizes.tolist()) == ((5, 3), [2, 2, 1])


class TestStatistics:
    def test_count_one_sequence_and_its_tensors_as_detached(self):
        parts = (gb.ones(3), gb.tensor([2, 1]))
        gb.dispose_scope_statistics().reset()
        (*_, sequences_before), (*_, tensors_before) = statistics()

        with gb.dispose_scope():
            it = PackedSequence(*parts)
            assert statistics() == [
                (0, 1, 0, 0, 0, sequences_before + 1),
                (0, 2, 0, 0, 2, tensors_before + 2),
            ]
            it.detach_from_dispose_scope()
        assert statistics()[0] == (0, 1, 0, 0, 1, sequences_before + 1)

        with gb.dispose_scope() as scope:
            scope.attach(it)
        assert statistics()[0] == (0, 1, 1, 1, 1, sequences_before)
        assert str(gb.dispose_scope_statistics().packed_sequence_statistics) == (
            f"ThreadTotalLiveCount: {sequences_before}; CreatedOutsideScopeCount: 0; "
            "DisposedOutsideScopeCount: 0; CreatedInScopeCount: 1; DisposedInScopeCount: 1; "
            "AttachedToScopeCount: 1; DetachedFromScopeCount: 1"
        )


class TestLeaks:
    def test_a_kept_sequence_is_one_finding_that_names_it(self):
        kept = []

        with pytest.raises(gb.leaks.LeakError) as caught, gb.leaks.no_leaks():
            kept.append(packed(enforce_sorted=False))

        (leak,) = caught.value.report.leaks
        assert leak.count == 4
        assert "PackedSequence of 4" in leak.chain[-1]
        assert "kept" in leak.holder
        kept.clear()

    def test_a_sequence_in_a_variable_has_a_fix_that_works(self):
        with pytest.raises(gb.leaks.LeakError) as caught, gb.leaks.no_leaks():
            it = packed()

        (leak,) = caught.value.report.leaks
        assert leak.holder.startswith("PackedSequence `it`")
        assert leak.fix.startswith("del it ")
        del it
