"""Ratios to NumPy, and PyTorch where it is installed: `./run bench [family ...] [--threads 2]`.

One process, as many threads each, contestants by turns, medians. A ratio is the best peer's time
divided by ours: above 1 we are faster.
"""

import os
import sys

_threads = sys.argv[sys.argv.index("--threads") + 1] if "--threads" in sys.argv else "1"
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = _threads  # before a peer is imported: thread counts are equal

import argparse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "python"))

import allocator
import autograd
import by_rows
import draws
import elementwise
import every_op
import garboard as gb
import gpu
import instructions
import layers
import lifetime
import matrices
import peaks
import peers
import products
import reductions
import report
import small_ops
import strided
import threads
import training
import transforms

FAMILIES = {
    "small": small_ops.rows,
    "instructions": instructions.rows,
    "allocator": allocator.rows,
    "lifetime": lifetime.rows,
    "elementwise": elementwise.rows,
    "strided": strided.rows,
    "reductions": reductions.rows,
    "rows": by_rows.rows,
    "random": draws.rows,
    "products": products.rows,
    "matrices": matrices.rows,
    "layers": layers.rows,
    "autograd": autograd.rows,
    "training": training.rows,
    "transforms": transforms.rows,
    "peaks": peaks.rows,
    "ops": every_op.rows,
    "threads": threads.rows,
    "cuda": gpu.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="run bench", description=__doc__)
    parser.add_argument("families", nargs="*", choices=[*FAMILIES, []], metavar="family")
    parser.add_argument("--threads", default="1", metavar="N", help="ours and the peers'; 1")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--markdown", metavar="FILE", help="write the table there too")
    options = parser.parse_args()
    gb.set_num_threads(peers.THREADS)
    results = []
    for family in options.families or FAMILIES:
        for row in FAMILIES[family]():
            print(f"measuring {row.name}", file=sys.stderr, flush=True)
            results.append(row.measure())
    report.print_table(results)
    if options.json:
        report.write_json(results, options.json)
    if options.markdown:
        report.write_markdown(results, options.markdown)


if __name__ == "__main__":
    main()
