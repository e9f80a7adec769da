"""Calls are put off by an hour, each with a batch as its argument."""

import asyncio

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "_UnixSelectorEventLoop `loop`"


async def serve(watch):
    loop = asyncio.get_running_loop()
    for _ in range(60):
        batch = gb.randn(4)  # born
        loop.call_later(3600, print, batch)  # held
        del batch
        watch.step()
    return watch.report()


def main(watch):
    return asyncio.run(serve(watch))
