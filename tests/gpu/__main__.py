"""All that can be tried on a GPU: the tests marked `cuda`, NVIDIA's sanitizers, the benchmarks.

`./run gpu` writes one page of results, with the machine, the driver and the commit.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import garboard as gb

HOME = Path(__file__).resolve().parents[2]
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SANITIZER = shutil.which("compute-sanitizer") or shutil.which(
    "compute-sanitizer", path="/usr/local/cuda/bin"
)


def said(*command: str) -> str:
    """Return what a command prints, stripped; nothing where it fails or is missing."""
    try:
        done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return "" if done.returncode else done.stdout.strip()


class Page:
    """The results, as Markdown; also shown as they come."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.lines: list[str] = []
        self.has_failed = False

    def add(self, line: str) -> None:
        print(line, flush=True)
        self.lines.append(line)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text("\n".join(self.lines) + "\n", encoding="utf-8")

    def ran(self, what: str, command: list[str], log: Path, last: int = 1) -> None:
        """Add what a command came to: its last lines, and whether it failed."""
        started = time.monotonic()
        with log.open("w") as output:
            status = subprocess.run(
                command, cwd=HOME, stdout=output, stderr=subprocess.STDOUT, check=False
            ).returncode
        lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
        ended = "; ".join(line.strip("= ") for line in lines[len(lines) - last :])
        self.has_failed |= status != 0
        mark = "" if status == 0 else f" **failed with status {status}**, see {log.name}"
        self.add(f"| {what} | {ended} | {time.monotonic() - started:.0f} s |{mark}")


def facts() -> list[str]:
    device = gb.cuda.get_device_properties(0)
    driver = said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    commit = said("git", "describe", "--always", "--dirty")
    return [
        f"{device.name}, {device.total_memory >> 20} MiB, compute capability "
        f"{device.major}.{device.minor}, driver {driver or 'unknown'}, cuDNN "
        f"{gb.backends.cudnn.version() or 'not installed'}; {os.cpu_count()} cores; commit "
        f"{commit or 'unknown'}, {time.strftime('%Y-%m-%d')}.",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="run gpu", description=__doc__)
    parser.add_argument("--page", type=Path, default=HOME / "build" / "gpu.md", metavar="FILE")
    parser.add_argument("--tests", default="tests/python", metavar="PATH", help="which; all")
    parser.add_argument("--workers", default="4", metavar="N", help="processes of the tests; 4")
    parser.add_argument(
        "--only", nargs="+", choices=("tests", "sanitizers", "bench"), metavar="PART"
    )
    options = parser.parse_args()
    parts = options.only or ("tests", "sanitizers", "bench")
    if reason := gb.cuda.why_unavailable():
        sys.exit(f"run gpu: {reason}")
    page = Page(options.page)
    logs = options.page.parent
    for line in [*facts(), "", "| what | came to | took |", "|---|---|---|"]:
        page.add(line)
    python = sys.executable
    plugins = [] if options.workers == "0" else ["-p", "xdist", "-n", options.workers]
    if "tests" in parts:
        command = [python, "-m", "pytest", "-q", "-m", "cuda", *plugins, options.tests]
        page.ran("tests marked `cuda`", command, logs / "gpu-tests.txt")
    if "sanitizers" in parts and SANITIZER is None:
        page.add("| sanitizers | compute-sanitizer was not found | |")
    elif "sanitizers" in parts:
        for tool in TOOLS:
            command = [str(SANITIZER), "--tool", tool, "--error-exitcode", "1"]
            command += [python, "-m", "tests.gpu.every_kernel"]
            page.ran(f"`{tool}` over every kernel", command, logs / f"gpu-{tool}.txt")
    if "bench" in parts:
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table.md"
            command = [python, "tests/bench", "cuda", "--markdown", str(table)]
            page.ran("`./run bench cuda`", command, logs / "gpu-bench.txt", last=0)
            if table.exists():
                page.add("")
                for line in table.read_text().splitlines():
                    page.add(line)
    return int(page.has_failed)


if __name__ == "__main__":
    sys.exit(main())
