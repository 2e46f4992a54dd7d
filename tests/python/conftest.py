"""One profile of hypothesis for every machine: the same examples in every run, however slow."""

from hypothesis import settings

settings.register_profile("usmx", deadline=None, derandomize=True, database=None)
settings.load_profile("usmx")
