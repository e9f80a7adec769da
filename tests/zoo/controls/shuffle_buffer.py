"""A pipeline of generators with a shuffle buffer of 32."""

import random

import garboard as gb


def source(n):
    for i in range(n):
        yield gb.full((4,), float(i))


def shuffled(items, size=32):
    rng, buffer = random.Random(0), []
    for item in items:
        if len(buffer) < size:
            buffer.append(item)
            continue
        i = rng.randrange(size)
        yield buffer[i]
        buffer[i] = item
    rng.shuffle(buffer)
    yield from buffer


def batches(items, n):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == n:
            yield gb.stack(batch)
            batch = []


def main(watch):
    net = gb.nn.Linear(4, 1)
    for batch in batches(shuffled(source(400)), 4):
        net(batch).square().mean().backward()
        watch.step()
    return watch.report()
