"""A consumer takes all that there is."""

import queue

import garboard as gb


class Actor:
    def __init__(self):
        self.inbox = queue.Queue()

    def send(self, message):
        self.inbox.put(message)

    def handle(self):
        while not self.inbox.empty():
            self.inbox.get().sum().item()


def main(watch):
    actor = Actor()
    for _ in range(160):
        for _ in range(2):
            actor.send(gb.randn(4))
        actor.handle()
        watch.step()
    return watch.report()
