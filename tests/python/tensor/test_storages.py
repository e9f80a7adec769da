"""The memory behind tensors: counted in bytes and in elements, and given to other tensors."""

from __future__ import annotations

import pickle
import sys

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class TestAStorageOfElements:
    def test_counts_elements_where_the_block_counts_bytes(self):
        x = gb.zeros(4, 3)
        storage = x[1:].storage()

        assert (storage.size(), len(storage), storage.nbytes()) == (12, 12, 48)
        assert (storage.element_size(), storage.dtype) == (4, gb.float32)
        assert storage.untyped().size() == x.untyped_storage().size() == 48
        assert len(x.untyped_storage()) == 48
        assert storage.data_ptr() == x.data_ptr()
        assert (storage.device.type, storage.is_cuda) == ("cpu", False)

    def test_is_the_same_for_all_views_and_equals_its_block(self):
        x = gb.zeros(4)

        assert x.storage() == x[1:].storage() == x.untyped_storage()
        assert x.untyped_storage() == x.storage()
        assert x.storage() != gb.zeros(4).storage()
        assert len({x.storage(), x[1:].storage(), x.untyped_storage()}) == 1
        assert gb.is_storage(x.storage())
        assert isinstance(x.storage(), gb.TypedStorage)
        assert not isinstance(x.storage(), gb.UntypedStorage)

    def test_gives_and_takes_single_elements(self):
        x = gb.arange(4)
        storage = x[2:].storage()

        storage[-1] = 7

        assert storage.tolist() == [0, 1, 2, 7]
        assert (storage[0], storage[3]) == (0, 7)
        assert x.tolist() == [0, 1, 2, 7]
        with pytest.raises(IndexError, match="storage: index 4 of 4 elements"):
            storage[4]

    def test_keeps_the_bytes_alive(self):
        x = gb.arange(100)
        storage = x.storage()
        del x

        assert storage.tolist() == list(range(100))

    def test_is_made_of_numbers_or_with_so_many(self):
        made = gb.TypedStorage([1, 2, 3], dtype=gb.int16)

        assert (made.tolist(), made.type(), made.nbytes()) == (
            [1, 2, 3],
            "garboard.ShortStorage",
            6,
        )
        assert gb.TypedStorage(4).size() == 4
        assert gb.TypedStorage(wrap_storage=made.untyped(), dtype=gb.int16) == made
        with pytest.raises(gb.ShapeError, match="TypedStorage: size -1"):
            gb.TypedStorage(-1)
        with pytest.raises(TypeError, match="wrap_storage is of type list; a Storage"):
            gb.TypedStorage(wrap_storage=[])

    def test_is_copied_converted_and_written(self):
        x = gb.arange(3)
        storage = x.storage()
        copy = storage.clone()

        assert copy != storage
        assert storage.float().tolist() == storage.double().tolist() == [0.0, 1.0, 2.0]
        assert storage.long() == storage.cpu() == storage
        assert copy.fill_(7).tolist() == [7, 7, 7]
        assert storage.copy_(gb.ones(3).storage()) is storage
        assert x.tolist() == [1, 1, 1]
        assert not storage.is_shared()
        assert not storage.is_pinned()
        assert list(storage) == [1, 1, 1]
        with pytest.raises(gb.ShapeError, match="copy_: source of 2 elements into 3; as many"):
            storage.copy_(gb.ones(2).storage())
        with pytest.raises(TypeError, match="copy_: source is of type list; a Storage"):
            storage.copy_([1])

    def test_of_a_disposed_tensor_is_refused(self):
        x = gb.zeros(4)
        x.dispose()

        with pytest.raises(gb.DisposedError, match="storage"):
            x.storage()


