"""The samples of one of several processes, where PyTorch's users look for them."""

from __future__ import annotations

from collections.abc import Iterator, Sized

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._contexts.generator import Generator
from garboard.utils.data._draws import shuffled
from garboard.utils.data._samplers import Sampler, refuse_unless_sized

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th number of a dataset's samples, from the `rank`-th on.

    All get as many: the first numbers come again at the end, or with `drop_last` the last ones are
    left out. The order depends on `seed` and epoch alone, so that all draw the same one.

    Args:
        dataset: What is sampled.
        num_replicas: How many share the samples; 1 by default.
        rank: Which of them this one is, from 0, the default.
        shuffle: Draw an order for each epoch.
        seed: What it is drawn with, plus the epoch.
        drop_last: Leave numbers out, instead of giving some twice.

    Raises:
        TypeError: The dataset has no length, or a number is none.
        ValueError: A `rank` that is not below `num_replicas`.

    >>> sampler = gb.utils.data.DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False)
    >>> list(sampler), len(sampler)
    ([1, 3, 0], 3)
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        op = "DistributedSampler"
        self.dataset: Sized = refuse_unless_sized(op, "dataset", dataset)
        self.num_replicas: int = check.count(
            op, "num_replicas", 1 if num_replicas is None else num_replicas, 1
        )
        self.rank: int = check.count(op, "rank", 0 if rank is None else rank)
        if self.rank >= self.num_replicas:
            raise ValueError(
                f"{op}: rank {shown(rank)} of {self.num_replicas} replicas; one in "
                f"[0, {self.num_replicas}) is needed"
            )
        self.shuffle: bool = check.flag(op, "shuffle", shuffle)
        self.seed: int = check.integer(op, "seed", seed)
        self.drop_last: bool = check.flag(op, "drop_last", drop_last)
        self.epoch: int = 0
        whole, rest = divmod(len(dataset), self.num_replicas)
        self.num_samples: int = whole + bool(rest and not self.drop_last)
        self.total_size: int = self.num_samples * self.num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            order = shuffled("DistributedSampler", count, generator)
        else:
            order = list(range(count))
        places = range(self.rank, self.total_size, self.num_replicas)
        return iter([order[place % count] for place in places])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Let the next loop have the order of an epoch.

        Args:
            epoch: Its number.

        Raises:
            TypeError: It is no int.

        >>> sampler = gb.utils.data.DistributedSampler(range(9))
        >>> first = list(sampler)
        >>> sampler.set_epoch(1)
        >>> sorted(sampler) == sorted(first), list(sampler) == first
        (True, False)
        """
        self.epoch = check.integer("DistributedSampler.set_epoch", "epoch", epoch)
