"""Makes `digits.npz` of the copy of the data set that scikit-learn's package carries.

pip install --no-deps scikit-learn
python -m garboard.demo.make_digits
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["make"]


def make(target: Path) -> None:
    """Write images as uint8 [1797, 8, 8], 0 to 16, and labels as uint8 [1797], compressed."""
    import numpy as np

    found = find_spec("sklearn")
    if found is None or found.origin is None:
        sys.exit("make_digits: scikit-learn is missing: pip install --no-deps scikit-learn")
    source = Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz"
    rows = np.loadtxt(source, delimiter=",").astype(np.uint8)
    np.savez_compressed(target, images=rows[:, :-1].reshape(-1, 8, 8), labels=rows[:, -1])


if __name__ == "__main__":
    make(Path(__file__).with_name("digits.npz"))
