"""Elementwise results, fresh ones: small in cache, and 64 MiB. Must reach: three times the best
peer at 2^10, where calling costs most; 1.5 times at 64 MiB, where peers take new pages from the
system at every call and we reuse warm ones.

Bound: 12 bytes an element for `a + b` over the memory's bandwidth, 8 for a function of one input.
"""

from collections.abc import Callable, Iterator

import garboard as gb
import race
from peers import np, torch

Contest = Callable[[Callable[..., object]], dict[str, Callable[[], object]]]

LARGE = 1 << 24  # float32: 64 MiB
MIDDLE = 1 << 20
SMALL = 1 << 10


def rows() -> Iterator[race.Race]:
    for count, calls, must in ((SMALL, 5000, 3.0), (MIDDLE, 50, 1.0), (LARGE, 2, 1.5)):
        ours = {"x": gb.rand(count), "y": gb.rand(count)}
        entries = {"garboard": (gb, ours)}
        entries["numpy"] = (np, {name: tensor.numpy() for name, tensor in ours.items()})
        if torch:
            entries["torch"] = (
                torch,
                {name: torch.from_numpy(array) for name, array in entries["numpy"][1].items()},
            )
        size = f"2^{count.bit_length() - 1}, fresh"

        def contest(
            op: Callable[..., object],
            entries: dict[str, tuple[object, dict[str, object]]] = entries,
        ) -> dict[str, Callable[[], object]]:
            return {
                name: lambda space=space, given=given: op(space, given["x"], given["y"])
                for name, (space, given) in entries.items()
            }

        yield race.Race(f"a + b, {size}", contest(lambda _, x, y: x + y), must, calls)
        if count == LARGE:
            chain = contest(lambda _, x, y: (x + y) * x - y)
            yield race.Race(f"(a + b) * a - b, {size}", chain, 1.2, calls)
        yield race.Race(f"exp, {size}", contest(lambda space, x, _: space.exp(x)), must, calls)
        yield race.Race(f"tanh, {size}", contest(lambda space, x, _: space.tanh(x)), must, calls)
        of_numpy = {"relu": lambda x: np.maximum(x, 0), "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
        for name, theirs in of_numpy.items():
            named = contest(
                lambda space, x, _, name=name, theirs=theirs: (
                    theirs(x) if space is np else getattr(space, name)(x)
                )
            )
            yield race.Race(f"{name}, {size}", named, must, calls)
        if count == MIDDLE:
            yield from middle(contest, size, calls)


def middle(contest: Contest, size: str, calls: int) -> Iterator[race.Race]:
    """Functions that NumPy or PyTorch may lack, where the arithmetic counts most."""
    for name in ("log", "sin", "cos"):
        named = contest(lambda space, x, _, name=name: getattr(space, name)(x))
        yield race.Race(f"{name}, {size}", named, 1.0, calls)
    of_powers = contest(lambda space, x, y: space.power(x, y) if space is np else space.pow(x, y))
    yield race.Race(f"pow, {size}", of_powers, 1.0, calls)
    for name, form in (("gelu", "none"), ("gelu by tanh", "tanh")):
        named = contest(
            lambda space, x, _, form=form: space.nn.functional.gelu(x, approximate=form)
        )
        yield race.Race(f"{name}, {size}", without_numpy(named), 1.0, calls)
    erf = contest(lambda space, x, _: space.erf(x))
    yield race.Race(f"erf, {size}", without_numpy(erf), 1.0, calls)


def without_numpy(contestants: dict[str, Callable[[], object]]) -> dict[str, Callable[[], object]]:
    return {name: call for name, call in contestants.items() if name != "numpy"}
