"""A recorder keeps arrays that share memory with the outputs they were taken from."""

import garboard as gb

KIND, VERDICT, HOLDER = "export-pin", "LEAK", "list `Recorder.taken`"


class Recorder:
    def __init__(self):
        self.taken = []

    def take(self, x):
        self.taken.append((x * 2).numpy())  # born, held


def main(watch):
    recorder = Recorder()
    for _ in range(60):
        recorder.take(gb.ones(8))
        watch.step()
    return watch.report()
