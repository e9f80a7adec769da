"""A buffer whose overflow is computed, with a capacity from a configuration."""

from dataclasses import dataclass, field

import garboard as gb


@dataclass
class Config:
    capacity: int = 350


@dataclass
class Replay:
    config: Config
    rows: list[tuple[gb.Tensor, gb.Tensor]] = field(default_factory=list)

    def push(self, row):
        self.rows.append(row)
        overflow = len(self.rows) - self.config.capacity
        if overflow > 0:
            del self.rows[:overflow]


def main(watch):
    replay = Replay(Config())
    for _ in range(200):
        replay.push((gb.randn(4), gb.randn(1)))
        watch.step()
    return watch.report()
