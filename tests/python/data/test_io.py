"""Files: there and back, of others' making, broken ones, and writes that are whole or nothing."""

from __future__ import annotations

import io
import json
import os
import random
import struct
import zipfile
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard import nn, optim
from garboard.io import FileError

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def there_and_back(value: object) -> Any:
    file = io.BytesIO()
    gb.save(value, file)
    file.seek(0)
    return gb.load(file)


class OnlyRead:
    """A file as some libraries make them: no readinto, no fileno."""

    def __init__(self, content: bytes) -> None:
        file = io.BytesIO(content)
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


class TestThereAndBack:
    def test_of_a_file_that_can_only_be_read(self):
        whole = io.BytesIO()
        gb.save({"a": gb.arange(5.0), "b": gb.ones(2, dtype=gb.bool)}, whole)

        found = gb.load(OnlyRead(whole.getvalue()))

        assert found["a"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
        assert found["b"].tolist() == [True, True]
        with pytest.raises(FileError):
            gb.load(OnlyRead(whole.getvalue()[:-3]))

    @pytest.mark.parametrize("given", [b"\x01" * 99, "text", None])
    def test_of_a_file_whose_read_gives_something_else(self, given: Any, no_leaks: Any):
        whole = io.BytesIO()
        gb.save({"a": gb.arange(5.0)}, whole)
        lying = OnlyRead(whole.getvalue())
        lying.read = lambda count=-1, read=lying.read: given if count == 20 else read(count)

        with pytest.raises(FileError, match="something else"):
            gb.load(lying)

    def test_a_checkpoint(self, tmp_path: Path):
        model = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2))
        optimizer = optim.Adam(model.parameters(), lr=0.1)
        model(gb.ones(1, 3)).sum().backward()
        optimizer.step()
        schedule = optim.lr_scheduler.StepLR(optimizer, 3)
        saved = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}

        gb.save({**saved, "schedule": schedule.state_dict()}, tmp_path / "last.pt")
        found = gb.load(tmp_path / "last.pt", map_location="cpu", weights_only=True)

        other = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2))
        after = optim.Adam(other.parameters())
        other.load_state_dict(found["model"])
        after.load_state_dict(found["optimizer"])
        assert gb.equal(other[0].weight, model[0].weight)
        assert after.param_groups[0]["lr"] == 0.1
        assert after.state[other[0].bias]["step"] == 1
        assert found["epoch"] == 3

    @pytest.mark.parametrize(
        "value",
        [
            {"a": [1, 2.5, None, True, "x", b"y\x00"], "b": (1, (2,)), 3: {4, 5}},
            OrderedDict(b=1, a={}),
            [float("inf"), 1 << 80, -7, ""],
            {(1, 2): 3, None: 4, 2.5: 5, True: 6},
            (),
            "text",
            frozenset([1]),
        ],
    )
    def test_containers_and_numbers(self, value):
        found = there_and_back(value)

        assert found == value
        assert type(found) is type(value)

    @pytest.mark.parametrize(
        "make",
        [
            lambda: gb.tensor(3),
            lambda: gb.zeros(0, 2),
            lambda: gb.arange(6).reshape(2, 3).T,
            lambda: gb.ones(1).expand(2, 3),
            lambda: gb.tensor([True, False]),
            lambda: gb.rand(3, dtype=gb.float64),
            lambda: gb.ones(2, requires_grad=True),
            lambda: nn.Parameter(gb.ones(2)),
            lambda: np.arange(3),
        ],
    )
    def test_tensors(self, make):
        value = make()

        found = there_and_back([value])[0]

        assert found.tolist() == value.tolist()
        if isinstance(value, gb.Tensor):
            assert (found.dtype, found.requires_grad) == (value.dtype, value.requires_grad)
            assert type(found) is type(value)

    def test_dtypes_devices_and_numbers_of_numpys(self):
        assert there_and_back([gb.float64, np.float32(0.5), np.int64(3)]) == [gb.float64, 0.5, 3]
        assert str(there_and_back(gb.device("cpu"))) == "cpu"

    def test_what_shares_memory_is_written_once_and_shares_it_again(self):
        x = gb.zeros(1000)
        file = io.BytesIO()

        gb.save({"a": x, "b": x, "c": [x.alias()]}, file)
        file.seek(0)
        found = gb.load(file)

        assert len(file.getvalue()) < 2 * x.nbytes
        found["a"][0] = 5
        assert found["b"][0].item() == found["c"][0][0].item() == 5

    def test_a_file_that_is_mapped_is_read_when_it_is_used(self, tmp_path: Path):
        path = tmp_path / "x.safetensors"
        gb.save({"x": gb.arange(5), "y": gb.ones(2, 2), "z": gb.tensor([True])}, path)
        live = gb.memory.live().bytes

        found = gb.load(path, mmap=True)
        found["x"].fill_(0)

        assert gb.memory.live().bytes == live
        assert found["y"].tolist() == [[1.0, 1.0]] * 2
        assert gb.load(path)["x"].tolist() == [0, 1, 2, 3, 4]

    def test_a_flat_dict_is_a_file_that_others_read(self, tmp_path: Path):
        gb.save({"w": gb.ones(2, 3), "n": gb.tensor([1])}, tmp_path / "x.safetensors")

        data = (tmp_path / "x.safetensors").read_bytes()
        length = struct.unpack("<Q", data[:8])[0]
        header = json.loads(data[8 : 8 + length])
        start, end = header["w"]["data_offsets"]
        assert header["w"]["dtype"], header["w"]["shape"] == ("F32", [2, 3])
        assert np.frombuffer(data[8 + length :][start:end], np.float32).tolist() == [1.0] * 6
        assert header["n"]["dtype"] == "I64"

    def test_numpys_files(self, tmp_path: Path):
        gb.save(gb.ones(2), tmp_path / "x.npy")
        gb.save({"a": gb.ones(2), "b": gb.arange(3)}, tmp_path / "x.npz")

        assert np.load(tmp_path / "x.npy").tolist() == [1, 1]
        assert gb.load(tmp_path / "x.npy").tolist() == [1, 1]
        assert {k: v.tolist() for k, v in gb.load(tmp_path / "x.npz").items()} == {
            "a": [1, 1],
            "b": [0, 1, 2],
        }


