"""Sockets that only their user may open: in a folder of the user's own, one for each process."""

from __future__ import annotations

import os
import socket
import stat
import struct
import tempfile
from pathlib import Path

__all__ = ["UnsafeFolderError", "connected", "is_of_user", "path_of", "private_folder"]


class UnsafeFolderError(OSError):
    """The folder for sockets is not the user's alone."""


def private_folder() -> Path:
    """Return the folder, made if need be.

    Raises:
        UnsafeFolderError: Somebody else made it, or may write there.
        OSError: It cannot be made.
    """
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    folder = Path(base) / f"garboard-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise UnsafeFolderError(f"{folder} is not a folder that is yours alone; remove it")
    return folder


def path_of(pid: int) -> Path:
    """Return where a process of the user's listens."""
    return private_folder() / f"{pid}.sock"


def is_of_user(peer: socket.socket) -> bool:
    """Tell whether who connected is the user, or root; where the system cannot say, the folder's
    rights have to do."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    told = peer.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    return struct.unpack("3i", told)[1] in (os.getuid(), 0)


def connected(pid: int, timeout_s: float) -> socket.socket:
    """Connect to a process that publishes.

    Raises:
        OSError: It does not.
    """
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.settimeout(timeout_s)
        client.connect(str(path_of(pid)))
    except BaseException:
        client.close()
        raise
    return client