class TestSetting:
    @pytest.mark.parametrize(
        "source", [lambda x: x, lambda x: x.storage(), lambda x: x.untyped_storage()]
    )
    def test_sees_a_part_of_anothers_memory(self, source):
        x = gb.arange(6.0)
        made = gb.zeros(9)

        assert made.set_(source(x), 1, (2, 2), (2, 1)) is made

        made.add_(10)
        assert made.tolist() == [[11, 12], [13, 14]]
        assert x.tolist() == [0, 11, 12, 13, 14, 5]

    def test_to_a_tensor_takes_its_sizes_and_strides_over(self):
        x = gb.arange(6.0).reshape(2, 3).T

        made = gb.empty(0).set_(x)

        assert (made.shape, made.stride()) == ((3, 2), (1, 3))
        assert made.is_set_to(x)

    def test_to_a_storage_sees_all_of_it(self):
        x = gb.arange(6.0)

        assert gb.empty(0).set_(x[2:].storage()).tolist() == x.tolist()
        assert gb.empty(0).set_(source=x.storage(), storage_offset=4).tolist() == [4, 5]
        assert gb.empty(0).set_(x.storage(), 0, (2, 3)).stride() == (3, 1)

    def test_to_nothing_leaves_no_elements(self):
        x = gb.ones(5)

        assert x.set_().shape == (0,)

    def test_of_a_parameter_under_no_grad_keeps_it_one(self):
        weight = gb.nn.Parameter(gb.zeros(2))
        flat = gb.arange(4.0)

        with gb.no_grad():
            weight.set_(flat.untyped_storage(), 2, (2,), (1,))
        (weight * 3).sum().backward()

        assert (weight.tolist(), weight.grad.tolist()) == ([2, 3], [3, 3])
        assert weight.requires_grad

    def test_of_a_view_leaves_what_it_was_a_view_of(self):
        x = gb.zeros(4)
        view = x[1:]

        view.set_(gb.ones(2))

        assert (view.tolist(), x.tolist()) == ([1, 1], [0, 0, 0, 0])

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda x: x.set_(gb.zeros(2, dtype=gb.int64)), gb.DTypeError, "int64; .*float32 is"),
            (lambda x: x.set_(x.untyped_storage(), 0, (9,), (1,)), gb.ShapeError, "storage"),
            (lambda x: x.set_(x.untyped_storage(), 9), gb.ShapeError, "storage"),
            (lambda x: x.set_(3), TypeError, "set_: source is of type int"),
            (lambda x: x.requires_grad_().set_(gb.ones(2)), gb.GradientError, r"under no_grad\(\)"),
        ],
    )
    def test_to_what_it_cannot_be_is_refused(self, call, error, text):
        with pytest.raises(error, match=text):
            call(gb.zeros(3))


class TestAStorageOfBytes:
    def test_is_made_read_and_written(self):
        made = gb.UntypedStorage(8)

        assert (made.fill_(3).tolist(), made.element_size()) == ([3] * 8, 1)
        made[-1] = 7
        assert (made[7], list(gb.UntypedStorage([1, 2])), len(gb.UntypedStorage())) == (
            7,
            [1, 2],
            0,
        )
        assert isinstance(made, gb.UntypedStorage)
        assert repr(made) == "UntypedStorage(8 bytes, device=cpu)"
        with pytest.raises(IndexError, match="storage: index 8 of 8 elements"):
            made[8]
        with pytest.raises(TypeError, match="UntypedStorage: size is of type str; an integer"):
            gb.UntypedStorage("8")

    def test_is_copied_and_tensors_see_the_copy(self):
        x = gb.arange(3)
        copy = x.untyped_storage().clone()

        y = gb.empty(0, dtype=gb.int64).set_(copy)
        x.fill_(5)

        assert y.tolist() == [0, 1, 2]
        assert copy.copy_(x.untyped_storage()) == copy
        assert y.tolist() == [5, 5, 5]
        assert copy.cpu() == copy.untyped() == copy
        assert (copy.is_shared(), copy.is_pinned()) == (False, False)

    def test_keeps_its_size(self):
        x = gb.ones(3)

        assert x.untyped_storage().resize_(12) == x.untyped_storage()
        assert x.storage().resize_(3) == x.storage()
        with pytest.raises(NotImplementedError, match="resize_: size 0 of a storage of 12"):
            x.untyped_storage().resize_(0)
        with pytest.raises(NotImplementedError, match=r"size 6 of a storage of 3; .*\)"):
            x.storage().resize_(6)
        assert x.tolist() == [1.0, 1.0, 1.0]

    def test_is_not_pickled(self):
        with pytest.raises(TypeError, match="storage: it cannot be pickled; pickle a tensor"):
            pickle.dumps(gb.ones(3).untyped_storage())


