"""What the tests of texts share: time is measured nowhere by hypothesis."""

from hypothesis import settings

# The first example of a test builds patterns that all others share.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
