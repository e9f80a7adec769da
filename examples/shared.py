"""What the examples share: the command line, equal starts, the data, and the loop with its bar."""

from __future__ import annotations

import argparse
import importlib
import sysconfig
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["Step", "char_lines", "digits", "equal_start", "main", "run"]

Step = Callable[[int], float]
"""Takes the number of a step, does it, and returns its loss."""

DIGITS = Path(__file__).parent.parent / "python" / "garboard" / "demo" / "digits.npz"


def main(build: Callable[[Any], Step], steps: int, told: str) -> None:
    """Run an example as its command line says: `build` makes its step for a library."""
    parser = argparse.ArgumentParser(description=told)
    parser.add_argument("--lib", choices=("garboard", "torch"), default="garboard")
    parser.add_argument("--steps", type=int, default=steps)
    given = parser.parse_args()
    run(build, importlib.import_module(given.lib), given.steps)


def run(build: Callable[[Any], Step], lib: Any, steps: int) -> tuple[list[float], list[int]]:
    """Do so many steps; return the losses, and the live bytes after each (garboard's alone)."""
    from rich.progress import Progress, TextColumn

    lib.manual_seed(0)
    step = build(lib)
    losses: list[float] = []
    live: list[int] = []
    columns = (*Progress.get_default_columns(), TextColumn("{task.fields[told]}"))
    with Progress(*columns) as bar:
        task = bar.add_task(build.__module__.rpartition(".")[2], total=steps, told="")
        for number in range(steps):
            with scope_of(lib):
                losses.append(step(number))
            told = f"loss {losses[-1]:.4f}"
            if hasattr(lib, "memory"):
                live.append(lib.memory.live().bytes)
                told += f", {live[-1]:,} bytes live"
            bar.update(task, advance=1, told=told)
            if number % max(1, steps // 10) == 0 or number == steps - 1:
                bar.console.print(f"step {number:4}: {told}", highlight=False)
    return losses, live


def scope_of(lib: Any) -> Any:
    """A block at whose end a step's tensors are gone; PyTorch has none."""
    return lib.dispose_scope("step") if hasattr(lib, "dispose_scope") else nullcontext()


def equal_start(lib: Any, model: Any, seed: int = 1) -> Any:
    """Give a model the same start in both libraries: weights as wide as their inputs allow, and
    biases of 0. What scales a norm is 1 already."""
    random = np.random.default_rng(seed)
    with lib.no_grad():
        for name, parameter in model.named_parameters():
            sizes = tuple(parameter.shape)
            if len(sizes) > 1:
                bound = (3 / np.prod(sizes[1:])) ** 0.5
                drawn = random.uniform(-bound, bound, sizes).astype(np.float32)
                parameter.copy_(lib.from_numpy(drawn))
            elif "bias" in name:
                parameter.zero_()
    return model


def digits() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return 1797 handwritten digits, float32 [1797, 1, 8, 8] from 0 to 1, and their labels."""
    with np.load(DIGITS) as arrays:
        images, labels = arrays["images"], arrays["labels"]
    return (images.reshape(-1, 1, 8, 8) / 16).astype(np.float32), labels.astype(np.int64)


def char_lines(longest: int = 64) -> list[np.ndarray[Any, Any]]:
    """Return lines of some of the standard library's sources, each as ASCII codes below 128."""
    folder = Path(sysconfig.get_path("stdlib"))
    found = []
    for name in ("argparse.py", "ast.py", "dataclasses.py", "enum.py", "inspect.py", "typing.py"):
        for line in (folder / name).read_text(encoding="ascii", errors="ignore").splitlines():
            if len(line.strip()) > 3:
                found.append(np.frombuffer(f"{line[:longest]}\n".encode(), np.uint8))
    return [line.astype(np.int64) for line in found]
