"""Which keys each query attends to, as a function, and block by block."""
# ruff: noqa: N803, its arguments have PyTorch's names

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._engine import ShapeError, Tensor

if TYPE_CHECKING:
    from garboard.types import Device

__all__ = ["BlockMask", "and_masks", "create_block_mask", "create_mask", "noop_mask", "or_masks"]

MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
"""What `mask_mod(b, h, q_idx, kv_idx)` is: True where a query attends to a key."""

Sizes = tuple[int, int, int, int]
"""Batches, heads, queries and keys."""

_DEFAULT_SPARSE_BLOCK_SIZE = 128  # by the name under which programs import it


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Let every query attend to every key: a 0-d tensor that is True.

    Args:
        batch: Ignored, as are the three others.
        head: See `batch`.
        token_q: See `batch`.
        token_kv: See `batch`.

    Returns:
        A new 0-d tensor of bool.

    >>> one = gb.tensor(0)
    >>> gb.nn.attention.flex_attention.noop_mask(one, one, one, one)
    tensor(True)
    """
    device = check.tensor("noop_mask", "batch", batch).device
    return _engine.ones((), dtype=_engine.bool, device=device)


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """Return the function of a mask that is True where all of `mask_mods` are.

    Raises:
        TypeError: One of them cannot be called.

    >>> from garboard.nn.attention.flex_attention import and_masks, create_mask
    >>> near = and_masks(lambda b, h, q, k: q >= k, lambda b, h, q, k: q - k < 2)
    >>> create_mask(near, None, None, 3, 3)[0, 0].int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [0, 1, 1]], dtype=garboard.int32)
    """
    _check_functions("and_masks", mask_mods)

    def all_of(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        found = noop_mask(b, h, q_idx, kv_idx)
        for mask_mod in mask_mods:
            found = found & mask_mod(b, h, q_idx, kv_idx)
        return found

    return all_of


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """Return the function of a mask that is True where one of `mask_mods` is.

    Raises:
        TypeError: One of them cannot be called.

    >>> from garboard.nn.attention.flex_attention import create_mask, or_masks
    >>> either = or_masks(lambda b, h, q, k: q == k, lambda b, h, q, k: k == 0)
    >>> create_mask(either, None, None, 2, 3)[0, 0].int()
    tensor([[1, 0, 0],
            [1, 1, 0]], dtype=garboard.int32)
    """
    _check_functions("or_masks", mask_mods)

    def any_of(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        found = ~noop_mask(b, h, q_idx, kv_idx)
        for mask_mod in mask_mods:
            found = found | mask_mod(b, h, q_idx, kv_idx)
        return found

    return any_of


def _check_functions(op: str, mask_mods: tuple[Any, ...]) -> None:
    for mask_mod in mask_mods:
        if not callable(mask_mod):
            raise TypeError(
                f"{op}: a mask of type {type(mask_mod).__name__}; a function of b, h, q_idx and "
                "kv_idx is needed"
            )


def positions(sizes: Sizes, device: Any) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Number all places of [b, h, q, k], each axis in a tensor that broadcasts with the others."""
    made = []
    for dim, count in enumerate(sizes):
        shape = [1, 1, 1, 1]
        shape[dim] = count
        made.append(_engine.arange(count, device=device).reshape(shape))
    return made[0], made[1], made[2], made[3]


def broadcast(op: str, given: Any, sizes: Sizes) -> Tensor:
    """Check what a function of the program's gave for all places at once."""
    shape = list(given.shape) if isinstance(given, Tensor) else [-1]
    if len(shape) > 4 or any(
        n not in (1, m) for n, m in zip(shape[::-1], sizes[::-1], strict=False)
    ):
        told = f"a tensor {shape}" if isinstance(given, Tensor) else type(given).__name__
        raise ShapeError(
            f"{op} gave {told}; one value for each place of {list(sizes)} is needed: it"
            " is called once, with positions along each axis that broadcast"
        )
    found: Tensor = given
    return found


def asked(op: str, mask_mod: MaskMod, sizes: Sizes, device: Any) -> Tensor:
    """Return what a mask's function says of all places, in sizes that broadcast to them."""
    given = mask_mod(*positions(sizes, device))
    if isinstance(given, bool):
        given = _engine.full((), given, dtype=_engine.bool, device=device)
    found = broadcast(f"{op}: mask_mod", given, sizes)
    return found if found.dtype == _engine.bool else found != 0


