"""Batch norm of several processes, of which there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard.nn._norms.channel_norms import _BatchNorm
from garboard.nn.module import Module

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["SyncBatchNorm"]

_M = TypeVar("_M", bound=Module)


class SyncBatchNorm(_BatchNorm):
    """Bring each channel to mean 0 and variance 1, as the other batch norms do.

    In PyTorch the processes of a group share their statistics; there is one process here, so its
    batch is all there is.

    Args:
        num_features: How many channels there are.
        eps: What is added to the variance.
        momentum: How far the running ones move; None lets them be the mean of all batches.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        track_running_stats: False keeps none, and always uses those of the batch.
        process_group: Kept, and ignored.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`.

    Raises:
        ShapeError: A negative size; when called, an input of fewer than two dims.
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> norm = gb.nn.SyncBatchNorm(1)
    >>> norm(gb.tensor([[[[1.0, 3.0]]]])).flatten().round().tolist()
    [-1.0, 1.0]
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: object = None,
        device: Device | None = None,
        dtype: DType | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group: object = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if check.tensor("SyncBatchNorm", "input", input).ndim < 2:
            raise ShapeError(
                f"SyncBatchNorm: an input of sizes {list(input.shape)}; two or more dims are needed"
            )

    @classmethod
    def convert_sync_batchnorm(cls, module: _M, process_group: object = None) -> _M:
        """Return a module with a SyncBatchNorm for each batch norm, of the same tensors.

        Args:
            module: The module, whose submodules are replaced in place.
            process_group: What each is told.

        Returns:
            The module itself, or, of a batch norm, what replaces it.

        Raises:
            TypeError: It is no Module.

        >>> model = gb.nn.Sequential(gb.nn.BatchNorm1d(2))
        >>> type(gb.nn.SyncBatchNorm.convert_sync_batchnorm(model)[0]).__name__
        'SyncBatchNorm'
        """
        check.of_type(Module, "convert_sync_batchnorm", "module", module)
        made: Any = module
        if isinstance(module, _BatchNorm):
            made = _converted(module, process_group)
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        kept: _M = made
        return kept


def _converted(norm: _BatchNorm, process_group: object) -> SyncBatchNorm:
    """A SyncBatchNorm of another norm's tensors."""
    made = SyncBatchNorm(
        norm.num_features,
        norm.eps,
        norm.momentum,
        norm.affine,
        norm.track_running_stats,
        process_group,
    )
    for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
        setattr(made, name, getattr(norm, name))
    made.training = norm.training
    return made
