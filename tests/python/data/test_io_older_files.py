"""Files that PyTorch wrote before 1.6: pickles one after another, and storages behind them."""

from __future__ import annotations

import io
import pickle
import struct
from pathlib import Path
from typing import Any

import garboard as gb
import pytest

MAGIC = 0x1950A86A20F9469CFC6C
SIX = struct.pack("<6f", *range(6))


def text(of: str, code: bytes = b"X", form: str = "<I") -> bytes:
    return code + struct.pack(form, len(of)) + of.encode()


def storage(key: str = "7", count: int = 6, part: bytes = b"N") -> bytes:
    """The opcodes of a storage of float32; `part` tells which part of it is meant."""
    name = b"ctorch\nFloatStorage\n"
    return b"(" + text("storage") + name + text(key) + text("cpu") + b"K%c" % count + part + b"tQ"


def tensor(
    of: bytes, sizes: bytes = b"K\x02K\x03\x86", strides: bytes = b"K\x03K\x01\x86"
) -> bytes:
    name = b"ctorch._utils\n_rebuild_tensor_v2\n"
    return name + b"(" + of + b"K\x00" + sizes + strides + b"\x89ccollections\nOrderedDict\n)RtR"


def entry(of: bytes) -> bytes:
    """A dict of one tensor, pickled."""
    return b"\x80\x02}" + text("w") + of + b"s."


def older_file(
    nest: bytes,
    storages: dict[str, bytes],
    *,
    magic: int = MAGIC,
    version: int = 1001,
    is_little: bool = True,
    keys: Any = None,
    protocol: int = 2,
) -> io.BytesIO:
    keys = [*storages] if keys is None else keys
    head: list[Any] = [magic, version, {"protocol_version": version, "little_endian": is_little}]
    parts = [pickle.dumps(value, protocol) for value in head]
    parts += [nest, pickle.dumps(keys, protocol)]
    for data in storages.values():
        parts.append(struct.pack("<q", len(data) // 4) + data)
    return io.BytesIO(b"".join(parts))


@pytest.mark.parametrize("protocol", [2, 3, 4])
def test_tensors_are_read(protocol: int):
    with gb.leaks.no_leaks():
        found = gb.load(older_file(entry(tensor(storage())), {"7": SIX}, protocol=protocol))

        assert found["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
        del found


def test_a_path_is_read_as_a_file_is(tmp_path: Path):
    path = tmp_path / "model.pth"
    path.write_bytes(older_file(entry(tensor(storage())), {"7": SIX}).getvalue())

    assert gb.load(path)["w"].sum().item() == 15
    assert gb.load(path, map_location="cpu")["w"].sum().item() == 15


def test_tensors_of_one_storage_share_it():
    nest = b"\x80\x02}(" + text("a") + tensor(storage()) + text("b") + tensor(storage()) + b"u."

    found = gb.load(older_file(nest, {"7": SIX}))
    found["a"][0, 0] = 9

    assert found["b"][0, 0].item() == 9


def test_a_tensor_may_look_at_a_part_of_a_storage():
    part = b"(" + text("8") + b"K\x02K\x04t"
    nest = entry(tensor(storage(part=part), b"K\x04\x85", b"K\x01\x85"))

    assert gb.load(older_file(nest, {"7": SIX}))["w"].tolist() == [2, 3, 4, 5]


def test_pickles_of_python_2_are_read():
    pairs = b"](](" + text("w", b"U", "<B") + tensor(storage()) + b"ee"
    nest = b"\x80\x02ccollections\nOrderedDict\n" + pairs + b"\x85R."

    found = gb.load(older_file(nest, {"7": SIX}))

    assert list(found) == ["w"]
    assert found["w"].shape == (2, 3)


GOOD = entry(tensor(storage()))
MANY = entry(tensor(storage(count=200), b"K\x64\x85", b"K\x01\x85"))
BEYOND = b"(" + text("8") + b"K\x04K\x04t"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: older_file(GOOD, {"7": SIX}, version=1000), "no file of PyTorch's"),
        (lambda: older_file(GOOD, {"7": SIX}, is_little=False), "big-endian"),
        (lambda: older_file(GOOD, {"7": SIX}, keys=[]), "not those of the tensors"),
        (lambda: older_file(GOOD, {"7": SIX}, keys=["7", "7"]), "not those of the tensors"),
        (lambda: older_file(GOOD, {"7": SIX}, keys=7), "not those of the tensors"),
        (lambda: older_file(GOOD, {"7": SIX}, keys=[7]), "load: "),
        (lambda: older_file(GOOD, {"7": SIX[:8]}), "has 2 elements; 6 are needed"),
        (lambda: io.BytesIO(older_file(GOOD, {"7": SIX}).getvalue()[:-3]), "cut off"),
        (lambda: older_file(MANY, {"7": SIX}), "storages of 800 bytes in a file of"),
        (lambda: older_file(entry(tensor(storage(part=BEYOND))), {"7": SIX}), "part of a storage"),
        (lambda: older_file(b"\x80\x02cposix\nsystem\n.", {}), "could run any code"),
        (lambda: older_file(b"\x80\x02ccollections\nOrderedDict\n](K\x01e\x85R.", {}), "load: "),
        (lambda: io.BytesIO(older_file(GOOD, {}).getvalue()[:40]), "cut off"),
        (lambda: io.BytesIO(pickle.dumps([1, 2])), "a pickle, which could run any code"),
    ],
)
def test_what_is_no_such_file_is_refused(make: Any, message: str):
    with gb.leaks.no_leaks(), pytest.raises(gb.io.FileError, match=message):
        gb.load(make())
