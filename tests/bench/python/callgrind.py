"""Instructions that a statement takes, counted by valgrind, and those that were kept.

A count does not depend on the machine's load, and hardly on the machine: it moves when the code
does. It holds for one version of Python and of the compiler.

    python tests/bench/python/callgrind.py      # counts, and keeps the counts in instructions.toml
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
KEPT = HERE / "instructions.toml"
MARGIN = 0.10  # by which a count may differ from what was kept
DEBIAN = "valgrind is missing; on Debian and Ubuntu: apt-get install valgrind"

SAME_EVERYWHERE = {  # what the machine or chance would decide
    "GARBOARD_ISA": "baseline",
    "OPENBLAS_CORETYPE": "Nehalem",
    "OPENBLAS_NUM_THREADS": "1",  # others would look for work, and that is counted
    "PYTHONHASHSEED": "0",
}

LENGTHS = (300, 900)  # of two loops, whose difference cancels what a loop costs once
STEPS = (20, 60)
EMPTY = "pass"  # what the loop itself costs
STATEMENTS = {  # of names that instruction_loops.py defines
    EMPTY: LENGTHS,
    "x + x": LENGTHS,
    "x + 1.5": LENGTHS,
    "-x": LENGTHS,
    "x.sum()": LENGTHS,
    "graded + graded": LENGTHS,
    "x.view(1, 1)": LENGTHS,
    "x[0]": LENGTHS,
    "x.shape": LENGTHS,
    "x.item()": LENGTHS,
    "gb.empty(1)": LENGTHS,
    "gb.empty(1024)": LENGTHS,
    "matrix @ matrix": LENGTHS,
    "with gb.dispose_scope('s'): pass": LENGTHS,
    "(graded * graded).backward()": LENGTHS,
    "step()": STEPS,
    "watch.step()": LENGTHS,
}


def is_there() -> bool:
    return shutil.which("valgrind") is not None


def made_with() -> str:
    """What counts hold for: the versions of the extension's compiler and Python, the machine."""
    from garboard import _engine

    found = re.search(rb"(GCC|clang)(?:: \([^)]*\)| version) ([\d.]+)", _image(_engine.__file__))
    compiler = b" ".join(found.groups()).decode() if found else "another compiler"
    return f"{compiler}, Python {platform.python_version()}, {platform.machine()}"


def _image(path: str | None) -> bytes:
    return Path(path).read_bytes() if path else b""


def count() -> dict[str, int]:
    """Instructions of each statement of instruction_loops.py; the loop's own are taken off.

    Raises:
        RuntimeError: valgrind fails, or writes other counts than those asked for.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *("valgrind", "--tool=callgrind", "--dump-before=getppid"),
                *(f"--callgrind-out-file={folder}/counts", sys.executable),
                str(HERE / "instruction_loops.py"),
            ],
            env={**os.environ, **SAME_EVERYWHERE},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"callgrind: valgrind failed: {done.stderr[-2000:]}")
        files = [Path(folder, f"counts.{number + 1}") for number in range(3 * len(STATEMENTS))]
        if not files[-1].is_file():
            raise RuntimeError(
                "callgrind: valgrind wrote too few counts; three a statement are due"
            )
        counts = [total(file) for file in files]
    found = {}
    for number, (statement, (short, long)) in enumerate(STATEMENTS.items()):
        _, of_short, of_long = counts[3 * number : 3 * number + 3]
        found[statement] = (of_long - of_short) / (long - short)
    loop = found.pop(EMPTY)
    return {statement: round(each - loop) for statement, each in found.items()}


def total(file: Path) -> int:
    found = re.search(r"^(?:totals|summary): (\d+)", file.read_text(), re.MULTILINE)
    if not found:
        raise RuntimeError(f"callgrind: {file.name} has no total")
    return int(found[1])


def kept() -> dict[str, int]:
    """What was kept for this compiler and Python; nothing where none was."""
    counts: dict[str, int] = tomllib.loads(KEPT.read_text()).get(made_with(), {})
    return counts


def faults(now: dict[str, int], before: dict[str, int]) -> list[str]:
    """The statements whose counts differ by more than the margin, a line each."""
    found = []
    for statement in dict.fromkeys((*before, *now)):
        if statement not in before or statement not in now:
            found.append(f"{statement}: counted and kept are not the same statements")
        elif abs(now[statement] / before[statement] - 1) > MARGIN:
            found.append(f"{statement}: {now[statement]} instructions, {before[statement]} kept")
    return found


def keep(counts: dict[str, int]) -> None:
    """Write `counts` for this compiler and Python; what others keep stays."""
    tables = tomllib.loads(KEPT.read_text()) if KEPT.is_file() else {}
    tables[made_with()] = counts
    text = "# Instructions a statement; tests/bench/python/callgrind.py writes this.\n"
    for made, table in sorted(tables.items()):
        text += f'\n["{made}"]\n' + "".join(f'"{what}" = {n}\n' for what, n in table.items())
    KEPT.write_text(text)


def main() -> None:
    if not is_there():
        sys.exit(f"callgrind: {DEBIAN}")
    before, now = kept() if KEPT.is_file() else {}, count()
    for statement, each in now.items():
        print(f"{statement:34} {each:>8} {before.get(statement, '-'):>8}")
    keep(now)


if __name__ == "__main__":
    main()
