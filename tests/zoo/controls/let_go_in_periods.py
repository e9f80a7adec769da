"""What is let go time and again, after longer than a leak needs to be certain."""

import garboard as gb


class Writer:
    def __init__(self):
        self.rows = []

    def add(self, row):
        self.rows.append(row)
        if len(self.rows) == 64:
            self.flush()

    def flush(self):
        gb.stack(self.rows).sum().item()
        self.rows = []


class Request:
    def __init__(self):
        self.keys = []


def main(watch):
    writer, recent, log = Writer(), {}, []
    for _ in range(4):
        request = Request()
        for _ in range(62):
            request.keys.append(gb.randn(4))
            step = len(log) + len(request.keys)
            recent[step] = gb.randn(4)
            recent = {key: value for key, value in recent.items() if key > step - 60}
            writer.add(gb.randn(4))
            log.append(gb.randn(4))
            if len(log) > 80:
                del log[:]
            watch.step()
    return watch.report()
