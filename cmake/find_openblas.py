"""Print where the wheel scipy-openblas32 keeps its library and its licence, `;` between them."""

from importlib.metadata import files

ours = [file for file in files("scipy-openblas32") or [] if ".pyc" not in file.name]
library = next(file for file in ours if file.name.startswith("libscipy_openblas"))
licence = next(file for file in ours if "LICENSE" in file.name)
print(library.locate(), licence.locate(), sep=";")
