"""A task leaves the set when it is done."""

import asyncio

import garboard as gb


async def infer(x):
    await asyncio.sleep(0)
    return x * 2


async def serve(watch):
    tasks = set()
    for _ in range(60):
        task = asyncio.create_task(infer(gb.ones(4)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        await task
        watch.step()
    return watch.report()


def main(watch):
    return asyncio.run(serve(watch))
