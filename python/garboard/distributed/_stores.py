"""Stores of one process: bytes by names, by which several would find each other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"]

_TIMEOUT = timedelta(seconds=300)


class Store:
    """Bytes by names, in memory; what several processes would wait for is there or is not.

    >>> store = gb.distributed.HashStore()
    >>> store.set("rank", "0")
    >>> store.get("rank"), store.add("count", 2), store.num_keys()
    (b'0', 2, 2)
    """

    def __init__(self) -> None:
        self._entries: dict[str, bytes] = {}
        self.timeout: timedelta = _TIMEOUT

    def set(self, key: str, value: str | bytes) -> None:
        """Keep a value under a name.

        Args:
            key: The name.
            value: Bytes, or a text, which is kept as UTF-8.

        Raises:
            TypeError: The name is no text, or the value something else.

        >>> gb.distributed.HashStore().set("rank", "0")
        """
        name = check.text("Store.set", "key", key)
        if not isinstance(value, (str, bytes)):
            raise TypeError(f"Store.set: value of type {type(value).__name__}; bytes are needed")
        self._entries[name] = value.encode() if isinstance(value, str) else value

    def get(self, key: str) -> bytes:
        """Return the value under a name.

        Args:
            key: The name.

        Raises:
            RuntimeError: There is none: no other process would set it.

        >>> store = gb.distributed.HashStore()
        >>> store.set("rank", "0")
        >>> store.get("rank")
        b'0'
        """
        if key not in self._entries:
            raise ArgumentError(f"Store.get: no {shown(key)}; a key that is set is needed")
        return self._entries[key]

    def add(self, key: str, amount: int) -> int:
        """Return the number under a name, 0 where there is none, after adding to it.

        Args:
            key: The name.
            amount: What is added.

        Raises:
            ValueError: What is there is no number.

        >>> store = gb.distributed.HashStore()
        >>> store.add("count", 2), store.add("count", 3)
        (2, 5)
        """
        value = int(self._entries.get(key, b"0")) + check.integer("Store.add", "amount", amount)
        self.set(key, str(value))
        return value

    def compare_set(self, key: str, expected_value: str, desired_value: str) -> bytes:
        """Replace a value where it is what is expected, or where neither is there.

        Args:
            key: The name.
            expected_value: What is to be there, or "" for nothing.
            desired_value: What replaces it.

        Returns:
            What is there then, or `expected_value`.

        >>> gb.distributed.HashStore().compare_set("first", "", "me")
        b'me'
        """
        expected = check.text("Store.compare_set", "expected_value", expected_value).encode()
        if self._entries.get(key, b"") == expected:
            self.set(key, desired_value)
        return self._entries.get(key, expected)

    def delete_key(self, key: str) -> bool:
        """Return whether a name was there, and take it out.

        Args:
            key: The name.

        >>> gb.distributed.HashStore().delete_key("rank")
        False
        """
        return self._entries.pop(key, None) is not None

    def num_keys(self) -> int:
        """Return how many names there are.

        >>> gb.distributed.HashStore().num_keys()
        0
        """
        return len(self._entries)

    def check(self, keys: Sequence[str]) -> bool:
        """Return whether all names are there.

        Args:
            keys: The names.

        >>> gb.distributed.HashStore().check(["rank"])
        False
        """
        return all(key in self._entries for key in keys)

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Return, as the names are there.

        Args:
            keys: The names.
            timeout: Ignored.

        Raises:
            RuntimeError: One is missing: no other process would set it.

        >>> gb.distributed.HashStore().wait([])
        """
        for key in keys:
            self.get(key)

    def set_timeout(self, timeout: timedelta) -> None:
        """Set how long another process would be waited for.

        Args:
            timeout: The time.

        >>> gb.distributed.HashStore().set_timeout(gb.distributed.HashStore().timeout)
        """
        self.timeout = check.of_type(timedelta, "Store.set_timeout", "timeout", timeout)


class HashStore(Store):
    """A store that is a dict.

    >>> gb.distributed.HashStore().num_keys()
    0
    """


class FileStore(Store):
    """A store that several processes would share by a file: the one keeps it in memory.

    Args:
        file_name: Where the file would be; nothing is written.
        world_size: How many processes.

    Raises:
        NotImplementedError: Several processes.

    >>> gb.distributed.FileStore("meeting", 1).path
    'meeting'
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        refuse_several("FileStore", world_size)
        self.path: str = check.text("FileStore", "file_name", file_name)


class TCPStore(Store):
    """A store that several processes would share by a port: the one keeps it in memory.

    Args:
        host_name: The machine that would have the port.
        port: Its number; none is opened.
        world_size: How many processes.
        is_master: Whether this one has the store, which it has in any case.
        timeout: How long others would be waited for.
        wait_for_workers: Ignored.
        options: Ignored.

    Raises:
        NotImplementedError: Several processes.

    >>> gb.distributed.TCPStore("localhost", 29500, 1, True).port
    29500
    """

    def __init__(
        self,
        host_name: str,
        port: int = 29500,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = _TIMEOUT,
        wait_for_workers: bool = True,
        **options: object,
    ) -> None:
        super().__init__()
        refuse_several("TCPStore", -1 if world_size is None else world_size)
        self.host: str = check.text("TCPStore", "host_name", host_name)
        self.port: int = check.integer("TCPStore", "port", port)
        self.set_timeout(timeout)


class PrefixStore(Store):
    """The names of another store that begin with a prefix.

    Args:
        prefix: What is put before each name, and a "/".
        store: The other one.

    >>> inner = gb.distributed.HashStore()
    >>> gb.distributed.PrefixStore("a", inner).set("b", "c")
    >>> inner.get("a/b")
    b'c'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        self.underlying_store: Store = check.of_type(Store, "PrefixStore", "store", store)
        self.timeout: timedelta = store.timeout
        self._entries = _Prefixed(f"{prefix}/", store._entries)


class _Prefixed(dict[str, bytes]):
    """A view of the entries of another store."""

    def __init__(self, prefix: str, inner: dict[str, bytes]) -> None:
        self._prefix, self._inner = prefix, inner

    def __getitem__(self, key: str) -> bytes:
        return self._inner[self._prefix + key]

    def __setitem__(self, key: str, value: bytes) -> None:
        self._inner[self._prefix + key] = value

    def __contains__(self, key: object) -> bool:
        return f"{self._prefix}{key}" in self._inner

    def __len__(self) -> int:
        return len(self._inner)

    def get(self, key: str, default: bytes) -> bytes:  # type: ignore[override]
        return self._inner.get(self._prefix + key, default)

    def pop(self, key: str, default: bytes | None) -> bytes | None:  # type: ignore[override]
        return self._inner.pop(self._prefix + key, default)


def refuse_several(op: str, world_size: int) -> None:
    """Raise NotImplementedError where there would be several processes; -1 is not told."""
    if check.integer(op, "world_size", world_size) not in (-1, 1):
        raise NotImplementedError(
            f"{op}: world_size {shown(world_size)}; there is one process a program, so 1 is needed"
        )
