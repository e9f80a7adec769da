"""Snapshots in files: pickles that PyTorch's viewer opens, and JSON.

A pickle from elsewhere is a program. Only those are loaded that build plain data, which is told by
reading their opcodes first.
"""

import json
import os
import pickle
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import printable
from garboard._history_errors import SnapshotError
from garboard._whole_files import replace_file
from garboard.memory._snapshot import snapshot

__all__ = ["dump_snapshot", "load_snapshot", "scan_pickle"]

# Opcode -> bytes of argument; negative: that many bytes of length, then so much text. These are
# what the viewer knows, and all that protocol 4 needs for plain data.
_OPCODES = {
    **dict.fromkeys(b"()]}.Ntaeusld", 0),  # marks, empties, None, tuples, lists, dicts, the stop
    **dict.fromkeys((0x85, 0x86, 0x87, 0x88, 0x89), 0),  # short tuples, True, False
    **{ord("K"): 1, ord("M"): 2, ord("J"): 4, ord("G"): 8, 0x8A: -1},  # numbers
    **{0x8C: -1, ord("X"): -4},  # text
    **{0x94: 0, ord("h"): 1, ord("j"): 4, ord("q"): 1, ord("r"): 4},  # the memo
    **{0x80: 1, 0x95: 8},  # the protocol, and frames
}
_LONG, _PROTOCOL, _FRAME, _STOP = 0x8A, 0x80, 0x95, ord(".")
_MEMO = {ord("h"), ord("j"), ord("q"), ord("r")}
_DIGITS = 8  # bytes of an integer


def dump_snapshot(
    filename: str | os.PathLike[str] = "dump_snapshot.pickle",
    device: str | _engine.device | None = None,
) -> None:
    """Write `snapshot(device)` to a file, for `garboard report` and for PyTorch's viewer.

    A file of that name is replaced once the new one is complete; until then it stays.

    Args:
        filename: JSON if it ends with .json, else a pickle of protocol 4.
        device: All open devices by default.

    Raises:
        OSError: The file cannot be written.
        DeviceError: There is no such device.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gb.memory.dump_snapshot(f"{folder}/now.json")
    ...     sorted(gb.memory.load_snapshot(f"{folder}/now.json"))
    ['allocator_settings', 'device_traces', 'segments']
    """
    path = check.path("dump_snapshot", "filename", filename)
    taken = snapshot(device)
    is_json = path.suffix == ".json"
    # Protocol 5 is Python's default, and the viewer's limit.
    data = json.dumps(taken).encode() if is_json else pickle.dumps(taken, protocol=4)
    replace_file(path, data)


def load_snapshot(filename: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a snapshot that `dump_snapshot` wrote, ours or PyTorch's. Runs no code from the file.

    Args:
        filename: JSON, or a pickle of plain data.

    Returns:
        The dict, not checked further: `check_snapshot` does that.

    Raises:
        SnapshotError: It is neither JSON nor a pickle of plain data, or no dict.
        OSError: The file cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gb.memory.dump_snapshot(f"{folder}/now.pickle")
    ...     gb.memory.check_snapshot(gb.memory.load_snapshot(f"{folder}/now.pickle"))
    """
    path = check.path("load_snapshot", "filename", filename)
    data, said = path.read_bytes(), printable(str(path))
    try:
        if data[:1] in (b"{", b" ", b"\n"):
            found = json.loads(data)
        else:
            scan_pickle(data)
            found = _built(data)
    except SnapshotError as error:
        raise SnapshotError(f"load_snapshot: {said}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise SnapshotError(f"load_snapshot: {said}: no JSON that can be read: {error}") from None
    if not isinstance(found, dict):
        raise SnapshotError(
            f"load_snapshot: {said} holds a {type(found).__name__}; a dict is needed"
        )
    return found


def scan_pickle(data: bytes) -> None:
    """Check that a pickle uses only opcodes that build plain data and that the viewer knows.

    Raises:
        SnapshotError: It does not, or it is cut short. The message names the opcode and its place.
    """
    if data[:1] != bytes([_PROTOCOL]):
        raise SnapshotError("no pickle of protocol 2 to 4, and no JSON")
    at, puts = 0, 0
    while at < len(data):
        opcode, start = data[at], at
        length = _OPCODES.get(opcode)
        if length is None:
            raise SnapshotError(f"opcode {opcode:#04x} at byte {at} is not for plain data")
        at += 1
        number = int.from_bytes(data[at : at + abs(length)], "little")
        at += abs(length)
        if length < 0:
            at += number
        if at > len(data):
            break
        if opcode == _STOP:
            if at != len(data):
                raise SnapshotError(f"{len(data) - at} bytes follow the end of the pickle")
            return
        puts += opcode in (0x94, ord("q"), ord("r"))
        if opcode in _MEMO and number > puts:
            raise SnapshotError(f"entry {number} of the memo at byte {start} does not exist")
        if opcode == _PROTOCOL and not 2 <= number <= 4:
            raise SnapshotError(f"a pickle of protocol {number}; 2 to 4 is needed")
        if opcode == _LONG and number > _DIGITS:
            raise SnapshotError(f"an integer of {number} bytes at byte {start}; 8 are the most")
    raise SnapshotError(f"the pickle is cut short at byte {len(data)}")


def _built(data: bytes) -> object:
    try:
        return pickle.loads(data)
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, IndexError, KeyError) as error:
        raise SnapshotError(f"the pickle is broken: {error}") from None
    except (AttributeError, MemoryError, RecursionError) as error:
        raise SnapshotError(f"the pickle is broken: {error}") from None
