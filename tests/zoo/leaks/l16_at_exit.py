"""Each step asks for a call at the end of the program, and gives it a tensor."""

import atexit

import garboard as gb

KIND, VERDICT, HOLDER = "global-registry", "LEAK", "callbacks of atexit"


def close(x):
    x.sum()


def main(watch):
    try:
        for _ in range(60):
            batch = gb.randn(8)  # born
            atexit.register(close, batch)  # held
            watch.step()
        del batch
        return watch.report()
    finally:
        atexit.unregister(close)
