"""Files of what is no tensor: Python's containers, dates and paths, and NumPy's arrays."""

from __future__ import annotations

import argparse
import datetime
import enum
import io
import json
import pickle
import struct
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.io import FileError

from tests.python.data.test_io import of_others, tensor_of, there_and_back, torch_file
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)
VALUES = [
    defaultdict(list, a=[1]),
    defaultdict(None, a=1),
    Counter("aab"),
    OrderedDict(b=1),
    argparse.Namespace(lr=0.1, sizes=[1, 2]),
    Path("runs/first"),
    MOMENT,
    MOMENT.date(),
    MOMENT.time(),
    datetime.timedelta(1, 2, 3),
    1 - 2j,
]
ARRAYS = [
    np.arange(3, dtype=np.uint32),
    np.arange(6.0).reshape(2, 3).T,
    np.array(3, dtype=np.int16),
    np.array(["ab", "c"]),
    np.arange(3, dtype=">f4"),
    np.zeros((0, 2), np.uint64),
    np.array([True, False]),
    np.array([1j]),
]


def of_pytorch(value: object) -> Any:
    """What `torch.save` writes of a value without tensors is a pickle of protocol 2."""
    return gb.load(torch_file(pickle.dumps(value, 2), {}))


@pytest.mark.parametrize("way", [there_and_back, of_pytorch])
class TestBothKindsOfFiles:
    @pytest.mark.parametrize("value", VALUES, ids=repr)
    def test_keep_values_of_pythons_library(self, way, value):
        found = way({"x": [value]})["x"][0]

        assert found == value
        assert type(found) is type(value)

    def test_keep_the_factory_of_a_defaultdict(self, way):
        assert way(defaultdict(int))["new"] == 0

    @pytest.mark.parametrize("array", ARRAYS, ids=lambda it: it.dtype.str)
    def test_keep_arrays(self, way, array):
        found = way((1, [array]))[1][0]

        assert type(found) is np.ndarray
        assert found.tolist() == array.tolist()
        assert (found.shape, found.dtype.newbyteorder("=")) == (
            array.shape,
            array.dtype.newbyteorder("="),
        )

    def test_keep_the_state_of_numpys_generator(self, way):
        state = np.random.RandomState(3).get_state()
        other = np.random.RandomState(4)

        other.set_state(way({"rng": state})["rng"])

        assert other.rand() == np.random.RandomState(3).rand()


class TestOurFiles:
    def test_make_plain_dicts_of_other_factories(self):
        assert type(there_and_back(defaultdict(lambda: 1, a=2))) is dict

    def test_hold_arrays_that_others_read(self):
        file = io.BytesIO()

        gb.save({"w": np.ones(2, np.float32)}, file)

        length = struct.unpack("<Q", file.getvalue()[:8])[0]
        assert json.loads(file.getvalue()[8 : 8 + length])["w"]["dtype"] == "F32"

    @pytest.mark.parametrize(
        "tree",
        [
            ["i", ["timezone", "2020"]],
            ["i", ["date", "tomorrow"]],
            ["i", 3],
            ["i", ["timedelta", [10**30, 0, 0]]],
            ["c", [1]],
            ["c", ["x", 1]],
            ["a", ["d", [[1, 2]]]],
            ["a", ["l", []]],
            ["e", [], "eval"],
            ["e", [], ["l"]],
            ["n", "y"],
            ["n", "x", "|O", [1]],
            ["n", "x", "<u4", [3]],
            ["n", "x", "<u4", [-2]],
            ["n", "x", "<u4", ["2"]],
            ["n", "x", "<u4"],
            ["n", "x", "<M8[qq]", [1]],
            ["h", "a\0b"],
        ],
        ids=str,
    )
    def test_that_are_hostile_are_refused(self, tree):
        entry = {"dtype": "U8", "shape": [8], "data_offsets": [0, 8]}
        text = {"garboard.tree": json.dumps(tree)}
        file = of_others({"x": entry}, bytes(8), __metadata__=text)

        if tree[0] == "h":
            assert gb.load(file) == Path("a\0b")  # which no file has: opening it raises
            return
        with pytest.raises(FileError):
            gb.load(file)


NEGATED = b")R}X\x03\x00\x00\x00neg\x88stRs."
CONJUGATED = NEGATED.replace(b"\x03\x00\x00\x00neg", b"\x04\x00\x00\x00conj")
AGAIN = b"c_codecs\nencode\nh\x00\x85R"
SIX = np.arange(6, dtype=np.float32)


def turned(shape: str, strides: str, bits: bytes, offset: int = 0, count: int = 6) -> bytes:
    return tensor_of(shape, strides, offset, count).replace(b")RtRs.", bits)


