"""How an unexpected error is named in a log line: never by its message, which may quote a user."""

from traceback import extract_tb


def where_raised(error: BaseException) -> str:
    """The class of an error and where it was raised, such as `KeyError at join.py:42`."""
    frames = extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"