class TestTheOrderOfDims:
    def test_goes_from_the_outermost_in_memory_to_the_innermost(self):
        x, last = gb.ones(2, 3, 4, 5), gb.ones(2, 4, 5, 3).permute(0, 3, 1, 2)

        assert x.dim_order() == (0, 1, 2, 3)
        assert x.permute(2, 0, 3, 1).dim_order() == (1, 3, 0, 2)
        assert last.dim_order() == last[..., :1].dim_order() == (0, 2, 3, 1)
        assert gb.ones(2, 3).T.dim_order() == (1, 0)
        assert gb.tensor(1.0).dim_order() == ()
        assert gb.ones(2, 1).expand(2, 5).dim_order() == (0, 1)

    def test_is_refused_where_another_would_do_as_well(self):
        x = gb.ones(2, 1, 4, 5)
        formats = [gb.contiguous_format, gb.channels_last]

        assert gb.ones(2, 3).dim_order(ambiguity_check=True) == (0, 1)
        assert gb.ones(1, 3, 4, 5).dim_order(ambiguity_check=formats) == (0, 1, 2, 3)
        for asked in (True, formats):
            with pytest.raises(gb.ShapeError, match=r"dim_order: sizes \[2, 1, 4, 5\]"):
                x.dim_order(ambiguity_check=asked)
        with pytest.raises(TypeError, match="dim_order: ambiguity_check"):
            x.dim_order(ambiguity_check="yes")
        with pytest.raises(TypeError, match=r"ambiguity_check\[0\]"):
            x.dim_order(ambiguity_check=[3])


class TestPartsOfAStorage:
    def test_share_its_bytes_and_keep_them_alive(self):
        x = gb.arange(8, dtype=gb.uint8)
        storage = x.untyped_storage()

        part = storage[2:5]
        part[0] = 9
        del storage

        assert x.tolist() == [0, 1, 9, 3, 4, 5, 6, 7]
        del x
        assert (part.tolist(), part.nbytes(), part[-2:].tolist()) == ([9, 3, 4], 3, [3, 4])

    def test_begin_and_end_as_slices_do(self):
        storage = gb.arange(4, dtype=gb.uint8).untyped_storage()

        assert [len(storage[at]) for at in (slice(3, 1), slice(-3, None), slice(2, 9))] == [0, 3, 2]
        with pytest.raises(ValueError, match="a slice by steps of 2; steps of 1 are needed"):
            storage[::2]

    def test_are_written_by_one_number(self):
        storage = gb.arange(4, dtype=gb.uint8).untyped_storage()

        storage[1:3] = 7

        assert storage.tolist() == [0, 7, 7, 3]

    def test_are_tensors_of_any_dtype_without_a_copy(self):
        x = gb.arange(4.0)
        storage = x.untyped_storage()

        bytes_ = gb.asarray(storage[4:12], dtype=gb.uint8)

        assert bytes_.data_ptr() == x.data_ptr() + 4
        assert bytes_.view(gb.float32).tolist() == [1.0, 2.0]
        assert gb.asarray(storage).tolist() == x.tolist()
        assert gb.asarray(storage, dtype=gb.int64).shape == (2,)
        assert gb.asarray(storage, dtype=gb.uint8, copy=True).data_ptr() != x.data_ptr()


