"""The schema of the first stores, which named it version 2 in a table of their own.

There is nothing to do: a new store is made with the newest schema at once.
"""

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Stores at this revision are as they were made."""
