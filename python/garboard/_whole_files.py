"""Files that a reader sees as they were or as they become, never half of them."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["replace_file", "write_whole"]


def write_whole(path: str | Path, fill: Callable[[BinaryIO], object], is_durable: bool) -> None:
    """Let `fill` write beside `path`, and move it there, where its permissions are the old file's.

    What is no regular file, a device or a pipe say, is written to as it stands.

    Args:
        path: Where the file goes; of a link, where that leads.
        fill: Called with a binary file.
        is_durable: Whether the file is on the disk before it takes the old one's place.

    Raises:
        OSError: The file cannot be written; the old one is as it was.
    """
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file:
            fill(file)
        return
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name[:100]}.{os.getpid()}.{os.urandom(4).hex()}.part")
    try:
        with open(beside, "xb") as file:
            if mode is not None:
                with suppress(OSError):
                    os.fchmod(file.fileno(), stat.S_IMODE(mode))
            fill(file)
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
        os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def replace_file(path: Path, contents: str | bytes) -> Path:
    """Write bytes, or a text as UTF-8; a file of that name is replaced once the new one is whole.

    Raises:
        OSError: The file cannot be written.
    """
    data = contents.encode("utf-8") if isinstance(contents, str) else contents
    write_whole(path, lambda file: file.write(data), is_durable=False)
    return path
