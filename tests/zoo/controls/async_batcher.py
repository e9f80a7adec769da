"""An asyncio server: bounded queue, batcher, futures that are awaited."""

import asyncio

import garboard as gb


class Server:
    def __init__(self, net):
        self.net = net
        self.queue = asyncio.Queue(maxsize=8)
        self.pending = {}
        self.next_id = 0

    async def infer(self, x):
        future = asyncio.get_running_loop().create_future()
        self.next_id += 1
        self.pending[self.next_id] = future
        await self.queue.put((self.next_id, x))
        return await future

    async def work(self):
        while True:
            key, x = await self.queue.get()
            if key is None:
                return
            with gb.no_grad():
                y = self.net(x)
            self.pending.pop(key).set_result(y)


async def serve(watch):
    server = Server(gb.nn.Linear(4, 2))
    worker = asyncio.create_task(server.work())
    total = 0.0
    for _ in range(80):
        answers = await asyncio.gather(*(server.infer(gb.randn(1, 4)) for _ in range(4)))
        total += sum(float(a.sum()) for a in answers)
        watch.step()
    report = watch.report()
    await server.queue.put((None, None))
    await worker
    return report


def main(watch):
    return asyncio.run(serve(watch))
