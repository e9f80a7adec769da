"""PyTorch's tensors as evidence: what its public parts tell, and where they leave a gap.

PyTorch has no registry. Births are noted while somebody watches (`_torch_births.py`), graphs are
walked (`_torch_graphs.py`), storages are told apart by their address. PyTorch itself is imported by
the program that uses it, never by us.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from weakref import ref

from garboard._engine import _GraphTable
from garboard.leaks.evidence._evidence import Evidence, others
from garboard.leaks.evidence._rows import (
    Births,
    Carried,
    Node,
    Since,
    Storage,
    Survivor,
    Unheld,
)
from garboard.leaks.evidence._torch_births import Birth, Recorder
from garboard.leaks.evidence._torch_graphs import contexts, serial_of, walked
from garboard.leaks.evidence._torch_itself import torch

__all__ = ["EVIDENCE"]

_NOTES = (
    "PyTorch: lines of birth are known of tensors that the watch's own thread has made",
    "PyTorch: a graph's figures are of the nodes that living tensors lead to",
)


class _Torch:
    """What lives of PyTorch; see `Evidence` for what is promised."""

    def __init__(self) -> None:
        self._recorder = Recorder()
        self._tells_owners = _tells_owners()

    @property
    def notes(self) -> Sequence[str]:
        if self._tells_owners:
            return _NOTES
        return (*_NOTES, "PyTorch: this version does not tell what only graphs hold")

    def open(self) -> None:
        self._recorder.open()

    def close(self) -> None:
        self._recorder.close()

    def now(self) -> Since:
        self._recorder.scan()
        serial = self._recorder.next_serial  # storages have those of their tensors
        return Since(serial, serial, torch._C._autograd._get_sequence_nr() + 1)

    def advance_step(self) -> int:
        return self._recorder.advance()

    # What lives

    def births(self, since: Since, first: int, last: int) -> Iterator[Births]:
        found: dict[tuple[str, int, int], int] = {}
        with torch._C.DisableTorchFunction():
            self._recorder.scan()
            owned = self._owned(since.alias)
            for birth in list(self._recorder.births.values()):
                if birth.serial >= since.alias and first <= birth.step <= last:
                    is_held = self._is_held(birth)
                    if is_held is None or birth.key in owned:
                        continue
                    key = ("tensor" if is_held else "storage", birth.site, birth.step)
                    found[key] = found.get(key, 0) + 1
        for node in self.nodes(since.node):
            if first <= node.step <= last:
                key = ("node", node.site, node.step)
                found[key] = found.get(key, 0) + 1
        for (what, site, step), number in found.items():
            yield Births(what, site, step, number)

    def survivors(
        self,
        since: int = 0,
        serials: Sequence[int] | None = None,
        storages: Sequence[int] | None = None,
        most: int = 0,
    ) -> Iterator[Survivor]:
        found = []
        with torch._C.DisableTorchFunction():
            self._recorder.scan()
            owned, asked = self._owned(since), set(storages) if storages is not None else None
            named = set(serials) if serials is not None else None
            for birth in list(self._recorder.births.values()):
                if birth.serial < since or birth.key in owned or not self._is_held(birth):
                    continue
                if named is not None and birth.serial not in named:
                    continue
                row = _row(birth)
                if row is None:
                    continue
                if asked is None or row.storage in asked:
                    found.append(row)
        return iter(found)

    def nodes(self, since: int) -> Iterator[Node]:
        heads, sites = [], {}
        with torch._C.DisableTorchFunction():
            for birth in list(self._recorder.births.values()):
                tensor = birth() if self._is_held(birth) else None
                if tensor is not None and tensor.grad_fn is not None:
                    heads.append(tensor.grad_fn)
                    serial, (site, number) = serial_of(tensor.grad_fn), birth.node
                    sites[serial] = site if site and number + 1 == serial else birth.site
            found = walked(heads, since, sites, self._recorder.walked)
        for row in found:
            row.step = self._recorder.step_of_node(row.step)
        return iter(found)

    def unheld(self, since: int) -> Iterator[Unheld]:
        """Yield storages that no tensor of Python's has, of tensors born since a serial."""
        found: dict[int, Unheld] = {}
        with torch._C.DisableTorchFunction():
            self._recorder.scan()
            owned = self._owned(0)
            held = set()
            for birth in list(self._recorder.births.values()):
                is_held = self._is_held(birth)  # before this, too, refers to it
                tensor = birth()
                if tensor is None:
                    continue
                storage = _storage(tensor)
                if is_held or birth.key in owned:
                    held.add(storage)
                elif storage not in found and birth.serial >= since:
                    nbytes = tensor.untyped_storage().nbytes()
                    found[storage] = Unheld(storage, birth.site, birth.step, nbytes)
        return iter([row for storage, row in found.items() if storage not in held])

    def graphs(self, since: Since) -> _GraphTable:
        nodes = sorted(self.nodes(since.node), key=lambda it: it.serial)
        heads = [(it.serial, it.node) for it in self.survivors() if it.node]
        unheld = [(it.serial, it.site, it.step, it.nbytes) for it in self.unheld(since.storage)]
        return _GraphTable([it.as_told() for it in nodes], heads, unheld)

    def storages(self, since: int = 0) -> Iterator[Storage]:
        found: dict[int, Storage] = {}
        with torch._C.DisableTorchFunction():
            exported = _exported()
            for birth in list(self._recorder.births.values()):
                tensor: Any = birth()
                storage = _storage(tensor) if tensor is not None else 0
                if storage:
                    nbytes = tensor.untyped_storage().nbytes()
                    found[storage] = Storage(storage, nbytes, storage in exported)
        return iter(list(found.values()))

    def serials(self, since: int = 0) -> Sequence[int]:
        alive = list(self._recorder.births.values())
        return [it.serial for it in alive if it.serial >= since and it() is not None]

    def count(self, since: int) -> int:
        return len(self.serials(since))

    def carriers(self, graphs: _GraphTable) -> Carried:
        # Optimizers and nodes are objects of Python's there, and lead to their tensors.
        return Carried([], [], [])

    def hooks(self) -> list[tuple[object, dict[int, tuple[int, int]]]]:
        return self._recorder.hooks()

    def held_by_graphs(self) -> list[object]:
        with torch._C.DisableTorchFunction():
            alive = [it() for it in list(self._recorder.births.values())]
            return contexts(it.grad_fn for it in alive if it is not None)

    def native_cycles(self, found: Sequence[int]) -> dict[int, int]:
        asked, cycles = set(found), {}
        passes: dict[int, int] = {}  # steps whose pass has closed a cycle that Python let go of
        with torch._C.DisableTorchFunction():
            alive = [(it, it()) for it in list(self._recorder.births.values())]
            for birth, tensor in alive:
                if tensor is None or not (tensor.requires_grad and tensor.is_leaf):
                    continue
                grad = tensor.grad
                if grad is None or grad.grad_fn is None:
                    continue
                closed = self._recorder.births.get(id(grad), birth)
                if (storage := _storage(tensor)) in asked:
                    cycles[storage] = closed.site
                if sys.getrefcount(tensor) - int(tensor._use_count() > 1) <= _HERE + 1:  # `alive`
                    passes[closed.step] = closed.site
            for birth, tensor in alive:  # what the pass made lives by the same cycle
                storage = _storage(tensor) if birth.step in passes and tensor is not None else 0
                if storage in asked:
                    cycles.setdefault(storage, passes[birth.step])
        return cycles

    # Figures

    def live_counts(self) -> tuple[int, int, int, int]:
        rows = list(self.survivors())
        storages = {it.storage for it in rows}
        nodes = sum(1 for _ in self.nodes(0))
        return len(rows), len(storages), nodes, self._recorder.size()

    def live_sites(self) -> Iterator[tuple[int, int, int]]:
        seen: set[int] = set()
        for row in self.survivors():
            nbytes = 0
            if row.storage not in seen:
                seen.add(row.storage)
                nbytes = row.tensor.untyped_storage().nbytes()
            yield row.site, 1, nbytes

    def live_bytes(self) -> Mapping[str, int]:
        found = {"cpu": self._recorder.size()}
        if torch.cuda.is_initialized():
            for i in range(torch.cuda.device_count()):
                found[f"cuda:{i}"] = torch.cuda.memory_allocated(i)
        return found

    def total_bytes(self) -> int:
        return sum(self.live_bytes().values())

    def memory_limit(self, device: str) -> int | None:
        if device == "cpu":
            return None
        return int(torch.cuda.get_device_properties(device).total_memory)

    # Single tensors

    def birth(self, tensor: Any) -> tuple[int, int]:
        found = self._recorder.births.get(id(tensor))
        return (found.serial, found.site) if found is not None else (0, 0)

    def type_of(self, tensor: Any) -> tuple[str, tuple[int, ...]]:
        with torch._C.DisableTorchFunction():
            return str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape)

    def speaks_of(self, thing: Any) -> bool:
        return type.__subclasscheck__(torch.Tensor, type(thing))

    def parameters(self) -> list[Any]:
        alive = (it() for it in list(self._recorder.births.values()))
        parameter = torch.nn.Parameter
        return [it for it in alive if type.__subclasscheck__(parameter, type(it))]

    # Who owns it

    def _is_held(self, birth: Birth) -> bool | None:
        """Tell whether Python refers to a tensor; None where it has died."""
        counts = _references(birth)
        if counts is None:
            return None
        return not self._tells_owners or counts > 0

    def _owned(self, since: int) -> set[int]:
        """The ids of gradients, and of the state of optimizers older than a serial."""
        found: set[int] = set()
        for birth in list(self._recorder.births.values()):
            tensor = birth()
            if tensor is not None and tensor.requires_grad and tensor.is_leaf:
                found.add(id(tensor.grad))
        for optimizer in self._recorder.optimizers(since):
            for state in list(optimizer.state.values()):
                found.update(map(id, state.values() if isinstance(state, dict) else ()))
        return found


