"""A policy learns from every 32 steps together; the last loss has a name until the next one."""

import garboard as gb


def main(watch):
    policy = gb.nn.Linear(4, 2)
    optimizer = gb.optim.SGD(policy.parameters(), lr=0.01)
    log_probs = []
    for _ in range(130):
        log_probs.append(policy(gb.randn(4)).log_softmax(0)[0])
        if len(log_probs) == 32:
            loss = -gb.stack(log_probs).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            log_probs.clear()
        watch.step()
    return watch.report()
