"""The coroutine sums up numbers."""

import asyncio

import garboard as gb


async def collect(queue):
    results = []
    while (x := await queue.get()) is not None:
        results.append(x.sum().item())


async def run(watch):
    queue = asyncio.Queue()
    task = asyncio.create_task(collect(queue))
    for _ in range(60):
        await queue.put(gb.ones(3))
        await asyncio.sleep(0)
        watch.step()
    report = watch.report()
    await queue.put(None)
    await task
    return report


def main(watch):
    return asyncio.run(run(watch))