_HERE = 2  # references that `_references` has itself: a variable, and the argument


def _references(birth: Any) -> int | None:
    """Count the references of Python to a tensor; the one by which C++ keeps it is none."""
    tensor = birth()
    if tensor is None:
        return None
    return sys.getrefcount(tensor) - _HERE - int(tensor._use_count() > 1)


def _tells_owners() -> bool:
    """Tell whether these versions of PyTorch and Python count references as `_references` says."""
    with torch._C.DisableTorchFunction(), torch.enable_grad():
        w = torch.ones(1, requires_grad=True)
        held = w * 2
        kept = held * held
        weak = ref(held)
        before = _references(weak)
        del held
        after = _references(weak)
        del kept
        return (before, after, _references(ref(w))) == (1, 0, 1)


def _row(birth: Birth) -> Survivor | None:
    tensor = birth()
    if tensor is None:
        return None
    requires_grad = bool(tensor.requires_grad)
    node = tensor.grad_fn if requires_grad else None
    return Survivor(
        tensor=tensor,
        serial=birth.serial,
        site=birth.site,
        step=birth.step,
        what="tensor",
        scope=None,
        shape=tuple(tensor.shape),
        dtype=str(tensor.dtype).removeprefix("torch."),
        device=str(tensor.device),
        nbytes=tensor.numel() * tensor.element_size(),
        requires_grad=requires_grad,
        is_view=bool(tensor._is_view()),
        storage=_storage(tensor),
        node=serial_of(node) if node is not None else 0,
    )


def _storage(tensor: Any) -> int:
    """Return the address of a tensor's memory; 0 where it has none of its own."""
    try:
        return int(tensor.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):
        return 0


def _exported() -> set[int]:
    """Return the addresses of the memory that NumPy's arrays have from tensors."""
    array: Any = getattr(sys.modules.get("numpy"), "ndarray", None)
    if array is None:
        return set()
    found = set()
    for thing in gc.get_referents(*gc.get_objects()):
        while type.__subclasscheck__(array, type(thing)):
            thing = thing.base
            if type.__subclasscheck__(torch.Tensor, type(thing)):
                found.add(_storage(thing))
    return found


EVIDENCE: Evidence = _Torch()
others.append(EVIDENCE)
