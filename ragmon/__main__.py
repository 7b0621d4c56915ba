"""`python -m ragmon` is `ragmon`."""

from ragmon.cli.main import run

run()