class TestPyTorchsTensors:
    def test_that_are_negated_are_so_in_memory(self):
        file = torch_file(turned("2", "2", NEGATED, 1), {"0": SIX.tobytes()})

        assert gb.load(file)["w"].tolist() == [-1.0, -3.0]

    def test_that_are_conjugated_are_so_in_memory(self):
        numbers = np.array([1 + 2j, 3 - 1j], np.complex64)
        text = turned("2", "1", CONJUGATED, count=2).replace(b"Float", b"ComplexFloat")

        found = gb.load(torch_file(text, {"0": numbers.tobytes()}))["w"]

        assert found.tolist() == numbers.conj().tolist()

    def test_that_share_a_storage_share_it_again(self):
        one = tensor_of("6", "1")[:-1]
        other = tensor_of("2", "3", 1)[3:].replace(b"\x01\x00\x00\x00w", b"\x01\x00\x00\x00v", 1)

        found = gb.load(torch_file(one + other, {"0": SIX.tobytes()}))
        found["w"].zero_()

        assert found["v"].tolist() == [0.0, 0.0]

    def test_are_buffers_again(self):
        text = tensor_of("6", "1")
        plain = text[text.index(b"((X") : text.index(b"tRs.")]
        outer = b"ctorch._tensor\n_rebuild_from_type_v2\n("
        text = text.replace(b"ctorch._utils\n_r", outer + b"ctorch._utils\n_r")
        kind = b"ctorch.nn.parameter\nBuffer\n"
        told = b"}X\n\x00\x00\x00_is_buffer\x88sX\n\x00\x00\x00persistent\x89stRs."
        text = text.replace(plain + b"tRs.", kind + plain + b"t" + told)

        found = gb.load(torch_file(text, {"0": SIX.tobytes()}))["w"]

        assert isinstance(found, gb.nn.Buffer)
        assert not found.persistent

    def test_of_kinds_that_there_are_not_name_their_device(self):
        text = b"\x80\x02(" + b"".join(
            b"ctorch\ndevice\nX" + struct.pack("<I", len(it)) + it + b"\x85R"
            for it in (b"cpu", b"mps", b"vulkan")
        )

        found = gb.load(torch_file(text + b"t.", {}))
        assert found == (gb.device("cpu"), gb.device("mps"), "vulkan")

    @pytest.mark.parametrize(
        ("pickled", "message"),
        [
            (b"\x80\x02ctorch\nuint16\n.", r"torch\.uint16, which is not .* such as int64"),
            (b"\x80\x02ctorch._utils\n_rebuild_tensor_v3\n.", "a tensor of a dtype that is not"),
        ],
    )
    def test_of_dtypes_that_there_are_not_are_refused(self, pickled, message):
        with pytest.raises(FileError, match=message):
            gb.load(torch_file(pickled, {}))

    @pytest.mark.parametrize("module", ["pathlib", "pathlib._local"])
    def test_paths_are_read_under_the_names_that_versions_of_python_give_them(self, module):
        pickled = f"\x80\x02c{module}\nPosixPath\n(X\x04\x00\x00\x00runstR."

        assert gb.load(torch_file(pickled.encode("latin-1"), {})) == Path("runs")

    @pytest.mark.parametrize(
        "pickled",
        [
            b"cnumpy\ndtype\nX\x02\x00\x00\x00O8\x85R.",
            b"cnumpy._core.multiarray\nscalar\ncnumpy\ndtype\nX\x02\x00\x00\x00f8\x85RNR.",
            b"cnumpy._core.multiarray\n_reconstruct\n)R(K\x01K\x05\x85cnumpy\ndtype\n"
            b"X\x02\x00\x00\x00f8\x85R\x89C\x00tb.",
            b"cbuiltins\nset\ncbuiltins\nint\n\x85R.",
            b"cbuiltins\nint\n)R.",
            b"cnumpy\nndarray\n)R.",
            b"ccollections\ndefaultdict\nccollections\nOrderedDict\n\x85R.",
            b"cpathlib\nPath\nK\x01\x85R.",
            b"cdatetime\ndatetime\nC\x01a\x85R.",
            b"X\x00\x00\x01\x00" + b"a" * 65536 + b"q\x00" + AGAIN * 5000 + b".",
        ],
        ids=range(10),
    )
    def test_hostile_values_are_refused(self, pickled):
        with pytest.raises(FileError):
            gb.load(torch_file(b"\x80\x02" + pickled, {}))


class Stage(enum.Enum):
    FIT = 1


def test_keys_of_any_kind_are_kept(tmp_path):
    nest = {
        b"raw": 1,
        frozenset([1]): 2,
        gb.int64: 3,
        gb.device("cpu"): gb.ones(1),
        (gb.int8, b"raw"): 4,
        datetime.date(2026, 1, 2): 5,
    }
    trusted = {Stage.FIT: {dict: 6}}

    gb.save(nest, tmp_path / "plain.pt")
    gb.save(trusted, tmp_path / "trusted.pt")

    assert gb.load(tmp_path / "plain.pt") == nest
    assert gb.load(tmp_path / "trusted.pt", weights_only=False) == trusted
    with pytest.raises(gb.io.FileError):
        gb.load(tmp_path / "trusted.pt")
