"""Tables of learned vectors, looked up by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from garboard._arguments import check
from garboard._arguments.texts import settings, shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor, empty
from garboard.nn import init
from garboard.nn.functional._embedding import embedding
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Embedding"]


class Embedding(Module):
    """Look up rows of a learned table: numbers of any shape become [*shape, embedding_dim].

    `layer.weight` [num_embeddings, embedding_dim] starts as standard normal numbers; the row of
    `padding_idx` starts as zeros and gets no gradient. Backward keeps the storage of the numbers.

    Args:
        num_embeddings: How many rows.
        embedding_dim: Their width.
        padding_idx: A row that is not learned; negative ones count from the end.
        max_norm: Rows that are looked up and longer than this are shortened, in the table.
        norm_type: By which norm they are measured.
        scale_grad_by_freq: Divide a row's gradient by how often it was looked up.
        sparse: Ignored: gradients are dense, and the numbers the same.
        _weight: The table, [num_embeddings, embedding_dim], over the same memory; drawn if None.
        _freeze: Learn nothing: the table requires no gradient.
        device: Where the table lies, the CPU by default.
        dtype: Its dtype, float32 by default.

    Raises:
        ShapeError: A negative size.
        IndexOutOfRangeError: `padding_idx` is no row; when called, a number is none.
        DTypeError: When called, numbers that are neither int64 nor int32.
        TypeError: A size that is no integer.
        ValueError: A negative `max_norm` or `norm_type`.

    >>> layer = gb.nn.Embedding(10, 3)
    >>> layer(gb.tensor([[1, 2, 4], [4, 3, 9]])).shape
    (2, 3, 3)
    """

    padding_idx: int | None

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        name = "Embedding"
        if max_norm is not None:
            check.rate(name, "max_norm", max_norm)
        self.max_norm: float | None = max_norm
        self.norm_type: float = check.rate(name, "norm_type", norm_type)
        self.scale_grad_by_freq: bool = check.flag(name, "scale_grad_by_freq", scale_grad_by_freq)
        self.sparse: bool = check.flag(name, "sparse", sparse)
        self.num_embeddings: int = check.size("Embedding", "num_embeddings", num_embeddings)
        self.embedding_dim: int = check.size("Embedding", "embedding_dim", embedding_dim)
        self.padding_idx = self._row(check.dim("Embedding", "padding_idx", padding_idx))
        sizes = self.num_embeddings, self.embedding_dim
        learns = not check.flag(name, "_freeze", _freeze)
        if _weight is not None:
            if check.tensor(name, "_weight", _weight).shape != sizes:
                raise ShapeError(f"{name}: _weight of sizes {_weight.shape}; {sizes} are needed")
            self.weight: Parameter = Parameter(_weight.detach(), learns)
        else:
            self.weight = Parameter(empty(*sizes, dtype=dtype, device=device), learns)
            self.reset_parameters()

    def _row(self, number: int | None) -> int | None:
        if number is None:
            return None
        if not -self.num_embeddings <= number < self.num_embeddings:
            raise IndexOutOfRangeError(
                f"Embedding: padding_idx {shown(number)} of {self.num_embeddings} rows; a row's"
                " number is needed"
            )
        return number % self.num_embeddings

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Self:
        """Make a layer whose table is `embeddings`, over the same memory.

        Args:
            embeddings: Tensor [num_embeddings, embedding_dim].
            freeze: Learn nothing: the table requires no gradient.
            padding_idx: As for the layer; its row stays what it is.
            max_norm: As for the layer.
            norm_type: As for the layer.
            scale_grad_by_freq: As for the layer.
            sparse: As for the layer.

        Returns:
            A new layer.

        Raises:
            ShapeError: `embeddings` does not have two dims.

        >>> table = gb.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> gb.nn.Embedding.from_pretrained(table)(gb.tensor([1]))
        tensor([[3., 4.]])
        """
        check.tensor("Embedding.from_pretrained", "embeddings", embeddings)
        if embeddings.dim() != 2:
            raise ShapeError(
                f"Embedding.from_pretrained: embeddings of sizes {list(embeddings.shape)}; 2 dims"
                " are needed"
            )
        rows, width = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=width,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
            _weight=embeddings,
            _freeze=check.flag("Embedding.from_pretrained", "freeze", freeze),
        )

    def reset_parameters(self) -> None:
        """Draw the table anew.

        >>> layer = gb.nn.Embedding(4, 2, padding_idx=0)
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

    def forward(self, input: Tensor) -> Tensor:
        return embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        optional: dict[str, Any] = {}
        if self.padding_idx is not None:
            optional["padding_idx"] = self.padding_idx
        if self.max_norm is not None:
            optional["max_norm"] = self.max_norm
        if self.norm_type != 2:
            optional["norm_type"] = self.norm_type
        if self.scale_grad_by_freq:
            optional["scale_grad_by_freq"] = True
        if self.sparse:
            optional["sparse"] = True
        return ", ".join(
            part
            for part in (f"{self.num_embeddings}, {self.embedding_dim}", settings(**optional))
            if part
        )
