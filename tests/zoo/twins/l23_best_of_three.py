"""Three copies at most, the worst goes."""

import copy
import heapq

import garboard as gb


def main(watch):
    net = gb.nn.Linear(4, 2)
    best = []
    for step in range(60):
        heapq.heappush(best, (step * 7 % 13, step, copy.deepcopy(net.state_dict())))
        if len(best) > 3:
            heapq.heappop(best)
        watch.step()
    return watch.report()