class TestAStorageOfAFile:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "bytes"
        path.write_bytes(bytes(range(16)))
        return path

    def test_has_its_bytes_or_the_first_of_them(self, path):
        assert gb.UntypedStorage.from_file(str(path)).tolist() == [*range(16)]
        assert gb.UntypedStorage.from_file(path, False, 3).tolist() == [0, 1, 2]
        assert gb.UntypedStorage.from_file(path, nbytes=3)[1:].tolist() == [1, 2]

    @pytest.mark.parametrize("shared", [False, True])
    def test_writes_into_it_only_where_it_is_shared(self, path, shared):
        gb.UntypedStorage.from_file(path, shared).fill_(1)

        assert (path.read_bytes() == bytes([1] * 16)) is shared

    def test_makes_a_shared_file_as_large_as_it_needs(self, tmp_path):
        gb.UntypedStorage.from_file(tmp_path / "new", shared=True, nbytes=8).fill_(2)

        assert (tmp_path / "new").read_bytes() == bytes([2] * 8)

    def test_refuses_more_bytes_than_there_are(self, path, tmp_path):
        with pytest.raises(RuntimeError, match="nbytes 17 of a file of 16; at most as many"):
            gb.UntypedStorage.from_file(path, nbytes=17)
        with pytest.raises(OSError, match="nowhere"):
            gb.UntypedStorage.from_file(tmp_path / "nowhere")

    def test_is_empty_where_the_file_is(self, tmp_path):
        (tmp_path / "empty").touch()

        assert gb.UntypedStorage.from_file(tmp_path / "empty").nbytes() == 0


class TestATensorOverAStorage:
    @pytest.mark.parametrize(
        "made", [gb.FloatTensor, lambda it: gb.zeros(1, requires_grad=True).new(it)]
    )
    def test_shares_its_memory_as_elements_of_the_dtype_asked_for(self, made):
        x = gb.arange(6.0)

        for storage in (x.untyped_storage(), x.storage()):
            over = made(storage)
            assert (over.data_ptr(), over.dtype, over.requires_grad) == (
                x.data_ptr(),
                gb.float32,
                False,
            )
            assert over.tolist() == [0, 1, 2, 3, 4, 5]
        assert gb.zeros(1, dtype=gb.float64).new(x.untyped_storage()).shape == (3,)

    def test_is_refused_where_the_dtype_is_another(self):
        with pytest.raises(gb.DTypeError, match=r"storage of dtype garboard\.int64, for a tensor"):
            gb.zeros(1).new(gb.arange(3).storage())

    @pytest.mark.parametrize(
        "room",
        [
            lambda x: x.untyped_storage()._new_shared(2 * x.nbytes, device=x.device),
            lambda x: x.storage()._new_shared(2 * x.numel(), device=x.device),
            lambda x: x._typed_storage()._new_shared(2 * x.numel()),
            lambda x: gb.UntypedStorage._new_shared(2 * x.nbytes),
        ],
        ids=["bytes", "elements", "of an older name", "of the class"],
    )
    def test_is_room_for_a_batch_that_a_worker_gathers(self, room):
        x = gb.arange(3)
        storage = room(x)
        out = x.new(storage).resize_(2, 3)

        batch = gb.stack([x, x + 1], 0, out=out)

        assert batch.tolist() == [[0, 1, 2], [1, 2, 3]]
        assert batch.data_ptr() == storage.data_ptr()


def test_a_tensor_over_a_storage_shares_its_elements():
    x = gb.arange(4.0)

    over = gb.Tensor(x.untyped_storage())
    over[1] = 9

    assert over.shape == (4,)
    assert x.tolist() == [0, 9, 2, 3]
    assert gb.Tensor(x.untyped_storage(), dtype=gb.uint8).shape == (16,)
    assert gb.Tensor(gb.UntypedStorage(0)).shape == (0,)
    before = sys.getrefcount(gb.float32)
    for _ in range(100):
        gb.Tensor(x.untyped_storage())
    assert abs(sys.getrefcount(gb.float32) - before) < 50
