"""A thread-local dict by request, which no request takes its entry out of."""

import threading

import garboard as gb

KIND, VERDICT, HOLDER = "thread-state", "LEAK", "dict `context.answers`"

context = threading.local()


def answer(request):
    if not hasattr(context, "answers"):
        context.answers = {}
    context.answers[request] = gb.randn(4) + request  # born, held


def main(watch):
    for request in range(60):
        answer(request)
        watch.step()
    report = watch.report()
    context.answers.clear()
    return report
