"""A descriptor keeps each value of an attribute, to undo: no line spells the list's name."""

import garboard as gb

KIND, VERDICT, HOLDER = "tensor-list", "LEAK", "list `Canvas._image`"


class Undoable:
    def __set_name__(self, owner, name):
        self.name = f"_{name}"

    def __get__(self, canvas, owner=None):
        return canvas.__dict__[self.name][-1]

    def __set__(self, canvas, value):
        canvas.__dict__.setdefault(self.name, []).append(value)  # held


class Canvas:
    image = Undoable()


def main(watch):
    canvas = Canvas()
    canvas.image = gb.zeros(4, 4)
    for _ in range(120):
        canvas.image = canvas.image + gb.randn(4, 4)  # born
        watch.step()
    return watch.report()
