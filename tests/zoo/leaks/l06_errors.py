"""Errors are kept for later, and each keeps the frame it was raised in."""

import garboard as gb

KIND, VERDICT, HOLDER = "retained-exception", "LEAK", "list `errors`"
FIX = "errors.append(repr(error))  # or call traceback.clear_frames(error.__traceback__)"


def step():
    activation = gb.randn(16, 16)  # born
    raise ValueError(f"bad batch of {activation.numel()}")


def main(watch):
    errors = []
    for _ in range(60):
        try:
            step()
        except ValueError as error:
            errors.append(error)  # held
        watch.step()
    return watch.report()
