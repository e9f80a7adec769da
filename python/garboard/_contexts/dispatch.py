"""Keys of PyTorch's dispatcher, by which libraries made for it say what their code leaves out.

There is no dispatcher here: of the keys only those of autocast mean a thing, that no op in a block
chooses its dtype.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from enum import Enum

from garboard._arguments import check
from garboard._contexts.autocast import autocast, is_autocast_enabled
from garboard._contexts.blocks import block

__all__ = ["DispatchKey", "DispatchKeySet", "_ExcludeDispatchKeyGuard"]

_DEVICES = ["CPU", "CUDA", "Meta", "XPU", "MPS", "HPU", "IPU", "MTIA", "XLA", "PrivateUse1"]
_KEYS = [
    "Undefined",
    "BackendSelect",
    "Functionalize",
    "Python",
    "ADInplaceOrView",
    "Autograd",
    "Tracer",
]
_KEYS += ["FuncTorchBatched", "FuncTorchVmapMode", "FuncTorchGradWrapper", "PythonTLSSnapshot"]
_KEYS += [before + it for before in ("", "Sparse", "Quantized", "Autograd") for it in _DEVICES]
_KEYS += [f"Autocast{it}" for it in _DEVICES if it != "Meta"]
_KEYS += [f"Composite{it}" for it in ("ExplicitAutograd", "ImplicitAutograd")]

DispatchKey = Enum("DispatchKey", _KEYS)  # type: ignore[misc]  # its names are data
DispatchKey.__doc__ = "Of what PyTorch's dispatcher would choose by."


class DispatchKeySet:
    """Some keys.

    Args:
        keys: One, or several of them.

    Raises:
        TypeError: Something else than a key.

    >>> from garboard._C import DispatchKey, DispatchKeySet
    >>> both = DispatchKeySet(DispatchKey["CPU"]) | DispatchKeySet(DispatchKey["AutocastCPU"])
    >>> both.has(DispatchKey["AutocastCPU"]), both.has(DispatchKey["CUDA"])
    (True, False)
    """

    def __init__(self, keys: DispatchKey | Iterable[DispatchKey]) -> None:
        given = keys if isinstance(keys, Iterable) else [keys]
        self._keys = frozenset(
            check.of_type(DispatchKey, "DispatchKeySet", "keys", it) for it in given
        )

    def has(self, key: DispatchKey) -> bool:
        """Return whether `key` is one of them."""
        return key in self._keys

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys | other._keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys & other._keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(self._keys - other._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self) -> int:
        return hash(self._keys)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(sorted(it.name for it in self._keys))})"


@block
def _ExcludeDispatchKeyGuard(keys: DispatchKeySet) -> Iterator[None]:  # noqa: N802
    """Open a block without what `keys` say: where autocast is one, ops keep their dtypes.

    Args:
        keys: What is left out.

    Raises:
        TypeError: Something else than keys.

    >>> from garboard._C import DispatchKey, DispatchKeySet, _ExcludeDispatchKeyGuard
    >>> layer, x = gb.nn.Linear(4, 2), gb.ones(1, 4)
    >>> lowering = DispatchKeySet(DispatchKey["AutocastCPU"])
    >>> with gb.autocast("cpu"), _ExcludeDispatchKeyGuard(lowering):
    ...     layer(x).dtype
    garboard.float32
    """
    left_out = check.of_type(DispatchKeySet, "_ExcludeDispatchKeyGuard", "keys", keys)
    on_cpu = left_out.has(DispatchKey["AutocastCPU"]) and is_autocast_enabled("cpu")
    on_cuda = left_out.has(DispatchKey["AutocastCUDA"]) and is_autocast_enabled("cuda")
    with ExitStack() as open_blocks:
        for device, is_left in (("cpu", on_cpu), ("cuda", on_cuda)):
            if is_left:
                open_blocks.enter_context(autocast(device, enabled=False))
        yield
