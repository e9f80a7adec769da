"""Ratios to NumPy, and PyTorch where it is installed: `./run bench [family ...] [--json FILE]`.

One process, one thread each, contestants by turns, medians. A ratio is the best peer's time divided
by ours: above 1 we are faster.
"""

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # before a peer is imported: thread counts are equal

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "python"))

import elementwise
import lifetime
import products
import report
import small_ops
import training

FAMILIES = {
    "small": small_ops.rows,
    "lifetime": lifetime.rows,
    "elementwise": elementwise.rows,
    "products": products.rows,
    "training": training.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="run bench", description=__doc__)
    parser.add_argument("families", nargs="*", choices=[*FAMILIES, []], metavar="family")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    results = []
    for family in options.families or FAMILIES:
        for row in FAMILIES[family]():
            print(f"measuring {row.name}", file=sys.stderr, flush=True)
            results.append(row.measure())
    report.print_table(results)
    if options.json:
        report.write_json(results, options.json)


if __name__ == "__main__":
    main()
