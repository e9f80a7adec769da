"""A logger keeps a million entries before it flushes: in practice it never does."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Logger.rows`"
FIX = "self.rows.append(value.item())"


class Logger:
    def __init__(self, every):
        self.rows, self.every = [], every

    def log(self, value):
        self.rows.append(value)  # held
        if len(self.rows) >= self.every:
            self.flush()

    def flush(self):
        self.rows.clear()


def main(watch):
    logger = Logger(every=1_000_000)
    w = gb.randn(4, 1).requires_grad_()
    for _ in range(120):
        loss = (gb.randn(8, 4) @ w).square().mean()
        loss.backward()
        logger.log(loss.detach())  # born
        watch.step()
    return watch.report()
