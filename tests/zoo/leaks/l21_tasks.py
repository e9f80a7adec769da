"""Finished tasks stay in a set that nobody empties, with their results."""

import asyncio

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "set `tasks`"


async def infer(x):
    await asyncio.sleep(0)
    return x * 2  # born


async def serve(watch):
    tasks = set()
    for _ in range(60):
        task = asyncio.create_task(infer(gb.ones(4)))
        tasks.add(task)  # held
        await task
        watch.step()
    return watch.report()


def main(watch):
    return asyncio.run(serve(watch))
