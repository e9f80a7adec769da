"""Each failure is raised from the one before it, and the last is kept: it leads to all of them."""

import garboard as gb

KIND, VERDICT, HOLDER = "retained-exception", "LEAK", "ConnectionError `Client.last_error`"


class Client:
    last_error: Exception | None = None

    def call(self):
        try:
            answer = gb.randn(64)  # born
            raise TimeoutError(answer.shape)
        except TimeoutError as error:
            try:
                raise ConnectionError from (self.last_error or error)
            except ConnectionError as outer:
                self.last_error = outer  # held


def main(watch):
    client = Client()
    for _ in range(60):
        client.call()
        watch.step()
    return watch.report()
