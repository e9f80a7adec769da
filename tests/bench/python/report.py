"""The table of ratios, and the same as JSON with what it was measured on."""

import json
import math
import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import garboard as gb
import numpy as np
import peers
from garboard import _engine
from race import Result
from rich.console import Console
from rich.table import Table


def machine() -> dict[str, object]:
    """Where and with what the figures were taken."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].split(":", 1)[1].strip() if names else cpu
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    versions = {"python": platform.python_version(), "garboard": gb.__version__}
    versions["numpy"] = np.__version__
    try:
        import torch
    except ImportError:
        pass
    else:
        versions["torch"] = torch.__version__
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": cpu,
        "cores": os.cpu_count(),
        "instruction_set": _engine._instruction_set(),
        "load": round(os.getloadavg()[0], 2),
        "commit": commit.stdout.strip(),
        "versions": versions,
        "threads": peers.THREADS,
    }


def human_time(ns: float) -> str:
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def human(figure: float, unit: str) -> str:
    """A figure of a result; without a unit it is a ratio of its own, else a count."""
    if unit == "ns":
        return human_time(figure)
    return f"{figure:.3f}" if unit == "" else f"{figure:,.0f}"


def heads_and_rows(results: list[Result]) -> tuple[list[str], list[list[str]]]:
    """The table: a column for each contestant, what was reached, and what was to be."""
    contestants = list(dict.fromkeys(name for result in results for name in result.figures))
    rows = []
    for result in results:
        figures = [
            human(result.figures[name], result.unit) if name in result.figures else "-"
            for name in contestants
        ]
        is_ratio = result.must.endswith("x")
        ratio = "-" if math.isnan(result.value) or not is_ratio else f"{result.value:.2f}x"
        mark = "-" if math.isnan(result.value) else "ok" if result.reached else "missed"
        rows.append([result.name, *figures, ratio, f"{result.must} {mark}"])
    return ["what", *contestants, "ratio", "must"], rows


def print_table(results: list[Result]) -> None:
    facts = machine()
    title = "{cpu}, {instruction_set}, threads: {threads}, load {load}".format(**facts)
    table = Table(title=title, caption=", ".join(f"{k} {v}" for k, v in facts["versions"].items()))
    heads, rows = heads_and_rows(results)
    table.add_column(heads[0])
    for name in heads[1:]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*row)
    Console(width=None if os.isatty(1) else 120).print(table)


def write_markdown(results: list[Result], path: str) -> None:
    """The table as docs/benchmarks.md has it."""
    heads, rows = heads_and_rows(results)
    lines = (heads, ["---"] * len(heads), *rows)
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    Path(path).write_text(text, encoding="utf-8")


def write_json(results: list[Result], path: str) -> None:
    document = {"machine": machine(), "results": [vars(result) for result in results]}
    Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
