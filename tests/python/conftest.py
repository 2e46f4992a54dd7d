"""One profile of hypothesis for every machine: the same examples in every run, however slow."""

import os

from hypothesis import settings

os.environ["USMX_LEAK_WARNINGS"] = "1"  # before usmx is imported: report what is left at the end

settings.register_profile("usmx", deadline=None, derandomize=True, database=None)
settings.load_profile("usmx")