def create_mask(
    mod_fn: Callable[..., Tensor],
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Device | None = None,
) -> Tensor:
    """Return what a mask's or a score's function says, as a tensor [B, H, Q_LEN, KV_LEN].

    Args:
        mod_fn: `mask_mod(b, h, q_idx, kv_idx)`, or `score_mod(score, b, h, q_idx, kv_idx)`, which
            is asked what it makes of zeros. It is called once, with tensors of positions that
            broadcast.
        B: Batches; None for one that stands for all.
        H: Heads, likewise.
        Q_LEN: Queries.
        KV_LEN: Keys.
        device: Where it is made; the CPU by default.

    Raises:
        ShapeError: The function gives no value for each place.
        TypeError: No function, or a size that is no integer.
        ValueError: A negative size.

    >>> from garboard.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q_idx, kv_idx: q_idx >= kv_idx, None, None, 2, 2).shape
    (1, 1, 2, 2)
    """
    op = "create_mask"
    _check_functions(op, (mod_fn,))
    sizes = _sizes(op, B, H, Q_LEN, KV_LEN)
    if _takes_scores(mod_fn):
        zeros = _engine.zeros(*sizes, device=device)
        given = mod_fn(zeros, *positions(sizes, device))
        return broadcast(f"{op}: score_mod", given, sizes).expand(*sizes).clone()
    return asked(op, mod_fn, sizes, device).expand(*sizes).clone()


def _takes_scores(mod_fn: Callable[..., Tensor]) -> bool:
    from inspect import signature

    return len(signature(mod_fn).parameters) == 5


def _sizes(op: str, B: Any, H: Any, Q_LEN: Any, KV_LEN: Any) -> Sizes:
    return (
        1 if B is None else check.count(op, "B", B, 0),
        1 if H is None else check.count(op, "H", H, 0),
        check.count(op, "Q_LEN", Q_LEN, 0),
        check.count(op, "KV_LEN", KV_LEN, 0),
    )


class _Blocks(NamedTuple):
    """Blocks of keys for each block of queries."""

    counts: Tensor  # how many
    which: Tensor  # which, those first

    def dense(self) -> Tensor:
        """Return True for each that is named."""
        places = _engine.arange(self.which.shape[-1], device=self.which.device)
        named = (places < self.counts.unsqueeze(-1)).int()
        nowhere = _engine.zeros_like(self.which, dtype=_engine.int32)
        return nowhere.scatter_add_(-1, self.which.long(), named) > 0

    def each(self, change: Callable[[Tensor], Tensor]) -> _Blocks:
        return _Blocks(change(self.counts), change(self.which))


