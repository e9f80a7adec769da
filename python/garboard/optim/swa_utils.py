"""Averages of a model's parameters over the steps of its training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from math import cos, pi
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import ShapeError, Tensor, int64, tensor
from garboard.nn._norms.channel_norms import BatchNorm1d, BatchNorm2d, BatchNorm3d
from garboard.nn.module import Module
from garboard.optim.lr_scheduler import LRScheduler
from garboard.optim.lr_scheduler._scheduler import per_group
from garboard.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from garboard.types import Device

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

_Average = Callable[[Tensor, Tensor, Any], Tensor]
_Averages = Callable[[Sequence[Tensor], Sequence[Tensor], Any], object]


def get_ema_avg_fn(decay: float = 0.999) -> _Average:
    """Return a function that averages exponentially: decay * average + (1 - decay) * current.

    Args:
        decay: How much of the average stays, in [0, 1].

    Returns:
        A function (average, current, count) -> Tensor, for `AveragedModel(avg_fn=...)`.

    Raises:
        ValueError: `decay` is out of range.
        TypeError: `decay` is no number.

    >>> average = gb.optim.swa_utils.get_ema_avg_fn(0.75)
    >>> average(gb.tensor([4.0]), gb.tensor([8.0]), 1)
    tensor([5.])
    """
    share = float(check.share("get_ema_avg_fn", "decay", decay))

    def average(averaged: Tensor, current: Tensor, count: Any) -> Tensor:
        return averaged * share + current * (1 - share)

    return average


def get_ema_multi_avg_fn(decay: float = 0.999) -> _Averages:
    """Return a function that averages many tensors exponentially, in place.

    Args:
        decay: How much of the average stays, in [0, 1].

    Returns:
        A function (averages, currents, count), for `AveragedModel(multi_avg_fn=...)`.

    Raises:
        ValueError: `decay` is out of range.
        TypeError: `decay` is no number.

    >>> average = gb.optim.swa_utils.get_ema_multi_avg_fn(0.75)
    >>> x = gb.tensor([4.0])
    >>> average([x], [gb.tensor([8.0])], 1)
    >>> x
    tensor([5.])
    """
    share = float(check.share("get_ema_multi_avg_fn", "decay", decay))

    def average(averaged: Sequence[Tensor], current: Sequence[Tensor], count: Any) -> None:
        with no_grad():
            for mean, now in zip(averaged, current, strict=True):
                if mean.is_floating_point():
                    mean.lerp_(now.to(mean.device, dtype=mean.dtype), 1 - share)
                else:
                    mean.copy_(mean * share + now.to(mean.device) * (1 - share))

    return average


def get_swa_avg_fn() -> _Average:
    """Return a function that averages equally: average + (current - average) / (count + 1).

    Returns:
        A function (average, current, count) -> Tensor, for `AveragedModel(avg_fn=...)`.

    >>> average = gb.optim.swa_utils.get_swa_avg_fn()
    >>> average(gb.tensor([4.0]), gb.tensor([8.0]), 1)
    tensor([6.])
    """

    def average(averaged: Tensor, current: Tensor, count: Any) -> Tensor:
        mean: Tensor = averaged + (current - averaged) / (count + 1)
        return mean

    return average


def get_swa_multi_avg_fn() -> _Averages:
    """Return a function that averages many tensors equally, in place.

    Returns:
        A function (averages, currents, count), for `AveragedModel(multi_avg_fn=...)`.

    >>> average = gb.optim.swa_utils.get_swa_multi_avg_fn()
    >>> x = gb.tensor([4.0])
    >>> average([x], [gb.tensor([8.0])], 1)
    >>> x
    tensor([6.])
    """

    def average(averaged: Sequence[Tensor], current: Sequence[Tensor], count: Any) -> None:
        one = get_swa_avg_fn()
        with no_grad():
            for mean, now in zip(averaged, current, strict=True):
                mean.copy_(one(mean, now.to(mean.device), count))

    return average


class AveragedModel(Module):
    """Keep a copy of a model whose parameters are averages of that model's.

    `update_parameters(model)` after a step takes what the model is now into the averages: equally
    (stochastic weight averaging, Izmailov et al., arXiv:1803.05407), or as a function says. Calling
    it calls the copy, which is `module`; `n_averaged` counts the updates.

    Args:
        model: The model, which is copied.
        device: Where the copy lies; where the model is, by default.
        avg_fn: A function (average, current, count) -> Tensor, one tensor at a time.
        multi_avg_fn: A function of all tensors at once that writes into the averages, as
            `get_ema_multi_avg_fn` makes.
        use_buffers: Average buffers too; else they are copied.

    Raises:
        TypeError: No Module, or functions that cannot be called.
        ValueError: Both functions.

    >>> swa_utils = gb.optim.swa_utils
    >>> model = gb.nn.Linear(1, 1, bias=False)
    >>> averaged = swa_utils.AveragedModel(
    ...     model, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.5)
    ... )
    >>> for value in (1.0, 3.0):
    ...     gb.nn.init.constant_(model.weight, value) is model.weight
    ...     averaged.update_parameters(model)
    True
    True
    >>> averaged(gb.ones(1, 1)).item()
    2.0
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Device | None = None,
        avg_fn: _Average | None = None,
        multi_avg_fn: _Averages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        name = "AveragedModel"
        check.of_type(Module, name, "model", model)
        for said, function in (("avg_fn", avg_fn), ("multi_avg_fn", multi_avg_fn)):
            if function is not None:
                check.function(name, said, function)
        if avg_fn is not None and multi_avg_fn is not None:
            raise ValueError(f"{name}: avg_fn and multi_avg_fn; one of the two is needed")
        self.use_buffers: bool = check.flag(name, "use_buffers", use_buffers)
        copied = deepcopy(model)
        self.module: Module = copied if device is None else copied.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn: _Average | None = avg_fn
        self.multi_avg_fn: _Averages | None = multi_avg_fn

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module(*args, **kwargs)

    def _averaged_of(self, model: Module) -> list[Tensor]:
        found: list[Tensor] = list(model.parameters())
        return [*found, *model.buffers()] if self.use_buffers else found

    def update_parameters(self, model: Module) -> None:
        """Take what the model's parameters are now into the averages.

        Args:
            model: The model, or one with as many parameters of the same sizes.

        Raises:
            TypeError: No Module.
            ShapeError: Other parameters; nothing is changed then.
            DisposedError: One of them is disposed.

        >>> model = gb.nn.Linear(2, 1)
        >>> averaged = gb.optim.swa_utils.AveragedModel(model)
        >>> averaged.update_parameters(model)
        >>> averaged.n_averaged.item()
        1
        """
        op = "AveragedModel.update_parameters"
        check.of_type(Module, op, "model", model)
        means, currents = self._averaged_of(self.module), self._averaged_of(model)
        others = [] if self.use_buffers else [list(self.module.buffers()), list(model.buffers())]
        for own, given in ((means, currents), tuple(others) or ([], [])):
            if [x.shape for x in own] != [x.shape for x in given]:
                raise ShapeError(f"{op}: a model of other parameters; the same sizes are needed")
        currents = [x.detach() for x in currents]
        with no_grad():
            if self.n_averaged.item() == 0:
                for mean, now in zip(means, currents, strict=True):
                    mean.copy_(now)
            elif self.avg_fn is not None:
                for mean, now in zip(means, currents, strict=True):
                    mean.copy_(self.avg_fn(mean.detach(), now.to(mean.device), self.n_averaged))
            else:
                average = self.multi_avg_fn or get_swa_multi_avg_fn()
                average([mean.detach() for mean in means], currents, self.n_averaged)
            for own, given in zip(*others, strict=True) if others else ():
                own.copy_(given)
            self.n_averaged.add_(1)


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Device | None = None) -> None:
    """Compute the running statistics of batch normalization anew, over one pass of the data.

    What averages of parameters need: the statistics of the steps are none of theirs. They become
    plain means over the batches; momenta and the mode of training are put back.

    Args:
        loader: Batches; of a list or tuple, the first item is what the model is called with.
        model: The model; without batch normalization nothing is done.
        device: Where batches are moved to first.

    Raises:
        TypeError: No Module, or no iterable.
        DeviceError: The device cannot be used.

    >>> model = gb.nn.BatchNorm1d(1)
    >>> gb.optim.swa_utils.update_bn([gb.tensor([[2.0], [4.0]])], model)
    >>> model.running_mean
    tensor([3.])
    """
    check.of_type(Module, "update_bn", "model", model)
    if not isinstance(loader, Iterable):
        raise TypeError(f"update_bn: loader is of type {type(loader).__name__}; batches are needed")
    norms = [
        it for it in model.modules() if isinstance(it, (BatchNorm1d, BatchNorm2d, BatchNorm3d))
    ]
    if not norms:
        return
    momenta = [norm.momentum for norm in norms]
    was_training = model.training
    try:
        model.train()
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None
        for batch in loader:
            given = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(given if device is None else given.to(device))
    finally:
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
        model.train(was_training)


