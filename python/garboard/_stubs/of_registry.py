"""The part of the stub about the registry: rows of what lives, and tables of graphs.

`int`, `float` and `bool` are the builtins here, as in `_stubs/by_hand.py`.
"""

__all__ = ["REGISTRY"]

REGISTRY = """\
def _live_bytes() -> int: ...

class _Alias(TypedDict):
    tensor: Tensor
    serial: int
    site: int
    step: int
    thread: int
    owner: str
    scope: DisposeScope | None
    shape: tuple[int, ...]
    dtype: str
    device: str
    nbytes: int
    requires_grad: bool
    storage: int
    node: int
    is_view: bool
    weight: int
    moved_at: int

class _Storage(TypedDict):
    serial: int
    site: int
    step: int
    thread: int
    bytes: int
    device: str
    is_foreign: bool
    exports: int

class _Node(TypedDict):
    serial: int
    site: int
    step: int
    thread: int
    name: str
    is_released: bool
    was_retained: bool
    was_walked: bool
    next: list[int]
    saved_storages: list[int]
    leaf_storages: list[int]
    saved_bytes: int

class _Chain(TypedDict):
    head: int
    node: int
    site: int
    name: str
    count: int
    saved_bytes: int
    was_walked: bool
    is_retained: bool
    steps: dict[int, int]
    link: frozenset[str]

def _aliases(
    since: int = 0,
    serials: Sequence[int] | None = None,
    storages: Sequence[int] | None = None,
    most: int = 0,
) -> list[_Alias]: ...
def _alias_count(since: int = 0) -> int: ...
def _alias_serials(since: int = 0) -> list[int]: ...
def _tensors_of_class(kind: type) -> list[Any]: ...
def _storages(since: int = 0, among: Sequence[int] | None = None) -> list[_Storage]: ...
def _nodes(since: int = 0) -> list[_Node]: ...
def _storage_keepers(tensor: Tensor) -> tuple[list[tuple[str, int, int]], int]: ...
def _next_serials() -> tuple[int, int, int]: ...
def _cohorts(
    alias_since: int, storage_since: int, node_since: int, first_step: int, last_step: int
) -> tuple[list[tuple[int, int, int, int]], ...]: ...

class _GraphTable:
    def __init__(
        self,
        nodes: Sequence[tuple[Any, ...]],
        heads: Sequence[tuple[int, int]],
        unheld: Sequence[tuple[int, int, int, int]],
    ) -> None: ...
    def __len__(self) -> int: ...
    def steps(self) -> set[int]: ...
    def set_steps(self, numbers: dict[int, int]) -> None: ...
    def chains(self, least_steps: int, before: int) -> list[_Chain]: ...
    def behind(self, nodes: Sequence[int]) -> tuple[int, int, int, _bool, set[str]]: ...
    def saved_among(self, storages: Sequence[int]) -> list[int]: ...
    def headless(self, nodes: Sequence[int]) -> list[tuple[int, int, int, int]]: ...
    def unheld(self) -> list[int]: ...
    def unheld_among(self, storages: Sequence[int]) -> list[tuple[int, int, int, int]]: ...
    def unexplained(
        self, carried_nodes: Sequence[int], carried_storages: Sequence[int]
    ) -> tuple[list[int], list[int]]: ...
    def count_nodes(self, nodes: Sequence[int]) -> list[tuple[int, int, int, int]]: ...
    def count_unheld(self, storages: Sequence[int]) -> list[tuple[int, int, int, int]]: ...

def _living_graphs(node_since: int, storage_since: int) -> _GraphTable: ...
@overload
def _live_groups(group: Literal["site"]) -> list[tuple[int, int, int]]: ...
@overload
def _live_groups(group: Literal["owner", "scope", "shape"]) -> list[tuple[str, int, int]]: ...
"""
