"""What dispose scopes promise, in plain Python: the oracle of the property test.

It knows no tensors. Storages are numbers of bytes, handles are shares of them, scopes are lists.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Counters:
    """The seven numbers of one thread, in the order in which TorchSharp's line has them."""

    thread_total_live_count: int = 0
    created_outside_scope_count: int = 0
    disposed_outside_scope_count: int = 0
    created_in_scope_count: int = 0
    disposed_in_scope_count: int = 0
    attached_to_scope_count: int = 0
    detached_from_scope_count: int = 0

    def line(self) -> str:
        def words(name: str) -> str:
            return "".join(word.title() for word in name.split("_"))

        return "; ".join(f"{words(name)}: {value}" for name, value in vars(self).items())


@dataclass(eq=False)
class Scope:
    name: str
    outer_at_birth: Scope | None
    limit: int | None = None
    is_open: bool = True
    members: list[Handle] = field(default_factory=list)
    bytes_at_close: int = 0

    @property
    def outer(self) -> Scope | None:
        scope = self.outer_at_birth
        while scope is not None and not scope.is_open:
            scope = scope.outer_at_birth
        return scope


@dataclass(eq=False)
class Storage:
    bytes: int
    born_in: Scope | None
    shares: int = 0

    def counts_in(self, scope: Scope) -> bool:
        at = self.born_in
        while at is not None and at is not scope:
            at = at.outer_at_birth
        return at is scope


@dataclass(eq=False)
class Handle:
    storage: Storage
    counters: Counters
    scope: Scope | None = None
    is_disposed: bool = False


class Model:
    """One thread's scopes, and what all threads have made."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.handles: list[Handle] = []
        self.storages: list[Storage] = []
        self.mine = Counters()

    @property
    def current(self) -> Scope | None:
        return next((scope for scope in reversed(self.scopes) if scope.is_open), None)

    @property
    def bytes(self) -> int:
        return sum(storage.bytes for storage in self.storages)

    @property
    def live(self) -> list[Handle]:
        return [handle for handle in self.handles if not handle.is_disposed]

    def bytes_in(self, scope: Scope) -> int:
        if not scope.is_open:
            return scope.bytes_at_close
        return sum(storage.bytes for storage in self.storages if storage.counts_in(scope))

    def would_cross_a_limit(self, count: int) -> bool:
        scope = self.current
        while scope is not None:
            if scope.limit is not None and self.bytes_in(scope) + count > scope.limit:
                return True
            scope = scope.outer
        return False

    def storage(self, count: int, scope: Scope | None) -> Storage:
        storage = Storage(count, scope)
        self.storages.append(storage)
        return storage

    def make(self, storage: Storage, scope: Scope | None, counters: Counters) -> Handle:
        handle = Handle(storage, counters)
        storage.shares += 1
        counters.thread_total_live_count += 1
        if scope is None:
            counters.created_outside_scope_count += 1
        else:
            counters.created_in_scope_count += 1
            self._adopt(scope, handle)
        self.handles.append(handle)
        return handle

    def drop_share(self, storage: Storage) -> None:
        storage.shares -= 1
        if storage.shares == 0:
            self.storages.remove(storage)

    def end(self, handle: Handle) -> None:
        """Dispose or finalize: the books do not tell them apart."""
        if handle.is_disposed:
            return
        handle.is_disposed = True
        handle.counters.thread_total_live_count -= 1
        if handle.scope is None:
            handle.counters.disposed_outside_scope_count += 1
        else:
            handle.counters.disposed_in_scope_count += 1
            self._let_go(handle)
        self.drop_share(handle.storage)

    def forget(self, handle: Handle) -> None:
        self.end(handle)
        self.handles.remove(handle)

    def open(self, limit: int | None) -> Scope:
        scope = Scope(f"scope {len(self.scopes)}", self.current, limit)
        self.scopes.append(scope)
        return scope

    def close(self, scope: Scope) -> None:
        if not scope.is_open:
            return
        self.end_all(scope, keep=[])
        scope.bytes_at_close = self.bytes_in(scope)
        scope.is_open = False

    def end_all(self, scope: Scope, keep: list[Handle]) -> None:
        for handle in [handle for handle in scope.members if handle not in keep]:
            self.end(handle)

    def attach(self, scope: Scope, handle: Handle) -> None:
        if handle.is_disposed or handle.scope is scope:
            return
        if handle.scope is None:
            handle.counters.attached_to_scope_count += 1
        else:
            self._let_go(handle)
        self._adopt(scope, handle)

    def detach(self, scope: Scope | None, handle: Handle) -> None:
        if scope is None or handle.scope is not scope:
            return
        handle.counters.detached_from_scope_count += 1
        self._let_go(handle)

    def move(self, scope: Scope | None, target: Scope | None, handle: Handle) -> None:
        if scope is None or handle.scope is not scope:
            return
        if target is None:
            self.detach(scope, handle)
        elif target is not scope:
            self.attach(target, handle)

    @staticmethod
    def _adopt(scope: Scope, handle: Handle) -> None:
        scope.members.append(handle)
        handle.scope = scope

    @staticmethod
    def _let_go(handle: Handle) -> None:
        assert handle.scope is not None
        handle.scope.members.remove(handle)
        handle.scope = None
