"""Writes tests/bench/traces/*.xz anew: what PyTorch's CPU wheel allocates in five programs.

    .venv-bench/bin/python tests/bench/python/record_traces.py

It takes a quarter of an hour and 6 GB. The environment is that of `./run bench --install-peers`.
"""

import lzma
from pathlib import Path

from recorded_programs import PROGRAMS
from recording import record

TRACES = Path(__file__).parents[1] / "traces"


def main() -> None:
    for program in PROGRAMS:
        recording = record(program)
        packed = lzma.compress(recording.to_text().encode(), preset=9 | lzma.PRESET_EXTREME)
        (TRACES / f"{program.__name__}.xz").write_bytes(packed)
        peak = recording.peak_bytes / 2**20
        print(f"{program.__name__}: {len(recording.steps)} steps, {peak:.1f} MiB", flush=True)


if __name__ == "__main__":
    main()