def of_others(entries: dict[str, Any], data: bytes, **more: Any) -> io.BytesIO:
    text = json.dumps({**entries, **more}).encode()
    return io.BytesIO(struct.pack("<Q", len(text)) + text + data)


def test_a_safetensors_file_of_others_is_a_dict_by_name():
    entry = {"dtype": "I32", "shape": [2], "data_offsets": [0, 8]}

    found = gb.load(of_others({"x": entry}, struct.pack("<2i", 4, 5), __metadata__={"a": "b"}))

    assert found["x"].tolist() == [4, 5]
    assert found["x"].dtype == gb.int32


def torch_file(pickled: bytes, storages: dict[str, bytes], **more: bytes) -> io.BytesIO:
    """A file of PyTorch's form."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        archive.writestr("archive/byteorder", more.get("order", b"little"))
        for key, data in storages.items():
            archive.writestr(f"archive/data/{key}", data)
        for name in more.get("names", b"").split():
            archive.writestr(f"archive/{name.decode()}", b"")
    file.seek(0)
    return file


def tensor_of(shape: str, strides: str, offset: int = 0, count: int = 6) -> bytes:
    """What torch.save writes of one float32 tensor in a dict, as opcodes of protocol 2."""
    return (
        b"\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storage"
        b"ctorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK"
        + bytes([count])
        + b"tQK"
        + bytes([offset])
        + b"("
        + b"".join(b"J" + struct.pack("<i", int(n)) for n in shape.split())
        + b"t("
        + b"".join(b"J" + struct.pack("<i", int(n)) for n in strides.split())
        + b"t\x89ccollections\nOrderedDict\n)RtRs."
    )


SIX = np.arange(6, dtype=np.float32)


class TestPyTorchsFiles:
    @pytest.mark.parametrize(
        ("shape", "strides", "offset", "expected"),
        [
            ("2 3", "3 1", 0, SIX.reshape(2, 3)),
            ("3 2", "1 3", 0, SIX.reshape(2, 3).T),
            ("2", "1", 4, SIX[4:]),
            ("", "", 5, SIX[5]),
            ("2 3", "0 1", 3, np.broadcast_to(SIX[3:], (2, 3))),
            ("1 0 2", "9 9 9", 0, np.zeros((1, 0, 2))),
            ("1 3 1 2", "77 2 5 1", 0, SIX.reshape(1, 3, 1, 2)),
            ("2 2", "1 1", 0, np.array([[0, 1], [1, 2]])),
            ("2 2", "3 2", 0, SIX.reshape(2, 3)[:, ::2]),
        ],
    )
    def test_of_tensors_are_read(self, shape, strides, offset, expected):
        file = torch_file(tensor_of(shape, strides, offset), {"0": SIX.tobytes()})

        found = gb.load(file)

        assert found["w"].tolist() == expected.tolist()
        assert found["w"].shape == expected.shape

    @pytest.mark.parametrize(
        ("pickled", "storages", "message"),
        [
            (b"\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.", {}, r"asks for os\.system, which"),
            (b"\x80\x02c__main__\nNet\n)\x81.", {}, r"__main__\.Net.*; save module\.state_dict"),
            (b"\x80\x02cnumpy\nvoid\n.", {}, r"numpy\.void.*numbers and arrays of numbers"),
            (tensor_of("7", "1"), {"0": SIX.tobytes()}, r"sizes \[7\] beyond its storage of 6"),
            (tensor_of("2 2", "5 1"), {"0": SIX.tobytes()}, r"sizes \[2, 2\] beyond its storage"),
            (tensor_of("-1", "1"), {"0": SIX.tobytes()}, "sizes or strides that are none"),
            (
                tensor_of("6", "1"),
                {"0": SIX.tobytes()[:-1]},
                "storage 0 has 23 bytes; 24 are needed",
            ),
            (tensor_of("6", "1"), {}, "archive/data/0 is missing; the file"),
            (tensor_of("6", "1")[:-1], {"0": SIX.tobytes()}, "ends too early; the file is cut off"),
            (b"\x80\x02\x82.", {}, "the opcode 130, which PyTorch does not write"),
            (b"\x80\x02t.", {}, "a broken pickle"),
            (b"\x80\x02(.", {}, "a broken pickle .a mark for a value"),
            (b"\x80\x02N.N", {}, None),
            (b"\x80\x02r\xff\xff\xff\xff.", {}, "a broken pickle"),
            (b"\x80\x02X\xff\xff\xff\x7fa.", {}, "ends too early"),
            (b"\x80\x02}})Rb.", {}, "a pickle that calls what is no name"),
            (b"\x80\x02}))s.", {}, "a key that is no text and no number"),
            (b"\x80\x02NK\x01a.", {}, "appends to what is no list"),
            (b"\x80\x02NNb.", {}, "a pickle that sets attributes"),
            (b"\x80\x02ctorch\nFloatStorage\n.", {}, r"asks for torch\.FloatStorage"),
        ],
    )
    def test_of_anything_else_are_refused_and_nothing_is_run(self, pickled, storages, message):
        file = torch_file(pickled, storages)

        if message is None:
            assert gb.load(file) is None
            return
        with gb.leaks.no_leaks(), pytest.raises(FileError, match=message):
            gb.load(file)

    def test_that_hash_for_ever_are_refused(self):
        doubled = b"\x80\x02})" + b"2\x86" * 60 + b"Ns."
        paired = b"\x80\x02})" + b"q\x00h\x00\x86" * 60 + b"Ns."

        for pickled in (doubled, paired):
            with pytest.raises(FileError):
                gb.load(torch_file(pickled, {}))

    @pytest.mark.parametrize(
        ("file", "message"),
        [
            (torch_file(b"\x80\x02N.", {}, order=b"big"), "big-endian"),
            (torch_file(b"\x80\x02N.", {}, names=b"code/x.py"), "a TorchScript archive"),
            (io.BytesIO(b"\x80\x02N." + bytes(9)), "a pickle, which could run any code"),
        ],
    )
    def test_of_other_forms_are_refused(self, file, message):
        file.seek(0)
        with pytest.raises(FileError, match=message):
            gb.load(file)


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (io.BytesIO(b""), "a file of 0 bytes of an unknown kind"),
        (io.BytesIO(b"hello world, hello"), "of an unknown kind; safetensors"),
        (io.BytesIO(struct.pack("<Q", 1 << 60) + b"{}"), "a header of 1152921504606846976 bytes"),
        (io.BytesIO(struct.pack("<Q", 2) + b"{]"), "a header that is no JSON"),
        (io.BytesIO(struct.pack("<Q", 99999) + b'{"a":' * 19999 + b"    "), "a header"),
        (of_others({"x": ENTRY}, bytes(7)), "1 of 8 bytes of tensors are missing; it is cut off"),
        (of_others({"x": ENTRY, "y": ENTRY}, bytes(16)), "tensors that overlap"),
        (of_others({"x": {**ENTRY, "shape": [3]}}, bytes(8)), "x has 8 bytes; 12 are needed"),
        (of_others({"x": {**ENTRY, "shape": [1 << 61, 8]}}, bytes(8)), "x has 8 bytes; 7378697"),
        (of_others({"x": {**ENTRY, "shape": [-2]}}, bytes(8)), "x out of range"),
        (of_others({"x": {**ENTRY, "shape": [True, 2]}}, bytes(8)), "x out of range"),
        (of_others({"x": {**ENTRY, "dtype": "Q9"}}, bytes(8)), "an unknown dtype, Q9"),
        (of_others({"x": 3}, bytes(8)), "the entry of x is broken"),
        (
            of_others({}, b"", __metadata__={"garboard.tree": '["t","y"]'}),
            "names a tensor that is not there",
        ),
        (of_others({}, b"", __metadata__={"garboard.tree": "[3]"}), "that save.. does not write"),
        (
            of_others({}, b"", __metadata__={"garboard.tree": '["d",[[["l",[]],1]]]'}),
            "that save.. does not write",
        ),
        *(
            (of_others({}, b"", __metadata__={"garboard.tree": tree}), "that save.. does not write")
            for tree in (
                '["s",[["l",[]]]]',
                '["d",[[["u",[["l",[]]]],1]]]',
                '["z",["a"]]',
                '["b","?"]',
                '["v","abacus"]',
            )
        ),
    ],
)
def test_a_broken_file_is_refused_before_memory_is_taken(file, message):
    file.seek(0)

    with gb.leaks.no_leaks(), pytest.raises(FileError, match=message):
        gb.load(file)


def test_files_with_any_damage_are_read_or_refused():
    rng = random.Random(5)
    plain = io.BytesIO()
    gb.save({"a": gb.ones(3), "b": [gb.zeros(2, 2), "x"]}, plain)
    for whole in (plain.getvalue(), torch_file(tensor_of("6", "1"), {"0": SIX.tobytes()}).read()):
        for _ in range(150):
            damaged = bytearray(whole[: rng.choice([len(whole), rng.randrange(len(whole))])])
            for _ in range(rng.randrange(4)):
                if damaged:
                    damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            with suppress(FileError, gb.DTypeError):
                gb.load(io.BytesIO(bytes(damaged)))


def made_here(base: type) -> Any:
    class Here(base):
        pass

    return Here()


class TestWriting:
    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (made_here(nn.ReLU), None),
            (made_here(object), "save: what is given is of type Here, which cannot be pickled"),
            ({"a": [1, {2: made_here(object)}]}, r"save: a\.1\.2 is of type Here, .*; tensors, "),
            ({made_here(object): 1}, "save: a key of the dict is of type Here, .*; tensors, "),
        ],
    )
    def test_refuses_what_no_file_holds_and_says_where_it_is(self, value, message, tmp_path):
        (tmp_path / "x.pt").write_bytes(b"old")

        with pytest.raises(TypeError, match=message or r"save its state_dict\(\)"):
            gb.save(value, tmp_path / "x.pt")

        assert [(it.name, it.read_bytes()) for it in tmp_path.iterdir()] == [("x.pt", b"old")]

    def test_refuses_a_nest_that_holds_itself_and_what_has_ended(self):
        nest: list[Any] = []
        nest.append(nest)
        ended = gb.ones(1)
        ended.dispose()

        with pytest.raises(TypeError, match="a nest more than 128 deep"):
            gb.save(nest, io.BytesIO())
        with pytest.raises(gb.DisposedError, match=r"save: x\.0 is disposed"):
            gb.save({"x": [ended]}, io.BytesIO())

    def test_leaves_the_old_file_where_it_fails(self, tmp_path: Path, monkeypatch):
        path = tmp_path / "x.pt"
        gb.save({"a": 1}, path)

        def full(number: int) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="no space"):
            gb.save({"a": 2}, path)

        assert gb.load(path) == {"a": 1}
        assert os.listdir(tmp_path) == ["x.pt"]

    def test_leaves_nothing_in_the_buffer_of_an_open_file(self, tmp_path: Path):
        path = tmp_path / "x.pt"

        with open(path, "wb") as file:
            gb.save({"a": 1}, file)

            assert gb.load(path) == {"a": 1}

    def test_refuses_what_is_no_path(self):
        with pytest.raises(TypeError, match="save: f is of type int; a path"):
            gb.save({}, 3)
        with pytest.raises(TypeError, match="load: f is of type int; a path"):
            gb.load(3)
        with pytest.raises(gb.DeviceError):
            gb.load(io.BytesIO(), map_location="cuda:99")
