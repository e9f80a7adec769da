"""Allocation logs: RMM's form out and in, and lines that are not of it."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import garboard as gb
import pytest
from garboard import memory
from garboard.memory import LoggedEvent

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

HEADER = "Thread,Time,Action,Pointer,Size,Stream\n"


@pytest.fixture(autouse=True)
def recording():
    memory._record_memory_history("site")
    yield
    memory._record_memory_history(None)


def test_what_was_written_is_read(tmp_path):
    x = gb.zeros(4321)
    address = x.storage().data_ptr()
    x.dispose()
    thread = threading.Thread(target=lambda: gb.zeros(13, dtype=gb.uint8))
    thread.start()
    thread.join()

    count = memory.write_allocation_log(tmp_path / "log.csv")
    events = memory.read_allocation_log(tmp_path / "log.csv")

    assert (tmp_path / "log.csv").read_text().startswith(HEADER)
    assert len(events) == count
    ours = [event for event in events if event.size in (17284, 13)]
    assert [event.action for event in ours] == ["allocate", "free"] * 2
    assert [event.pointer for event in ours[:2]] == [address] * 2
    assert ours[0].thread != ours[2].thread
    assert [event.time_us for event in ours] == sorted(event.time_us for event in ours)
    assert 0 <= ours[0].time_us < 24 * 3600 * 1_000_000


def test_a_refusal_is_a_failure_at_no_address(tmp_path):
    memory.empty_cache()
    before = memory.set_memory_limit(memory.memory_reserved() + (4 << 20))
    try:
        with pytest.raises(gb.OutOfMemoryError):
            gb.empty(60 << 20, dtype=gb.uint8)
    finally:
        memory.set_memory_limit(before)
    memory.write_allocation_log(tmp_path / "log.csv")

    last = memory.read_allocation_log(tmp_path / "log.csv")[-1]

    assert (last.action, last.pointer, last.size) == ("allocate failure", 0, 60 << 20)


def test_without_a_history_there_are_no_events(tmp_path):
    memory._record_memory_history(None)

    assert memory.write_allocation_log(tmp_path / "log.csv") == 0
    assert memory.write_allocation_log(tmp_path / "log.csv", "cuda:7") == 0
    assert (tmp_path / "log.csv").read_text() == HEADER
    assert memory.read_allocation_log(tmp_path / "log.csv") == []


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path):
    (tmp_path / "log.csv").mkdir()

    with pytest.raises(OSError, match="log"):
        memory.write_allocation_log(tmp_path / "log.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


def test_lines_of_rmm_are_read(tmp_path):
    (tmp_path / "log.csv").write_text(
        HEADER
        + "1979932,14:21:19.998533,allocate,0x30a000000,256,0x2\r\n"
        + "1980043,14:21:32:661875,free,0x30a000000,256,0\n"
        + "7,00:00:00.000001,allocate failure,(nil),1073741824,0\n"
        + "\n"
    )

    assert memory.read_allocation_log(tmp_path / "log.csv") == [
        LoggedEvent(1979932, 51_679_998_533, "allocate", 0x30A000000, 256, 2),
        LoggedEvent(1980043, 51_692_661_875, "free", 0x30A000000, 256, 0),
        LoggedEvent(7, 1, "allocate failure", 0, 1 << 30, 0),
    ]


GOOD = "1,00:00:00.000000,allocate,0x100,256,0"
BAD = {
    "five fields": "1,00:00:00.000000,allocate,0x100,256",
    "seven fields": GOOD + ",0",
    "a thread": "x" + GOOD,
    "a negative thread": "-" + GOOD,
    "an hour": GOOD.replace("00:00:00", "24:00:00"),
    "a time": GOOD.replace("00:00:00", "noon"),
    "an action": GOOD.replace("allocate", "grab"),
    "a pointer": GOOD.replace("0x100", "here"),
    "a huge pointer": GOOD.replace("0x100", "0x" + "f" * 17),
    "a negative size": GOOD.replace("256", "-256"),
    "a size of letters": GOOD.replace("256", "many"),
    "a huge size": GOOD.replace("256", "9" * 20),
    "a size in other digits": GOOD.replace("256", "\u0662\u0665"),
    "a huge number": GOOD.replace("256", "9" * 150),
    "a stream": GOOD[:-1] + "main",
    "a long line": GOOD + " " * 10_000 + "x",
    "zeros": "\0" * 30,
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD.keys())
def test_a_bad_line_is_named(line, tmp_path):
    (tmp_path / "log.csv").write_text(f"{HEADER}{GOOD}\n{line}\n{GOOD}\n", encoding="utf-8")

    with pytest.raises(memory.AllocationLogError, match=r"^read_allocation_log: .*, line 3: "):
        memory.read_allocation_log(tmp_path / "log.csv")


@pytest.mark.parametrize("data", [b"", b"\n", b"a,b,c\n", b"\xff\xfe\0T", b"x" * 1_000_000])
def test_a_file_that_is_no_log_is_a_typed_error(data, tmp_path):
    (tmp_path / "log.csv").write_bytes(data)

    with pytest.raises(memory.AllocationLogError, match=r"is needed$"):
        memory.read_allocation_log(tmp_path / "log.csv")
    with pytest.raises(FileNotFoundError):
        memory.read_allocation_log(tmp_path / "missing.csv")


@pytest.mark.parametrize("write", [memory.write_allocation_log, memory.dump_snapshot])
def test_a_pipe_gets_what_a_file_would_and_stays_one(tmp_path, write):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        write(pipe)

        assert read.result(timeout=60)

    assert pipe.is_fifo()
