"""The tables of a new store. What changes here needs a revision in `migrations/versions`."""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

METADATA = MetaData()

WAITING = text("kind <> 'query'")
"""Labels that point at certain requests; those on a query stand for all to come."""

TRACE = Table(
    "trace",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("trace_id", Text, nullable=False, unique=True),
    Column("revision", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("first_ns", BigInteger, nullable=False),  # of the first settle, processor's clock
    Column("event_ns", BigInteger, nullable=False),  # of the latest request, else first_ns
    Column("vanished", LargeBinary),  # what requests that are no more had observed
    Column("span_ids", Text),  # once the trace is sealed or gone
    Index("trace_event", "event_ns"),
    Index("trace_settled", "first_ns", sqlite_where=text("state = 'settled'")),
)

# One row once what rests here is hashed, and none before.
KEYING = Table("keying", METADATA, Column("key_check", Text, nullable=False))

# Apart from `trace`, so that a label never rewrites a blob.
KEPT = Table(
    "kept",
    METADATA,
    Column("trace", Integer, primary_key=True),
    Column("spans", LargeBinary, nullable=False),  # reduced records once the trace is sealed
)

RESULT = Table(
    "result",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("trace", Integer, nullable=False),
    Column("span_id", Text, nullable=False),
    Column("minute", Integer, nullable=False),
    Column("event_ns", BigInteger, nullable=False),
    Column("pipeline", Integer, nullable=False),
    Column("layout", Integer, nullable=False),
    Column("pipeline_version", Text),
    Column("outcome", Text, nullable=False),
    Column("weight", Float),
    Column("vec", LargeBinary, nullable=False),  # float64 in layout order, NaN: not measured
    Column("reasons", LargeBinary, nullable=False),
    Column("durations", LargeBinary, nullable=False),
    Column("winners", LargeBinary, nullable=False),
    Column("marks", LargeBinary, nullable=False),  # one byte a slot: how it was counted
    Column("observed", LargeBinary, nullable=False),  # observations beside the scores
    Column("elsewhere", LargeBinary),  # marks of slots that left the layout
    Column("span_ids", Text, nullable=False),
    Column("match_keys", LargeBinary, nullable=False),
    Index("result_trace", "trace"),
    Index("result_minute", "pipeline", "minute"),
)

MATCH_KEY = Table(
    "match_key",
    METADATA,
    Column("digest", BigInteger, primary_key=True, autoincrement=False),
    Column("trace", Integer, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)

LABEL = Table(
    "label",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("digest", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("query", Text),  # the words of a query whose target is a hash
    Column("pipeline", Text),
    Column("field", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("labelled_at_ns", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("probability", Float),
    Column("content_hash", Text, nullable=False),
    Column("stored_ns", BigInteger, nullable=False),
    Column("matched_ns", BigInteger),  # of the commit that first used it
    Index("label_digest", "digest"),
    Index("label_age", "stored_ns"),
    Index(
        "label_unmatched",
        "labelled_at_ns",
        sqlite_where=text(f"matched_ns IS NULL AND {WAITING}"),
    ),
)

# Apart from labels: feedback is shown and never joined. No text of a person's rests here but
# the application's own id of a request.
FEEDBACK = Table(
    "feedback",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("identity", LargeBinary, nullable=False, unique=True),
    Column("digest", BigInteger, nullable=False),  # under which match key a request stands
    Column("span_id", Text),  # of the one span that is meant
    Column("pipeline", Text),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("score", Float),
    Column("label", Text),
    Column("source", Text, nullable=False),
    Column("given_ns", BigInteger, nullable=False),
    Column("stored_ns", BigInteger, nullable=False),
    Column("counted", Integer),  # 1 once it was counted with the pipeline of its request
    Index("feedback_digest", "digest"),
    Index("feedback_age", "stored_ns"),
    Index("feedback_waiting", "id", sqlite_where=text("counted IS NULL")),
)

TOUCHED = Table(
    "touched",
    METADATA,
    Column("trace", Integer, primary_key=True),
    Column("cause", Text, nullable=False),
)

# A version of a document with its chunks, however often it was registered. Its numbers are
# never given again: what is remembered of a version stays true.
CORPUS_DOCUMENT = Table(
    "corpus_document",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("pipeline", Integer, nullable=False),
    Column("document_id", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    Column("tokens_hash", Text, nullable=False),
    Column("bytes", Integer, nullable=False),  # of the tokens
    Index("corpus_document_content", "pipeline", "document_id", "content_hash", unique=True),
    sqlite_autoincrement=True,
)

# Apart from `corpus_document`, so that looking for versions reads no text.
CORPUS_TOKENS = Table(
    "corpus_tokens",
    METADATA,
    Column("document", Integer, primary_key=True),
    Column("tokens", Text, nullable=False),
)

CORPUS_CHUNK = Table(
    "corpus_chunk",
    METADATA,
    Column("digest", BigInteger, primary_key=True, autoincrement=False),
    Column("document", Integer, primary_key=True, autoincrement=False),
    Column("chunk_id", Text, primary_key=True),
    Column("first", Integer),  # NULL: it could not be located
    Column("end", Integer),
    Index("corpus_chunk_document", "document"),
    sqlite_with_rowid=False,
)

CORPUS_REGISTRATION = Table(
    "corpus_registration",
    METADATA,
    Column("document", Integer, primary_key=True, autoincrement=False),
    Column("registered_ns", BigInteger, primary_key=True, autoincrement=False),
    Column("trace", Integer, primary_key=True, autoincrement=False),  # 0: it was posted
    Index("corpus_registration_trace", "trace"),
    sqlite_with_rowid=False,
)

CORPUS_REVISION = Table(
    "corpus_revision",
    METADATA,
    Column("pipeline", Integer, primary_key=True, autoincrement=False),
    Column("revision", Integer, nullable=False),
)

# What kept requests read of the corpus: narrow and by time, to be searched quickly.
CORPUS_READER = Table(
    "corpus_reader",
    METADATA,
    Column("pipeline", Integer, primary_key=True, autoincrement=False),
    Column("event_ns", BigInteger, primary_key=True, autoincrement=False),
    Column("trace", Integer, primary_key=True, autoincrement=False),
    Column("span_id", Text, primary_key=True),
    Column("digests", LargeBinary, nullable=False),
    Index("corpus_reader_trace", "trace"),
    sqlite_with_rowid=False,
)

DIRTY = Table(
    "dirty",
    METADATA,
    Column("pipeline", Integer, primary_key=True, autoincrement=False),
    Column("minute", Integer, primary_key=True, autoincrement=False),
    Column("mark", Integer, nullable=False),
    sqlite_with_rowid=False,
)

ROLL_UP = Table(
    "roll_up",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("pipeline", Integer, nullable=False),
    Column("minute", Integer, nullable=False),
    Column("layout", Integer, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("labelled", Integer, nullable=False),
    Column("sums", LargeBinary, nullable=False),
    Column("latencies", LargeBinary, nullable=False),
    Index("roll_up_place", "minute", "pipeline", "layout", unique=True),
)

PIPELINE = Table(
    "pipeline",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
)

LAYOUT = Table(
    "layout",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("slots", Text, nullable=False, unique=True),
)
