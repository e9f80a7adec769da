"""Statements of `statements.txt` in both libraries, on 2^20 elements or usual sizes. Must reach:
PyTorch's speed. What has a bound of its own, or NumPy as a peer, is in another family too.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import garboard as gb
import race
from peers import np, torch

BLOCK_S = 0.02  # of PyTorch's turn
MOST_CALLS = 2000


def arrays() -> dict[str, Any]:
    """What the statements' names stand for."""
    rng = np.random.default_rng(0)

    def normal(*sizes: int) -> Any:
        return rng.normal(size=sizes).astype(np.float32)

    def waves(*sizes: int) -> Any:
        return (normal(*sizes) + 1j * normal(*sizes)).astype(np.complex64)

    many, wide = 1 << 20, (1024, 1024)
    x, squares, square = normal(many), normal(64, 16, 16), normal(256, 256)
    whole = rng.integers(-1_000_000, 1_000_000, many)
    return {
        "x": x,
        "y": rng.random(many, np.float32) + np.float32(0.1),
        "m": normal(*wide),
        "n": normal(*wide),
        "v": normal(1024),
        "i": rng.integers(0, many, many),
        "j": rng.integers(0, 1024, wide),
        "r": rng.integers(0, 1024, 1024),
        "k": rng.integers(0, 100, many),
        "q": whole,
        "i32": whole.astype(np.int32),
        "u8": rng.integers(0, 256, many).astype(np.uint8),
        "b": rng.random(many) < 0.5,
        "B": rng.random(wide) < 0.3,
        "c": waves(1 << 18),
        "d": waves(1 << 18),
        "C": waves(256, 256),
        "s": np.sort(x),
        "e": np.sort(normal(64)),
        "im": normal(8, 16, 64, 64),
        "sm": squares,
        "sp": squares @ squares.transpose(0, 2, 1) + np.eye(16, dtype=np.float32),
        "M2": square,
        "S2": square @ square.T + 256 * np.eye(256, dtype=np.float32),
        "z": normal(1024),
        "zi": rng.integers(0, 1024, 1024),
        "emb": normal(5000, 64),
        "ei": rng.integers(0, 5000, 20_000),
        "off": np.arange(0, 20_000, 20),
        "f1": normal(64, 4096),
        "p1": normal(512, 3),
        "p2": normal(700, 3),
        "P": normal(200, 64),
        "h": x.astype(np.float16),
        "D": x.astype(np.float64),
    }


def statements() -> list[str]:
    text = Path(__file__).with_name("statements.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def names_of(space: Any, made: Callable[[Any], Any], given: dict[str, Any]) -> dict[str, Any]:
    tensors = {name: made(array) for name, array in given.items()}
    return {**tensors, "bf": tensors["x"].bfloat16(), "lib": space, "F": space.nn.functional}


def rows() -> Iterator[race.Race]:
    given = arrays()
    spaces = {"garboard": names_of(gb, gb.tensor, given)}
    if torch:
        spaces["torch"] = names_of(torch, torch.from_numpy, given)
    for statement in statements():
        calls = calls_of(statement, spaces.get("torch", spaces["garboard"]))
        contestants = {
            peer: race.looped(statement, calls, **names) for peer, names in spaces.items()
        }
        yield race.of_loops(statement, contestants, 1.0, calls)


def calls_of(statement: str, names: dict[str, Any]) -> int:
    """How often it is called in a block."""
    once = race.looped(statement, 1, **names)
    once()
    start = perf_counter()
    once()
    return max(1, min(MOST_CALLS, int(BLOCK_S / (perf_counter() - start))))
