"""Each request takes its answer out again."""

import threading

import garboard as gb

context = threading.local()


def answer(request):
    if not hasattr(context, "answers"):
        context.answers = {}
    context.answers[request] = gb.randn(4) + request
    context.answers.pop(request)


def main(watch):
    for request in range(60):
        answer(request)
        watch.step()
    report = watch.report()
    context.answers.clear()
    return report
