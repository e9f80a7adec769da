"""One error is kept, and its frame with it."""

import garboard as gb

KIND, VERDICT, HOLDER = "retained-exception", "RETAINED", "list `errors`"
FIX = "errors.append(repr(error))  # or call traceback.clear_frames(error.__traceback__)"


def step():
    activation = gb.randn(16, 16)  # born
    raise ValueError(f"bad batch of {activation.numel()}")


def main(watch):
    errors = []
    for i in range(30):
        if i == 5:
            try:
                step()
            except ValueError as error:
                errors.append(error)  # held
        watch.step()
    return watch.report()
