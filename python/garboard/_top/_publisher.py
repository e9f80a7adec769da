"""Answers who asks what lives here, on a thread of its own; the program never waits for it.

A client sends a byte and gets a line of JSON. Looking takes the interpreter for as long as it
takes; so after a look of a millisecond there is none for fifty, and an earlier answer is sent. A
client that does not read loses answers, and nobody else does.
"""

from __future__ import annotations

import atexit
import json
import os
import selectors
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

from garboard._top._sampling import sample
from garboard._top._sockets import is_of_user, path_of

__all__ = ["Publisher", "start"]

_SHARE = 50  # of the time; a look takes one part at most
_MOST_CLIENTS = 8
_LONGEST_REQUEST = 4096


class Publisher:
    """Listens until it is closed.

    Raises:
        OSError: There is no socket to be had.
    """

    def __init__(self) -> None:
        self.path: Path = path_of(os.getpid())
        self._pid = os.getpid()
        with suppress(FileNotFoundError):
            self.path.unlink()  # of a process before that had our number
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(str(self.path))
            self.path.chmod(0o600)
            self._listener.listen(_MOST_CLIENTS)
            self._listener.setblocking(False)
        except BaseException:
            self._listener.close()
            raise
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._waker, self._woken = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._pending: dict[socket.socket, bytes] = {}
        self._answer = b""
        self._next_look = 0.0
        self._thread = threading.Thread(target=self._serve, name="garboard-publish", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Remove the socket, and end the thread."""
        if os.getpid() == self._pid:
            with suppress(OSError):
                self.path.unlink()
            self._waker.close()

    def let_go(self) -> None:
        """Close all that is open; in a forked child these are copies, and the parent goes on."""
        self._selector.close()
        for own in (self._listener, self._waker, self._woken, *self._pending):
            own.close()

    def _serve(self) -> None:
        while True:
            for key, events in self._selector.select():
                peer = key.fileobj
                assert isinstance(peer, socket.socket)
                if peer is self._woken:
                    return self.let_go()
                if peer is self._listener:
                    self._accept()
                    continue
                try:
                    if events & selectors.EVENT_READ:
                        self._hear(peer)
                    if events & selectors.EVENT_WRITE:
                        self._send(peer)
                except OSError:
                    self._drop(peer)

    def _accept(self) -> None:
        with suppress(OSError):
            peer, _ = self._listener.accept()
            if not is_of_user(peer) or len(self._pending) >= _MOST_CLIENTS:
                peer.close()
                return
            peer.setblocking(False)
            self._pending[peer] = b""
            self._selector.register(peer, selectors.EVENT_READ)

    def _hear(self, peer: socket.socket) -> None:
        if not peer.recv(_LONGEST_REQUEST):
            self._drop(peer)
        elif not self._pending[peer]:  # else it has not read the answer before
            self._pending[peer] = self._look()
            self._send(peer)

    def _send(self, peer: socket.socket) -> None:
        if peer not in self._pending:
            return
        left = self._pending[peer]
        with suppress(BlockingIOError):
            left = left[peer.send(left) :]
        self._pending[peer] = left
        more = selectors.EVENT_WRITE if left else 0
        self._selector.modify(peer, selectors.EVENT_READ | more)

    def _drop(self, peer: socket.socket) -> None:
        if self._pending.pop(peer, None) is not None:
            self._selector.unregister(peer)
            peer.close()

    def _look(self) -> bytes:
        begun = time.monotonic()
        if begun >= self._next_look:
            self._answer = json.dumps(sample()).encode() + b"\n"
            done = time.monotonic()
            self._next_look = done + (done - begun) * _SHARE
        return self._answer


_publisher: Publisher | None = None


def start() -> None:
    """Publish from now on, for `garboard top`; in a forked child, too, on a socket of its own."""
    global _publisher
    if _publisher is None:
        atexit.register(_stop)
        os.register_at_fork(after_in_child=_restart)
    with suppress(OSError):  # no folder, no room: the program is worth more than its view
        _publisher = Publisher()


def _restart() -> None:
    global _publisher
    if _publisher is not None:
        _publisher.let_go()
    with suppress(OSError):
        _publisher = Publisher()


def _stop() -> None:
    if _publisher is not None:
        _publisher.close()
