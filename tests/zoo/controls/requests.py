"""An asynchronous server answers requests; each task ends."""

import asyncio

import garboard as gb


async def answer(net, x):
    await asyncio.sleep(0)
    with gb.no_grad():
        return net(x).sum().item()


async def serve(watch, net):
    for _ in range(40):
        await asyncio.gather(*(answer(net, gb.randn(2, 4)) for _ in range(3)))
        watch.step()


def main(watch):
    asyncio.run(serve(watch, gb.nn.Linear(4, 2)))
    return watch.report()
