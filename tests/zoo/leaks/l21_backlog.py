"""A consumer takes one of two: what is taken is older each time."""

import queue

import garboard as gb

KIND, VERDICT, HOLDER = "queue-future-async", "LEAK", "Queue `Actor.inbox`"


class Actor:
    def __init__(self):
        self.inbox = queue.Queue()

    def send(self, message):
        self.inbox.put(message)  # held

    def handle(self):
        return self.inbox.get().sum().item()


def main(watch):
    actor = Actor()
    for _ in range(160):
        for _ in range(2):
            message = gb.randn(4)  # born
            actor.send(message)
        actor.handle()
        watch.step()
    return watch.report()