class BlockMask:
    """Which blocks of keys each block of queries attends to, and, within them, a function.

    `create_block_mask` makes one; `flex_attention` takes it. Its tensors are ordinary ones.

    Attributes:
        mask_mod: Says what is seen within the blocks that are seen in part.
        BLOCK_SIZE: Queries and keys of a block.
        seq_lengths: Queries and keys in all.

    Args:
        seq_lengths: Queries and keys in all.
        partial: The blocks that are seen in part: how many for each block of queries, and which.
        full: Those that are seen whole, likewise, or None.
        block_size: Queries and keys of a block.
        mask_mod: Says what is seen within the first.

    >>> from garboard.nn.attention.flex_attention import create_block_mask
    >>> mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256)
    >>> mask.shape, mask.sparsity()
    ((1, 1, 256, 256), 25.0)
    """

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        partial: _Blocks,
        full: _Blocks | None,
        block_size: tuple[int, int],
        mask_mod: MaskMod,
    ) -> None:
        op = "BlockMask"
        check.of_type(_Blocks, op, "partial", partial)
        if full is not None:
            check.of_type(_Blocks, op, "full", full)
        _check_functions(op, (mask_mod,))
        self.seq_lengths: tuple[int, int] = _pair(op, "seq_lengths", seq_lengths, 0)
        self.BLOCK_SIZE: tuple[int, int] = _pair(op, "BLOCK_SIZE", block_size, 1)
        self.mask_mod: MaskMod = mask_mod
        self._partial, self._full = partial, full

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: MaskMod | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:
        """Make a mask of blocks that are named one by one.

        Args:
            kv_num_blocks: int32 [B, H, blocks of queries]: of how many blocks of keys some are
                seen.
            kv_indices: int32 [B, H, blocks of queries, blocks of keys]: which, those first.
            full_kv_num_blocks: The same of blocks that are seen whole.
            full_kv_indices: Which they are; both or none.
            BLOCK_SIZE: Queries and keys of a block.
            mask_mod: What is seen within the blocks of the first kind; None for all.
            seq_lengths: Queries and keys; None for whole blocks.
            compute_q_blocks: Has no effect here.

        Returns:
            A BlockMask.

        Raises:
            ShapeError: Sizes that do not fit each other.
            TypeError: What is no tensor.
            ValueError: Only one of the two tensors of whole blocks.

        >>> counts, places = gb.ones(1, 1, 1, dtype=gb.int32), gb.zeros(1, 1, 1, 1, dtype=gb.int32)
        >>> BlockMask = gb.nn.attention.flex_attention.BlockMask
        >>> BlockMask.from_kv_blocks(counts, places, BLOCK_SIZE=4).to_dense().tolist()
        [[[[1]]]]
        """
        op = "BlockMask.from_kv_blocks"
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise ValueError(
                f"{op}: one of full_kv_num_blocks and full_kv_indices; both, or neither, are needed"
            )
        partial = _checked_blocks(op, kv_num_blocks, kv_indices)
        full = None
        if full_kv_num_blocks is not None:
            full = _checked_blocks(op, full_kv_num_blocks, full_kv_indices)
        size = _pair(op, "BLOCK_SIZE", BLOCK_SIZE, 1)
        rows, columns = partial.which.shape[-2:]
        whole = (rows * size[0], columns * size[1])
        lengths = whole if seq_lengths is None else seq_lengths
        return cls(lengths, partial, full, size, mask_mod or noop_mask)

    @property
    def kv_num_blocks(self) -> Tensor:
        """int32 [B, H, blocks of queries]: of how many blocks of keys some are seen, not all."""
        return self._partial.counts

    @property
    def kv_indices(self) -> Tensor:
        """int32 [B, H, blocks of queries, blocks of keys]: which, those first."""
        return self._partial.which

    @property
    def full_kv_num_blocks(self) -> Tensor | None:
        """The same of blocks that are seen whole; None where they are not told apart."""
        return self._full.counts if self._full else None

    @property
    def full_kv_indices(self) -> Tensor | None:
        """Which they are; or None."""
        return self._full.which if self._full else None

    @property
    def shape(self) -> tuple[int, ...]:
        """Batches, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """Return how many pairs of a query and a key there are.

        >>> of = gb.nn.attention.flex_attention
        >>> of.create_block_mask(of.noop_mask, 1, 1, 4, 6, BLOCK_SIZE=2).numel()
        24
        """
        return prod(self.shape)

    def to_dense(self) -> Tensor:
        """Return int32 [B, H, blocks of queries, blocks of keys]: 1 where some of it is seen.

        >>> of = gb.nn.attention.flex_attention
        >>> causal = lambda b, h, q, kv: q >= kv
        >>> of.create_block_mask(causal, 1, 1, 4, 4, BLOCK_SIZE=2).to_dense().tolist()
        [[[[1, 0], [1, 1]]]]
        """
        found = self._partial.dense()
        return (found | self._full.dense() if self._full else found).int()

    def sparsity(self) -> float:
        """Return the share of blocks that nobody sees, in percent."""
        dense = self.to_dense()
        return 100.0 * (1.0 - float(dense.sum().item()) / max(dense.numel(), 1))

    def _seen(self, op: str, sizes: Sizes, device: Device) -> Tensor:
        """Return what is seen of [batches, heads, queries, keys], in sizes that broadcast to it."""
        rows, columns = (
            _engine.arange(count, device=device) // size
            for count, size in zip(sizes[2:], self.BLOCK_SIZE, strict=True)
        )

        def spread(blocks: _Blocks) -> Tensor:
            return blocks.dense().index_select(-2, rows).index_select(-1, columns)

        mask = asked(op, self.mask_mod, sizes, device) & spread(self._partial)
        return mask | spread(self._full) if self._full else mask

    def to(self, device: Device) -> BlockMask:
        """Return the mask with its tensors on another device; its function stays as it is.

        >>> of = gb.nn.attention.flex_attention
        >>> mask = of.create_block_mask(of.noop_mask, 1, 1, 4, 4, BLOCK_SIZE=2)
        >>> mask.to("cpu").shape == mask.shape
        True
        """
        return self._with(lambda it: it.to(device), self.seq_lengths)

    def __getitem__(self, index: Any) -> BlockMask:
        """Return some batches, heads or blocks of queries; an integer keeps its axis."""
        keys = index if isinstance(index, tuple) else (index,)
        key = tuple(map(_keeping, keys))
        part = self._with(lambda it: it[key], self.seq_lengths)
        rows = min(part.kv_indices.shape[-2] * self.BLOCK_SIZE[0], self.seq_lengths[0])
        part.seq_lengths = (rows, self.seq_lengths[1])
        return part

    def _with(self, change: Callable[[Tensor], Tensor], lengths: tuple[int, int]) -> BlockMask:
        full = self._full.each(change) if self._full else None
        partial = self._partial.each(change)
        return BlockMask(lengths, partial, full, self.BLOCK_SIZE, self.mask_mod)

    def __repr__(self) -> str:
        return f"BlockMask(shape={tuple(self.shape)}, sparsity={self.sparsity():.2f}%)"


def _keeping(key: Any) -> Any:
    """Return an index that picks what `key` does, and keeps the axis."""
    if isinstance(key, Tensor):
        return key.reshape(-1)
    return slice(key, key + 1 or None) if isinstance(key, int) else key


def _checked_blocks(op: str, counts: Any, which: Any) -> _Blocks:
    for name, given in (("counts", counts), ("indices", which)):
        check.of_type(Tensor, op, name, given)
    if which.ndim < 2 or which.shape[:-1] != counts.shape:
        raise ShapeError(
            f"{op}: counts {list(counts.shape)} and indices {list(which.shape)}; indices of [..., "
            "blocks of queries, blocks of keys] and counts of the same without the last are needed"
        )
    return _Blocks(counts, which)


def _pair(op: str, name: str, given: Any, least: int) -> tuple[int, int]:
    """Of queries and of keys; one number stands for both."""
    both = items_of(given) if isinstance(given, (tuple, list)) else [given, given]
    if len(both) != 2:
        raise ValueError(f"{op}: {name} of {len(both)} numbers; one or two are needed")
    return check.count(op, name, both[0], least), check.count(op, name, both[1], least)


def create_block_mask(
    mask_mod: MaskMod,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Device | None = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:
    """Ask a mask's function for all places, and keep which blocks are seen in part, or whole.

    Args:
        mask_mod: `mask_mod(b, h, q_idx, kv_idx)`: True where the query attends to the key. It is
            called once, with tensors of positions that broadcast.
        B: Batches; None where it is the same for all.
        H: Heads, likewise.
        Q_LEN: Queries.
        KV_LEN: Keys.
        device: Where the mask is made; the CPU by default.
        BLOCK_SIZE: Queries and keys of a block.
        _compile: Has no effect here.
        separate_full_blocks: Tell blocks that are seen whole from the others.

    Raises:
        ShapeError: The function gives no value for each place.
        TypeError: No function, or a size that is no integer.
        ValueError: A size that cannot be.

    Returns:
        A BlockMask.

    >>> from garboard.nn.attention.flex_attention import create_block_mask
    >>> create_block_mask(lambda b, h, q, k: q >= k, None, None, 4, 4, BLOCK_SIZE=2).to_dense()
    tensor([[[[1, 0],
              [1, 1]]]], dtype=garboard.int32)
    """
    op = "create_block_mask"
    _check_functions(op, (mask_mod,))
    sizes = _sizes(op, B, H, Q_LEN, KV_LEN)
    size = _pair(op, "BLOCK_SIZE", BLOCK_SIZE, 1)
    mask = asked(op, mask_mod, sizes, device).expand(*sizes)
    counts = _counts_of_blocks(mask, size)
    full = (counts == size[0] * size[1]) & separate_full_blocks  # none that reach beyond an end
    partial = (counts > 0) & ~full
    named = _named_blocks(full) if separate_full_blocks else None
    return BlockMask((sizes[2], sizes[3]), _named_blocks(partial), named, size, mask_mod)


def _counts_of_blocks(mask: Tensor, size: tuple[int, int]) -> Tensor:
    """How many are True in each block of the last two dims; what is missing at an end is not."""
    rows, columns = (-(-n // by) for n, by in zip(mask.shape[-2:], size, strict=True))
    padded = _engine.zeros(
        *mask.shape[:-2], rows * size[0], columns * size[1], dtype=_engine.int32, device=mask.device
    )
    padded[..., : mask.shape[-2], : mask.shape[-1]] = mask
    return padded.reshape(*mask.shape[:-2], rows, size[0], columns, size[1]).sum((-3, -1))


def _named_blocks(there: Tensor) -> _Blocks:
    which = there.int().argsort(dim=-1, descending=True, stable=True)
    return _Blocks(there.sum(-1).int(), which.int())
