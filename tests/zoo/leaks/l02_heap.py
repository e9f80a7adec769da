"""The best batches go to a heap, which nothing bounds, by a method of another name."""

import heapq
import itertools

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Best.heap`"
FIX = "heapq.heappush(kept, (score, next(self.ties), loss.item()))"


class Best:
    def __init__(self):
        self.heap, self.ties = [], itertools.count()

    def offer(self, score, loss):
        kept = self.heap
        heapq.heappush(kept, (score, next(self.ties), loss))  # held


def main(watch):
    net, best = gb.nn.Linear(4, 1), Best()
    for step in range(60):
        loss = net(gb.randn(8, 4)).square().mean()  # born
        best.offer(-step, loss)
        watch.step()
    return watch.report()
