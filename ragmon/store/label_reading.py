"""Labels read out again, a page a snapshot, and counted."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, and_, func, select

from ragmon.model.gold import GoldField, GoldLabel
from ragmon.model.label_views import LabelChoice, LabelCount
from ragmon.store.database import Database
from ragmon.store.labels import of_row
from ragmon.store.schema import LABEL, WAITING

_PAGE = 1000
_MOST_COUNTS = 1000


def read(database: Database, choice: LabelChoice) -> Iterator[GoldLabel]:
    """The chosen labels, in the order in which they first came."""
    after = 0
    chosen = _chosen(choice)
    while True:
        following = select(LABEL).where(LABEL.c.id > after, *chosen)
        with database.read() as connection:
            page = connection.execute(following.order_by(LABEL.c.id).limit(_PAGE)).all()
        for row in page:
            yield of_row(row)
        if len(page) < _PAGE:
            return
        after = page[-1].id


def _chosen(choice: LabelChoice) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if choice.field is not None:
        conditions.append(LABEL.c.field == choice.field.value)
    if choice.annotator is not None:
        conditions.append(LABEL.c.annotator == choice.annotator)
    if choice.since_ns is not None:
        conditions.append(LABEL.c.stored_ns >= choice.since_ns)
    return conditions


def count(connection: Connection) -> tuple[LabelCount, ...]:
    """Labels by field and annotator, the most numerous first, at most a thousand counts."""
    waiting = func.count().filter(and_(LABEL.c.matched_ns.is_(None), WAITING))
    counted = (
        select(LABEL.c.field, LABEL.c.annotator, func.count().label("labels"), waiting)
        .group_by(LABEL.c.field, LABEL.c.annotator)
        .order_by(func.count().desc(), LABEL.c.field, LABEL.c.annotator)
        .limit(_MOST_COUNTS)
    )
    return tuple(
        LabelCount(GoldField(field), annotator, labels, unmatched)
        for field, annotator, labels, unmatched in connection.execute(counted)
    )
