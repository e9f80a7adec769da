"""The end of a computation that is done again, as soon as all that backward asks for is there."""

__all__ = ["Enough"]


class Enough(BaseException):
    """All that backward asks for has been computed again.

    It leaves an op that has just kept the last of it; what writes besides, as a norm its running
    statistics, does so all the same before it lets this pass.
    """
