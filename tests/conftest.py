"""Settings of the whole test suite."""

from hypothesis import settings

# The first call of a test may compile; a slow machine is no bug. Examples are drawn alike on every run.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")
