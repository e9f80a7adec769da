"""Workers that are processes: what they read comes through memory that both sides map.

Each batch travels as a pickle without its arrays, beside one anonymous file with all of them.
Nobody has to delete that: it goes with its last mapping, also where a worker is killed.
"""

from __future__ import annotations

import os
import pickle
import random
import socket
import sys
import traceback
from collections.abc import Callable
from mmap import mmap
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NamedTuple

from garboard._contexts.generator import manual_seed
from garboard.utils.data._reading import END, Reader, WorkerInfo, set_worker_info

__all__ = ["ProcessPool", "WorkerError"]

_ALIGNMENT = 64
_PATIENCE_S = 5.0


class WorkerError(RuntimeError):
    """What happened in a worker's process: its traceback, or how it died."""


def _send(connection: Connection, number: int, batch: Any, error: Any) -> None:
    """Send a batch: a header, and a file of what its arrays hold."""
    buffers: list[pickle.PickleBuffer] = []
    content = batch if error is None else error
    text = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)
    kind = "error" if error is not None else "end" if batch is END else "batch"
    views = [buffer.raw() for buffer in buffers]
    starts, end = [], 0
    for view in views:
        starts.append(end)
        end = -(-(end + view.nbytes) // _ALIGNMENT) * _ALIGNMENT
    places = [(start, view.nbytes) for start, view in zip(starts, views, strict=True)]
    connection.send_bytes(pickle.dumps((number, kind, text, places, end)))
    if not end:
        return
    if not hasattr(os, "memfd_create"):
        for view in views:
            connection.send_bytes(view)
        return
    file = os.memfd_create("garboard_batch")
    try:
        os.ftruncate(file, end)
        with mmap(file, end) as memory:
            for (start, count), view in zip(places, views, strict=True):
                memory[start : start + count] = view
        with _socket_of(connection) as there:
            socket.send_fds(there, [b"f"], [file])
    finally:
        os.close(file)


def _socket_of(connection: Connection) -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=os.dup(connection.fileno()))


class _Parcel(NamedTuple):
    """A batch that is unpacked where it is handed over: in the scope that is open there."""

    text: bytes
    buffers: list[memoryview]


def _receive(connection: Connection) -> tuple[int, Any, BaseException | None]:
    number, kind, text, places, end = pickle.loads(connection.recv_bytes())
    buffers: list[memoryview] = []
    if end and not hasattr(os, "memfd_create"):
        buffers = [memoryview(bytearray(connection.recv_bytes())) for _ in places]
    elif end:
        # Not `multiprocessing.reduction`: from 3.14 on its sender waits for an answer, and what the
        # other side sends meanwhile are tasks.
        with _socket_of(connection) as there:
            files = socket.recv_fds(there, 1, 1)[1]
        if not files:
            raise EOFError
        [file] = files
        try:
            memory = memoryview(mmap(file, end))
        finally:
            os.close(file)
        buffers = [memory[start : start + count] for start, count in places]
    else:
        buffers = [memoryview(bytearray()) for _ in places]
    if kind != "error":
        return number, END if kind == "end" else _Parcel(text, buffers), None
    given, told = pickle.loads(text, buffers=buffers)
    cause = WorkerError(told)
    try:
        failure = pickle.loads(given)
    except Exception:
        failure = None
    if not isinstance(failure, BaseException):
        return number, None, cause
    failure.__cause__ = cause
    return number, None, failure


def _told(error: BaseException, worker: int) -> tuple[bytes, str]:
    """An error and its traceback, as far as they can travel."""
    text = "".join(traceback.format_exception(error))
    try:
        given = pickle.dumps(error)
    except Exception:
        given = pickle.dumps(None)
    return given, f"DataLoader worker {worker}, process {os.getpid()}:\n\n{text}"


def _seed(seed: int) -> None:
    manual_seed(seed)
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed & 0xFFFFFFFF)


def _work(
    connection: Connection,
    info: WorkerInfo,
    start: Callable[[int], object] | None,
    reader: Reader,
) -> None:
    set_worker_info(info)
    _seed(info.seed)
    failure: tuple[bytes, str] | None = None
    try:
        if start is not None:
            start(info.id)
    except BaseException as error:
        failure = _told(error, info.id)
    at = -1
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):  # the loop's process has gone
            return
        if task is None:
            return
        epoch, number, what = task
        if epoch != at:
            at, reader = epoch, reader.restarted(info.dataset)
        try:
            if failure is not None:
                _send(connection, number, None, failure)
            else:
                _send(connection, number, reader.read(what), None)
        except (BrokenPipeError, KeyboardInterrupt):
            return
        except BaseException as error:
            _send(connection, number, None, _told(error, info.id))


class ProcessPool:
    """Processes that read, each with a connection of its own."""

    def __init__(
        self,
        count: int,
        dataset: Any,
        reader: Reader,
        start: Callable[[int], object] | None,
        context: Any,
        seed: int,
    ) -> None:
        self._connections: list[Connection] = []
        self._processes: list[Any] = []
        try:
            for place in range(count):
                ours, theirs = Pipe()
                self._connections.append(ours)
                info = WorkerInfo(place, count, seed + place, dataset)
                process = context.Process(
                    target=_work, args=(theirs, info, start, reader), daemon=True
                )
                process.start()
                self._processes.append(process)
                theirs.close()
        except BaseException:
            self.close(is_stuck=True)
            raise

    def send(self, worker: int, epoch: int, number: int, task: Any) -> None:
        """Let a worker read a batch."""
        try:
            self._connections[worker].send((epoch, number, task))
        except OSError:
            raise self._death_of(worker) from None

    def receive(self, timeout: float | None) -> tuple[int, Any, BaseException | None]:
        """Return the number of a task, and its batch or why there is none."""
        sentinels = [process.sentinel for process in self._processes]
        ready = wait([*self._connections, *sentinels], timeout)
        if not ready:
            raise TimeoutError
        for worker, connection in enumerate(self._connections):
            if connection in ready:
                try:
                    return _receive(connection)
                except (EOFError, OSError):
                    raise self._death_of(worker) from None
        raise self._death_of(next(i for i, it in enumerate(sentinels) if it in ready))

    def _death_of(self, worker: int) -> WorkerError:
        process = self._processes[worker]
        process.join(_PATIENCE_S)
        return WorkerError(
            f"DataLoader: worker {worker}, process {process.pid}, died with exit code "
            f"{process.exitcode}; memory may have run out, or its code ended it"
        )

    def hand_over(self, result: Any) -> Any:
        """Return a batch, born in the scope that is open now."""
        return pickle.loads(result.text, buffers=result.buffers)

    def cancel(self, epoch: int) -> None:
        """What is under way is read to its end."""

    def close(self, is_stuck: bool = False) -> None:
        """End the processes, by force where they do not end by themselves."""
        for connection in self._connections:
            try:
                if not is_stuck:
                    connection.send(None)
            except OSError:
                pass
        for process in self._processes:
            if not is_stuck:
                process.join(_PATIENCE_S)
            if process.is_alive():
                process.terminate()
                process.join(_PATIENCE_S)
            if process.is_alive():
                process.kill()
                process.join()
        for connection in self._connections:
            connection.close()
        self._connections, self._processes = [], []
