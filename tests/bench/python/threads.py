"""Two threads against one, ours alone. Must reach: never below 0.95, whatever the size."""

from collections.abc import Callable, Iterator

import garboard as gb
import race


def rows() -> Iterator[race.Race]:
    work: list[tuple[str, Callable[[], object], int]] = []
    for power in (10, 14, 17, 20, 24):
        x = gb.rand(1 << power)
        calls = max(1, 1 << 20 >> power)
        work.append((f"a + b, 2^{power}", lambda x=x: x + x, calls))
        work.append((f"exp, 2^{power}", lambda x=x: gb.exp(x), calls))
        work.append((f"sum, 2^{power}", lambda x=x: x.sum(), calls))
    for n in (16, 64, 128, 256, 512, 1024):
        a = gb.rand(n, n)
        calls = max(1, (256 // n) ** 3)
        work.append((f"a @ b, {n} x {n}", lambda a=a: a @ a, calls))
        work.append((f"sum(1), {n} x {n}", lambda a=a: a.sum(1), calls))
        work.append((f"softmax, {n} x {n}", lambda a=a: gb.softmax(a, 1), calls))
    for name, call, calls in work:
        yield race.Race(name, {"garboard": on(2, call), "one": on(1, call)}, 0.95, calls, ("one",))


def on(threads: int, call: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        gb.set_num_threads(threads)
        call()

    return run
