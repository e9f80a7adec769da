"""How things are shown: cards of notebooks, HTML, the names of cells and of lines."""

__all__: list[str] = []
