"""What is kept of a request's texts once it is settled."""

from enum import StrEnum


class Keep(StrEnum):
    """Plain: the spans themselves. Hashed: keyed hashes of tokens. Ids: ids and scores only."""

    PLAIN = "plain"
    HASHED = "hashed"
    IDS = "ids"
