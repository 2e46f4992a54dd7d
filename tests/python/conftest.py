"""Profiles of hypothesis: in CI the same cases in every run, elsewhere new ones; however slow."""

import os

from hypothesis import HealthCheck, settings

os.environ["USMX_LEAK_WARNINGS"] = "1"  # before usmx is imported: report what is left at the end

settings.register_profile(
    "dev", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
