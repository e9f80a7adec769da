"""A logger is flushed after fifty entries."""

import garboard as gb


class Logger:
    def __init__(self, every):
        self.rows, self.every = [], every

    def log(self, value):
        self.rows.append(value)
        if len(self.rows) >= self.every:
            self.flush()

    def flush(self):
        self.rows.clear()


def main(watch):
    logger = Logger(every=50)
    w = gb.randn(4, 1).requires_grad_()
    for _ in range(120):
        loss = (gb.randn(8, 4) @ w).square().mean()
        loss.backward()
        logger.log(loss.detach())
        watch.step()
    return watch.report()
