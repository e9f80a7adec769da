"""Snapshots: PyTorch's form, rules that a checker enforces, and files that may be hostile."""

from __future__ import annotations

import copy
import json
import pickle
import pickletools
import random
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

# The keys PyTorch writes.
SEGMENT = {
    *("device", "address", "total_size", "allocated_size", "active_size", "requested_size"),
    *("stream", "segment_type", "segment_pool_id", "is_expandable", "frames", "blocks"),
}
BLOCK = {"address", "size", "requested_size", "state", "frames"}
EVENT = {"action", "addr", "size", "stream", "time_us", "frames"}


@pytest.fixture
def recording() -> Iterator[None]:
    memory._record_memory_history("stack")
    yield
    memory._record_memory_history(None)


def train(steps: int) -> None:
    layer = gb.nn.Linear(20, 30)
    optimizer = gb.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(steps):
        with gb.dispose_scope("step"):
            loss = layer(gb.randn(50, 20)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    layer.dispose()
    optimizer.dispose()


class TestSegments:
    @pytest.mark.parametrize("is_range", [False, True])
    def test_that_come_and_go_as_a_whole_are_not_called_expandable(self, is_range, monkeypatch):
        block = {"size": 2 << 20, "requested_size": 0, "state": "inactive", "frames": []}
        block["address"] = 1 << 36
        segment = (1 << 36, 2 << 20, 0, False, is_range, 1, 0, 0, 0)
        raw = ([segment], [block], [], ([], 0, (0, 0, 0)), {}, 0)
        monkeypatch.setattr(gb._engine, "_memory_snapshot", lambda name, frames: raw)

        (segment,) = memory._snapshot("cpu")["segments"]

        assert segment["is_expandable"] is is_range
        assert segment["segment_type"] == "large"


class TestTheForm:
    def test_is_pytorchs(self, recording):
        x = gb.zeros(1000)
        train(3)
        snapshot = memory._snapshot()

        memory.check_snapshot(snapshot)
        assert {*snapshot} == {"segments", "device_traces", "allocator_settings"}
        for segment in snapshot["segments"]:
            assert {*segment} == SEGMENT
            assert {key for block in segment["blocks"] for key in block} == BLOCK
        events = [event for trace in snapshot["device_traces"] for event in trace]
        assert {key for event in events for key in event} == EVENT | {"category"}
        assert x.nbytes == 4000

    def test_counts_the_same_live_bytes_as_the_books(self):
        kept = [gb.zeros(size) for size in (0, 1, 16, 17, 1000, 300_000)]
        snapshot = memory._snapshot("cpu")

        requested = sum(segment["requested_size"] for segment in snapshot["segments"])

        assert requested == memory.memory_allocated() == memory.live("cpu").bytes
        assert len(kept) == 6

    def test_has_the_reserved_bytes_in_segments(self):
        x = gb.zeros(300_000)
        segments = memory._snapshot("cpu")["segments"]

        real = [segment for segment in segments if segment["address"] < 1 << 52]

        assert sum(segment["total_size"] for segment in real) == memory.memory_reserved()
        assert x.nbytes == 1_200_000

    def test_is_one_story_while_threads_train(self, recording):
        memory._record_memory_history("stack", max_entries=1000)
        is_over = threading.Event()

        def work() -> None:
            while not is_over.is_set():
                train(1)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(8):
                memory.check_snapshot(memory._snapshot())
        finally:
            is_over.set()
            for thread in threads:
                thread.join()

    def test_holds_when_the_ring_has_overflowed(self):
        memory._record_memory_history("site", max_entries=37)
        try:
            for _ in range(30):
                train(1)
                memory.check_snapshot(memory._snapshot())
        finally:
            memory._record_memory_history(None)


class TestFiles:
    @pytest.mark.parametrize("name", ["s.pickle", "s.json"])
    def test_come_back_as_they_were_written(self, name, recording, tmp_path):
        train(2)
        memory._dump_snapshot(tmp_path / name)
        found = memory.load_snapshot(tmp_path / name)

        memory.check_snapshot(found)
        now = memory._snapshot()
        assert len(found["device_traces"][0]) == len(now["device_traces"][0]) - 1
        for event in (*found["device_traces"][0], *now["device_traces"][0]):
            del event["time_us"]  # told anew by each snapshot, to the microsecond
        assert found["device_traces"][0][:50] == now["device_traces"][0][:50]
        assert [path.name for path in tmp_path.iterdir()] == [name]

    def test_use_the_opcodes_that_the_viewer_knows(self, recording, tmp_path):
        train(20)
        memory._dump_snapshot(tmp_path / "s.pickle")

        names = {op.name for op, _, _ in pickletools.genops((tmp_path / "s.pickle").read_bytes())}

        assert names <= {
            *("APPEND", "APPENDS", "BINFLOAT", "BINGET", "BININT", "BININT1", "BININT2"),
            *("BINUNICODE", "EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "FRAME", "LONG1"),
            *("LONG_BINGET", "MARK", "MEMOIZE", "NEWFALSE", "NEWTRUE", "NONE", "PROTO", "SETITEM"),
            *("SETITEMS", "SHORT_BINUNICODE", "STOP", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"),
        }

    def test_write_each_stack_once(self, recording, tmp_path):
        for _ in range(500):
            gb.zeros(100)
        memory._dump_snapshot(tmp_path / "s.pickle")

        assert (tmp_path / "s.pickle").read_bytes().count(b"test_write_each_stack_once") < 10

    def test_that_cannot_be_written_leave_the_old_one(self, tmp_path):
        (tmp_path / "s.json").mkdir()
        with pytest.raises(OSError, match=r"s\.json"):
            memory._dump_snapshot(tmp_path / "s.json")

        assert [path.name for path in tmp_path.iterdir()] == ["s.json"]


class Hostile:
    """Runs a command when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, ("planted.txt", "w"))


MALFORMED: dict[str, bytes] = {
    "empty": b"",
    "text": b"hello",
    "a command": pickle.dumps(Hostile(), protocol=4),
    "an old command": pickle.dumps(Hostile(), protocol=0),
    "a class": pickle.dumps({"segments": random.Random}, protocol=4),
    "bytes": pickle.dumps({"segments": b"x"}, protocol=4),
    "a set": pickle.dumps({"segments": {1}}, protocol=4),
    "protocol 5": pickle.dumps({"segments": []}, protocol=5),
    "a huge integer": pickle.dumps({"segments": 1 << 80}, protocol=4),
    "a huge memo": b"\x80\x04]r\xff\xff\xff\xff.",
    "a missing memo": b"\x80\x04h\x05.",
    "a long text": b"\x80\x04X\xff\xff\xff\xffabc.",
    "a wild frame": b"\x80\x04\x95" + struct.pack("<Q", 1 << 60) + b"}.",
    "an empty stack": b"\x80\x04.",
    "no mark": b"\x80\x04]e.",
    "items of a list": b"\x80\x04](K\x01K\x02u.",
    "an unhashable key": b"\x80\x04}(]K\x02u.",
    "more behind the end": pickle.dumps({}, protocol=4) + b"x",
    "cut short": pickle.dumps({"segments": [1, 2, 3]}, protocol=4)[:-4],
    "a list": pickle.dumps([], protocol=4),
    "broken JSON": b'{"segments": [',
    "deep JSON": b'{"segments": ' + b"[" * 200_000,
    "no UTF-8": b'{"\xff": 1}',
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_file_is_a_typed_error(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.pickle").write_bytes(data)

    with pytest.raises(memory.SnapshotError, match=r"^load_snapshot: s\.pickle"):
        memory.load_snapshot("s.pickle")
    assert not Path("planted.txt").exists()


def test_a_damaged_file_is_a_typed_error_or_harmless(tmp_path):
    path = tmp_path / "s.pickle"
    memory._dump_snapshot(path)
    whole = path.read_bytes()
    random_bytes = random.Random(7)
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole[: random_bytes.randrange(len(whole) // 2, len(whole) + 1)])
        for _ in range(random_bytes.randrange(4)):
            damaged[random_bytes.randrange(len(damaged))] = random_bytes.randrange(256)
        path.write_bytes(damaged)
        try:
            memory.check_snapshot(memory.load_snapshot(path))
        except memory.SnapshotError:
            refused += 1
    assert refused > 200


def small() -> dict[str, Any]:
    """Return a snapshot with one of each: a live block, a free one, a pending one, a past one."""
    frames = [{"filename": "train.py", "line": 7, "name": "step"}]

    def event(action: str, addr: int, size: int, **more: object) -> dict[str, Any]:
        return {"action": action, "addr": addr, "size": size, "stream": 0, "frames": frames, **more}

    def block(address: int, size: int, requested: int, state: str) -> dict[str, Any]:
        return {"address": address, "size": size, "requested_size": requested, "state": state}

    return {
        "segments": [
            {
                **{"device": 0, "address": 4096, "total_size": 4096, "stream": 0, "frames": []},
                **{"allocated_size": 512, "active_size": 1536},
                "blocks": [
                    {**block(4096, 512, 100, "active_allocated"), "frames": frames},
                    block(4608, 1024, 1000, "active_pending_free"),
                    block(5632, 2560, 0, "inactive"),
                ],
            }
        ],
        "device_traces": [
            [
                event("segment_alloc", 4096, 4096),
                event("alloc", 4608, 1000, category="unknown"),
                event("alloc", 5632, 300, category="step"),
                event("free_requested", 5632, 300),
                event("free_completed", 5632, 300),
                event("segment_alloc", 65536, 4096),
                event("segment_free", 65536, 4096),
                event("alloc", 4096, 100, category="step"),
                event("free_requested", 4608, 1000) | {"size": 1000},
                {"action": "oom", "size": 1 << 30, "device_free": 0, "stream": 0},
                event("snapshot", 0, 4096),
            ]
        ],
    }


def test_a_snapshot_with_everything_passes():
    memory.check_snapshot(small())
    memory.check_snapshot({"segments": [], "device_traces": []})


def put(value: object, *path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(snapshot: Any) -> None:
        for key in path[:-1]:
            snapshot = snapshot[key]
        snapshot[path[-1]] = value

    return change


def drop(*path: str | int) -> Callable[[dict[str, Any]], None]:
    def change(snapshot: Any) -> None:
        for key in path[:-1]:
            snapshot = snapshot[key]
        del snapshot[path[-1]]

    return change


S, B, T = ("segments", 0), ("segments", 0, "blocks"), ("device_traces", 0)
FAULTS = {
    "no segments": (drop("segments"), "no segments"),
    "segments are no list": (put({}, "segments"), "segments"),
    "a segment is no dict": (put(7, *S), r"segments\[0\]"),
    "no trace of its device": (put(3, *S, "device"), "a device with a trace"),
    "a device that is a word": (put("0", *S, "device"), r"segments\[0\]\.device"),
    "a device that is a bool": (put(True, *S, "device"), r"segments\[0\]\.device"),
    "a huge address": (put(1 << 53, *S, "address"), "2\\^53"),
    "an address of 0": (put(0, *S, "address"), "other than 0"),
    "a negative size": (put(-1, *B, 0, "size"), "2\\^53"),
    "blocks that do not fill": (put(2048, *B, 2, "size"), "total_size 4096"),
    "a wrong sum": (put(700, *S, "allocated_size"), "the blocks' sum"),
    "an unknown state": (put("busy", *B, 0, "state"), "a known state"),
    "a block elsewhere": (put(4097, *B, 0, "address"), "4096 is needed"),
    "more requested": (put(513, *B, 0, "requested_size"), "no more requested"),
    "frames without a size": (drop(*B, 0, "requested_size"), "no requested_size"),
    "a frame without a line": (put([{"filename": "a", "name": "b"}], *B, 0, "frames"), "no line"),
    "an event without a size": (drop(*T, 0, "size"), "no size"),
    "an oom without free bytes": (drop(*T, 9, "device_free"), "no device_free"),
    "no unknown category": (drop(*T, 1, "category"), "'unknown' is needed"),
    "a block that nobody freed": (drop(*T, 4), "a block that is pending"),
    "a block that nobody asked for": (drop(*T, 7), "no block that is older"),
    "an alloc of another size": (put(99, *T, 7, "size"), "live afterwards"),
    "an alloc elsewhere": (put(8192, *T, 7, "addr"), "live afterwards"),
    "a free outside": (put(1 << 20, *T, 4, "addr"), "an address in a segment"),
    "a free over a live block": (put(4700, *T, 4, "addr"), "blocks apart"),
    "a segment that is not there": (put(1 << 20, *T, 0, "addr"), "a segment that holds"),
    "a segment freed into another": (put(4096, *T, 6, "addr"), "segments apart"),
}


@pytest.mark.parametrize(("change", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_broken_rule_is_named(change, message):
    broken = copy.deepcopy(small())
    change(broken)

    with pytest.raises(memory.SnapshotError, match=f"^check_snapshot: .*{message}"):
        memory.check_snapshot(broken)


def test_pages_that_come_one_by_one_are_followed():
    """Segments of PyTorch's expandable kind grow and shrink at their end."""
    snapshot = small()
    snapshot["segments"][0]["blocks"][2]["size"] += 4096
    snapshot["segments"][0]["total_size"] += 4096
    grown = {"action": "segment_map", "addr": 8192, "size": 4096, "stream": 0}
    shrunk = {"action": "segment_unmap", "addr": 12288, "size": 4096, "stream": 0}
    snapshot["device_traces"][0][1:1] = [grown, grown | {"addr": 12288}, shrunk]

    memory.check_snapshot(snapshot)


def test_json_of_a_snapshot_is_its_pickle(tmp_path):
    text = json.dumps(small())
    (tmp_path / "s.json").write_text(text)

    assert memory.load_snapshot(tmp_path / "s.json") == small()