class SWALR(LRScheduler):
    """Bring the rate to a constant one, over some epochs.

    lr = swa_lr * a + before * (1 - a), where a goes from 0 to 1 in `anneal_epochs`, along a cosine
    or a line (Izmailov et al., arXiv:1803.05407).

    Args:
        optimizer: Whose groups' "lr" it writes.
        swa_lr: The constant rate, or a list of one a group.
        anneal_epochs: How many epochs it takes.
        anneal_strategy: 'cos' or 'linear'.
        last_epoch: How many steps it has seen; -1 begins.

    Raises:
        ValueError: Another strategy, fewer epochs than 0, or a list of more or fewer rates.
        TypeError: No Optimizer, or no numbers.

    >>> optimizer = gb.optim.SGD([gb.ones(1, requires_grad=True)], lr=0.5)
    >>> schedule = gb.optim.swa_utils.SWALR(optimizer, 0.1, 2, "linear")
    >>> for _ in range(2):
    ...     optimizer.step()
    ...     schedule.step()
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        name = "SWALR"
        check.of_type(Optimizer, name, "optimizer", optimizer)
        rates = per_group(name, "rates", swa_lr, optimizer)
        for place, rate in enumerate(rates):
            check.rate(name, f"swa_lr[{place}]", rate)
        self.anneal_epochs: int = check.count(name, "anneal_epochs", anneal_epochs)
        self._anneal_strategy: str = check.choice(
            name, "anneal_strategy", anneal_strategy, "cos", "linear"
        )
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        """How much of the way is done."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return t if self._anneal_strategy == "linear" else (1 - cos(pi * t)) / 2

    def get_lr(self) -> list[float]:
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        found = []
        for rate, group in zip(self._rates_now(), self.optimizer.param_groups, strict=True):
            goal = group["swa_lr"]
            first = goal if before == 1 else (rate - before * goal) / (1 - before)
            found.append(goal * now + first * (1 - now))
        return found
