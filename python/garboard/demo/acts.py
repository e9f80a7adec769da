"""The three acts of the demo. Each runs a program and states what must have come of it."""

from __future__ import annotations

import gc
import time
import traceback
import warnings
from typing import Any

from garboard import memory
from garboard._engine import DisposedError, Tensor, human_bytes
from garboard.demo.digits import load_digits, whole
from garboard.demo.program import Program
from garboard.demo.stage import Stage, Tracked
from garboard.nn import Linear, ReLU, Sequential
from garboard.optim import Adam
from garboard.utils.data import DataLoader

__all__ = ["ACCURACY", "network", "run_acts"]

_Batches = DataLoader[Any]
ACCURACY = 0.95
_BATCH = 32
_WATCHED_EPOCHS = 4  # a leak is called one once it has shown itself for some dozens of steps


def network() -> tuple[Sequential, Adam]:
    """Return the 64-128-10 network of all acts, and its optimizer."""
    model = Sequential(Linear(64, 128), ReLU(), Linear(128, 10))
    return model, Adam(model.parameters(), lr=5e-3)


def run_acts(stage: Stage, epochs: int) -> None:
    """Run all three acts on one split of the data."""
    training, test = load_digits()
    batches = DataLoader(training, _BATCH, shuffle=True)
    stage.say(
        f"{len(training)} handwritten digits to learn from, {len(test)} to be asked about; "
        "a 64-128-10 network and Adam"
    )
    train_in_scopes(stage, batches, *whole(test), epochs)
    leak_without_scopes(stage, batches)
    meet_the_scope(stage, batches)


def train_in_scopes(stage: Stage, batches: _Batches, x: Tensor, y: Tensor, epochs: int) -> None:
    """Train, and find the same memory after every epoch."""
    program = Program("in_scopes")
    stage.act(1, program.summary)
    stage.show(program, "train")
    stage.say("  epoch    loss  accuracy  live memory  tensors  graph nodes", "bold")
    counts, right = [], 0.0
    started = time.perf_counter()
    model, optimizer = network()
    with model, optimizer, stage.progress() as progress:
        tracked = Tracked(
            batches, progress, progress.add_task("train", total=epochs * len(batches))
        )
        for epoch, loss in enumerate(program.train(model, optimizer, tracked, epochs), start=1):
            counts.append(memory.live())
            right = program.accuracy(model, x, y)
            stage.say(
                f"  {epoch:>5}  {loss:6.3f}  {right:8.1%}  {human_bytes(counts[-1].bytes):>11}"
                f"  {counts[-1].aliases:>7}  {counts[-1].nodes:>11}"
            )
    stage.say(f"  {time.perf_counter() - started:.1f} s\n", "dim")
    stage.claim(right >= ACCURACY, f"{right:.1%} of the test digits read; {ACCURACY:.0%} promised")
    flat = all(count == counts[0] for count in counts)
    stage.claim(flat, "after every epoch the same live memory, tensors and graph nodes")


def leak_without_scopes(stage: Stage, batches: _Batches) -> None:
    """Plant a leak, and let the watcher name it."""
    program = Program("without_scopes")
    stage.act(2, program.summary)
    stage.show(program, "train")
    before = memory.live()
    model, optimizer = network()
    with model, optimizer, stage.progress() as progress, warnings.catch_warnings(action="ignore"):
        steps = _WATCHED_EPOCHS * len(batches)
        tracked = Tracked(batches, progress, progress.add_task("leak", total=steps))
        judge(stage, program, program.train(model, optimizer, tracked, _WATCHED_EPOCHS))
    gc.collect()  # what looked for the leak leaves cycles behind
    stage.claim(memory.live() == before, "once the program is over, its memory is back")


def judge(stage: Stage, program: Program, report: Any) -> None:
    """Show a leak report, and claim that it names the one line that was planted."""
    stage.say(f"{report}\n")
    stage.claim(len(report.leaks) == 1 and not report.ok, "one leak found, where one was planted")
    for leak in report.leaks:
        stage.claim(leak.kind == "accumulated-graph", f"its kind: {leak.kind}")
        text = program.line(leak.site.line)
        is_planted = leak.site.file == program.path and text.startswith("total += ")
        stage.claim(is_planted, f"its line: {leak.site.file}:{leak.site.line}  {text}")
        stage.claim(leak.fix == f"{text}.item()", f"its remedy: {leak.fix}")


def meet_the_scope(stage: Stage, batches: _Batches) -> None:
    """Make the same mistake inside a scope, which ends the sum and says so."""
    program = Program("total_in_scope")
    stage.act(3, program.summary)
    stage.show(program, "train")
    line, message = 0, ""
    model, optimizer = network()
    with model, optimizer:
        try:
            program.train(model, optimizer, batches)
        except DisposedError as error:
            line = [f.lineno or 0 for f in traceback.extract_tb(error.__traceback__)][-1]
            message = str(error)
    stage.say(f"DisposedError at {program.path}:{line}\n  {message}\n", "red")
    here = f"{program.path}:{line}"
    stage.claim(program.line(line).startswith("total += "), f"met at {here}  {program.line(line)}")
    stage.claim(f"born at {here}" in message, "it names the line where the tensor was born")
    stage.claim('"step"' in message, "it names the scope that ended it")
    stage.claim(".item()" in message, "it names the remedy")
