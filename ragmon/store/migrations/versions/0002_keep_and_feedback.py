"""Feedback; queries and the corpus as hashes; traces in the order in which they are sealed."""

from alembic import op
from sqlalchemy import BigInteger, Column, Float, Integer, LargeBinary, Text, text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what is new; the version has a table of alembic's from now on."""
    op.create_table("keying", Column("key_check", Text, nullable=False))
    op.create_index("trace_settled", "trace", ["first_ns"], sqlite_where=text("state = 'settled'"))
    op.add_column("label", Column("query", Text))
    op.create_table(
        "feedback",
        Column("id", Integer, primary_key=True),
        Column("identity", LargeBinary, nullable=False, unique=True),
        Column("digest", BigInteger, nullable=False),
        Column("span_id", Text),
        Column("pipeline", Text),
        Column("name", Text, nullable=False),
        Column("kind", Text, nullable=False),
        Column("score", Float),
        Column("label", Text),
        Column("source", Text, nullable=False),
        Column("given_ns", BigInteger, nullable=False),
        Column("stored_ns", BigInteger, nullable=False),
        Column("counted", Integer),
    )
    op.create_index("feedback_digest", "feedback", ["digest"])
    op.create_index("feedback_age", "feedback", ["stored_ns"])
    op.create_index("feedback_waiting", "feedback", ["id"], sqlite_where=text("counted IS NULL"))
    op.drop_table("schema_version")
