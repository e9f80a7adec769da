"""How processes would share a tensor, or a layer: what programs write down, with or without them.

Models come with a plan of which layer is cut along which dim. It can be made and read; what would
follow it is refused, for there is one process a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = [
    "CPUOffloadPolicy",
    "ColwiseParallel",
    "DTensorSpec",
    "OffloadPolicy",
    "ParallelStyle",
    "Partial",
    "Placement",
    "Replicate",
    "RowwiseParallel",
    "SequenceParallel",
    "Shard",
    "TensorMeta",
]


class Placement:
    """Where the elements of a tensor would be.

    >>> from garboard.utils._placements import Placement, Shard
    >>> isinstance(Shard(0), Placement)
    True
    """

    def is_shard(self, dim: int | None = None) -> bool:
        """Return whether each process would have a part, along `dim` if it is given.

        Args:
            dim: A dim; None for any.

        >>> from garboard.utils._placements import Shard
        >>> Shard(1).is_shard(0)
        False
        """
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Return whether each process would have all of it.

        >>> from garboard.utils._placements import Replicate
        >>> Replicate().is_replicate()
        True
        """
        return isinstance(self, Replicate)

    def is_partial(self) -> bool:
        """Return whether it would be what comes of the parts of all.

        >>> from garboard.utils._placements import Partial
        >>> Partial().is_partial()
        True
        """
        return isinstance(self, Partial)


@dataclass(frozen=True)
class Shard(Placement):
    """A part in each process, along a dim.

    >>> from garboard.utils._placements import Shard
    >>> Shard(0)
    Shard(dim=0)
    """

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """All of it in each process.

    >>> from garboard.utils._placements import Replicate
    >>> Replicate() == Replicate()
    True
    """


@dataclass(frozen=True)
class Partial(Placement):
    """What comes of the parts of all processes.

    >>> from garboard.utils._placements import Partial
    >>> Partial().reduce_op
    'sum'
    """

    reduce_op: str = "sum"


class TensorMeta(NamedTuple):
    """Sizes, strides and dtype of a whole tensor."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: Any


@dataclass
class DTensorSpec:
    """Which devices would share a tensor, and how."""

    mesh: Any
    placements: tuple[Placement, ...]
    tensor_meta: TensorMeta | None = None


class ParallelStyle:
    """How a layer would be cut."""


@dataclass(kw_only=True)
class _Cut(ParallelStyle):
    input_layouts: Any = None
    output_layouts: Any = None
    use_local_output: bool = True


class ColwiseParallel(_Cut):
    """A layer cut along what it gives.

    >>> from garboard.utils._placements import ColwiseParallel
    >>> ColwiseParallel().use_local_output
    True
    """


class RowwiseParallel(_Cut):
    """A layer cut along what it is given.

    >>> from garboard.utils._placements import Replicate, RowwiseParallel
    >>> replicate = Replicate()
    >>> RowwiseParallel(input_layouts=replicate).input_layouts
    Replicate()
    """


@dataclass(kw_only=True)
class SequenceParallel(ParallelStyle):
    """A layer whose inputs are cut along their sequence.

    >>> from garboard.utils._placements import SequenceParallel
    >>> SequenceParallel().sequence_dim
    1
    """

    sequence_dim: int = 1
    use_local_output: bool = False


@dataclass(frozen=True)
class OffloadPolicy:
    """Where parameters would wait: on their device."""


@dataclass(frozen=True)
class CPUOffloadPolicy(OffloadPolicy):
    """Where parameters would wait: on the CPU.

    >>> from garboard.utils._placements import CPUOffloadPolicy
    >>> CPUOffloadPolicy().pin_memory
    True
    """

    pin_memory: bool = True
