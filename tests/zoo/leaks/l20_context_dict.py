"""A dict in a context variable keeps what each request has made."""

import contextvars

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", "dict `seen`"
FIX = (
    "_seen.get()[number] = y; len(_seen.get()) > 32 and _seen.get().pop(next(iter(_seen.get())))"
    "  # or clear it when it ends"
)

_seen = contextvars.ContextVar("seen")


def handle(number, net):
    y = net(gb.randn(2, 4)).mean()  # born
    _seen.get()[number] = y  # held


def main(watch):
    token, net = _seen.set({}), gb.nn.Linear(4, 2)
    for step in range(60):
        handle(step, net)
        watch.step()
    report = watch.report()
    _seen.reset(token)
    return report
