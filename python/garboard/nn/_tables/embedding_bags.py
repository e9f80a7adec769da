"""Bags of rows of a learned table, each made one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from garboard._arguments import check
from garboard._arguments.texts import settings, shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor, empty
from garboard.nn import functional, init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["EmbeddingBag"]

_Mode = Literal["sum", "mean", "max"]


class EmbeddingBag(Module):
    """Make one row of the rows of a learned table that are in a bag.

    What it computes is told by `nn.functional.embedding_bag`. `layer.weight`, [num_embeddings,
    embedding_dim], starts as standard normal numbers; the row of `padding_idx` starts as zeros,
    counts nowhere and gets no gradient.

    Args:
        num_embeddings: How many rows.
        embedding_dim: Their width.
        max_norm: Rows that are looked up and longer than this are shortened, in the table.
        norm_type: By which norm they are measured.
        scale_grad_by_freq: Divide a row's gradient by how often it was looked up.
        mode: What is made of the rows of a bag: "sum", "mean" or "max".
        sparse: Ignored: gradients are dense, and the numbers the same.
        _weight: A table to begin with, over the same memory.
        include_last_offset: The last offset begins no bag: it says where the last one ends.
        padding_idx: A row that counts nowhere; negative ones count from the end.
        device: Where the table lies, the CPU by default.
        dtype: Its dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, sizes that do not fit.
        IndexOutOfRangeError: `padding_idx` is no row; when called, a number or an offset lies
            outside.
        ValueError: Another mode, or a negative `max_norm` or `norm_type`; when called, `sparse`
            with the mode "max".
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.EmbeddingBag(10, 3, mode="sum")
    >>> layer(gb.tensor([1, 2, 4, 5, 4]), gb.tensor([0, 2])).shape
    (2, 3)
    """

    padding_idx: int | None

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: _Mode = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        name = "EmbeddingBag"
        if max_norm is not None:
            check.rate(name, "max_norm", max_norm)
        self.num_embeddings: int = check.size(name, "num_embeddings", num_embeddings)
        self.embedding_dim: int = check.size(name, "embedding_dim", embedding_dim)
        self.max_norm: float | None = max_norm
        self.norm_type: float = check.rate(name, "norm_type", norm_type)
        self.scale_grad_by_freq: bool = check.flag(name, "scale_grad_by_freq", scale_grad_by_freq)
        self.mode: _Mode = check.choice(name, "mode", mode, "sum", "mean", "max")
        self.sparse: bool = check.flag(name, "sparse", sparse)
        self.include_last_offset: bool = check.flag(
            name, "include_last_offset", include_last_offset
        )
        row = check.dim(name, "padding_idx", padding_idx)
        if row is not None and not -self.num_embeddings <= row < self.num_embeddings:
            raise IndexOutOfRangeError(
                f"{name}: padding_idx {shown(row)} of {self.num_embeddings} rows; a row's number "
                "is needed"
            )
        self.padding_idx = None if row is None else row % self.num_embeddings
        sizes = self.num_embeddings, self.embedding_dim
        if _weight is not None:
            if check.tensor(name, "_weight", _weight).shape != sizes:
                raise ShapeError(f"{name}: _weight of sizes {_weight.shape}; {sizes} are needed")
            self.weight: Parameter = Parameter(_weight.detach())
        else:
            self.weight = Parameter(empty(*sizes, dtype=dtype, device=device))
            self.reset_parameters()

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: _Mode = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:
        """Make a layer whose table is `embeddings`, over the same memory.

        Args:
            embeddings: Tensor [num_embeddings, embedding_dim].
            freeze: Learn nothing: the table requires no gradient.
            max_norm: As for the layer.
            norm_type: As for the layer.
            scale_grad_by_freq: As for the layer.
            mode: As for the layer.
            sparse: As for the layer.
            include_last_offset: As for the layer.
            padding_idx: As for the layer; its row stays what it is.

        Returns:
            A new layer.

        Raises:
            ShapeError: `embeddings` does not have two dims.
            TypeError: `embeddings` is no Tensor.

        >>> table = gb.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> gb.nn.EmbeddingBag.from_pretrained(table)(gb.tensor([[0, 1]]))
        tensor([[2., 3.]])
        """
        op = "EmbeddingBag.from_pretrained"
        if check.tensor(op, "embeddings", embeddings).ndim != 2:
            raise ShapeError(f"{op}: embeddings of sizes {embeddings.shape}; 2 dims are needed")
        learns = not check.flag(op, "freeze", freeze)
        rows, width = embeddings.shape
        layer = cls(
            rows,
            width,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            _weight=embeddings,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        layer.weight.requires_grad_(learns)
        return layer

    def reset_parameters(self) -> None:
        """Draw the table anew.

        >>> layer = gb.nn.EmbeddingBag(4, 2, padding_idx=0)
        >>> layer.reset_parameters()
        >>> layer.weight[0].tolist()
        [0.0, 0.0]
        """
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx] = 0.0

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    if TYPE_CHECKING:

        def __call__(
            self,
            input: Tensor,
            offsets: Tensor | None = None,
            per_sample_weights: Tensor | None = None,
        ) -> Tensor: ...

    def extra_repr(self) -> str:
        optional: dict[str, Any] = {}
        if self.max_norm is not None:
            optional["max_norm"] = self.max_norm
        if self.norm_type != 2:
            optional["norm_type"] = self.norm_type
        if self.scale_grad_by_freq:
            optional["scale_grad_by_freq"] = True
        optional["mode"] = self.mode
        if self.padding_idx is not None:
            optional["padding_idx"] = self.padding_idx
        return f"{self.num_embeddings}, {self.embedding_dim}, {settings(**optional)}"
