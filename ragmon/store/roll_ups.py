"""Roll-ups at rest, and the minutes whose roll-ups are out of date."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from sqlalchemy import Connection, bindparam, delete, insert, select, tuple_
from sqlalchemy.dialects.sqlite import insert as upsert

from ragmon.model.record import Stage
from ragmon.model.window import Column, Dirty, RollUp
from ragmon.store.database import Database
from ragmon.store.interned import Interned
from ragmon.store.schema import DIRTY, PIPELINE, ROLL_UP

_PAGE = 500

_NEW_DIRTY = upsert(DIRTY)
_DIRTY = _NEW_DIRTY.on_conflict_do_update(
    index_elements=[DIRTY.c.pipeline, DIRTY.c.minute], set_={"mark": _NEW_DIRTY.excluded.mark}
)

_ALL_DIRTY = (
    select(DIRTY.c.minute, PIPELINE.c.name, DIRTY.c.mark)
    .join_from(DIRTY, PIPELINE, PIPELINE.c.id == DIRTY.c.pipeline)
    .limit(bindparam("most"))
)

_LATEST = _ALL_DIRTY.order_by(DIRTY.c.minute.desc(), PIPELINE.c.name)

_FOLLOWING = _ALL_DIRTY.where(
    tuple_(PIPELINE.c.name, DIRTY.c.minute) > tuple_(bindparam("name"), bindparam("minute"))
).order_by(PIPELINE.c.name, DIRTY.c.minute)

_WITHIN = (
    select(DIRTY.c.minute, PIPELINE.c.name, DIRTY.c.mark)
    .join_from(DIRTY, PIPELINE, PIPELINE.c.id == DIRTY.c.pipeline)
    .where(DIRTY.c.minute >= bindparam("start"), DIRTY.c.minute < bindparam("end"))
    .order_by(PIPELINE.c.name, DIRTY.c.minute)
)

_BEFORE_ALL = -1 << 63
"""A minute before every minute."""

_ROLL_UPS = (
    select(ROLL_UP, PIPELINE.c.name)
    .join_from(ROLL_UP, PIPELINE, PIPELINE.c.id == ROLL_UP.c.pipeline)
    .where(
        ROLL_UP.c.minute < bindparam("end_minute"),
        tuple_(ROLL_UP.c.minute, ROLL_UP.c.pipeline, ROLL_UP.c.layout)
        > tuple_(bindparam("minute"), bindparam("pipeline"), bindparam("layout")),
    )
    .order_by(ROLL_UP.c.minute, ROLL_UP.c.pipeline, ROLL_UP.c.layout)
    .limit(_PAGE)
)


def mark_dirty(connection: Connection, minutes: Iterable[tuple[int, int]], mark: int) -> None:
    """Mark each (pipeline, minute) as out of date."""
    if rows := [{"pipeline": of, "minute": at, "mark": mark} for of, at in set(minutes)]:
        connection.execute(_DIRTY, rows)


def out_of_date(connection: Connection, limit: int, behind: Dirty | None) -> list[Dirty]:
    """Minutes that are out of date: half of them the latest, then those that follow `behind`.

    They follow each other by pipeline and minute, round and round.
    """
    found = dict.fromkeys(_dirty(connection, _LATEST, limit - limit // 2))
    starts = [("", _BEFORE_ALL)] if behind is None else [_place(behind), ("", _BEFORE_ALL)]
    for name, minute in starts:
        # Some of them may be among the latest: only the whole limit is sure to be enough.
        found |= dict.fromkeys(_dirty(connection, _FOLLOWING, limit, name=name, minute=minute))
    return list(found)[:limit]


def out_of_date_within(connection: Connection, start_minute: int, end_minute: int) -> list[Dirty]:
    """Every minute of a time span that is out of date, by pipeline and minute."""
    found = connection.execute(_WITHIN, {"start": start_minute, "end": end_minute})
    return [Dirty(*row) for row in found]


def _place(dirty: Dirty) -> tuple[str, int]:
    return dirty.pipeline, dirty.minute


def _dirty(connection: Connection, query: Any, most: int, **place: Any) -> list[Dirty]:
    return [Dirty(*row) for row in connection.execute(query, {"most": most, **place})]


def put(
    connection: Connection, interned: Interned, dirty: Dirty, roll_ups: Iterable[RollUp]
) -> None:
    """Replace the roll-ups of a minute; it stays dirty if its mark moved since."""
    pipeline = interned.pipeline_id(connection, dirty.pipeline)
    connection.execute(
        delete(ROLL_UP).where(ROLL_UP.c.pipeline == pipeline, ROLL_UP.c.minute == dirty.minute)
    )
    rows = [
        _pack(roll_up, pipeline, interned.layout_id(connection, roll_up.layout))
        for roll_up in roll_ups
    ]
    if rows:
        connection.execute(insert(ROLL_UP), rows)
    connection.execute(
        delete(DIRTY).where(
            DIRTY.c.pipeline == pipeline,
            DIRTY.c.minute == dirty.minute,
            DIRTY.c.mark == dirty.mark,
        )
    )


def read(
    database: Database, interned: Interned, start_minute: int, end_minute: int
) -> Iterator[RollUp]:
    """Stored roll-ups of a time span, a page a snapshot."""
    place = {"minute": start_minute, "pipeline": -1, "layout": -1}
    while True:
        with database.read() as connection:
            page = connection.execute(_ROLL_UPS, {"end_minute": end_minute, **place}).all()
            made = [_unpack(connection, row, interned) for row in page]
        yield from made
        if len(page) < _PAGE:
            return
        last = page[-1]
        place = {"minute": last.minute, "pipeline": last.pipeline, "layout": last.layout}


def _pack(roll_up: RollUp, pipeline: int, layout: int) -> dict[str, Any]:
    return {
        "pipeline": pipeline,
        "minute": roll_up.minute,
        "layout": layout,
        "requests": roll_up.requests,
        "labelled": roll_up.labelled,
        "sums": np.ascontiguousarray(roll_up.sums, dtype=np.float64).tobytes(),
        "latencies": _pack_latencies(roll_up.latencies),
    }


def _unpack(connection: Connection, row: Any, interned: Interned) -> RollUp:
    return RollUp(
        minute=row.minute,
        pipeline=row.name,
        layout=interned.layout(connection, row.layout),
        requests=row.requests,
        labelled=row.labelled,
        sums=np.frombuffer(row.sums, dtype=np.float64).reshape(-1, len(Column)),
        latencies=_unpack_latencies(row.latencies),
    )


def _pack_latencies(latencies: Mapping[Stage, NDArray[np.float64]]) -> bytes:
    """A line of JSON with the number of values per stage, then the values."""
    head = orjson.dumps({stage.value: len(values) for stage, values in latencies.items()})
    values = [np.ascontiguousarray(v, dtype=np.float64).tobytes() for v in latencies.values()]
    return b"\n".join([head, b"".join(values)])


def _unpack_latencies(packed: bytes) -> dict[Stage, NDArray[np.float64]]:
    head, _, values = packed.partition(b"\n")
    counts = orjson.loads(head)
    every = np.frombuffer(values, dtype=np.float64)
    ends = accumulate(counts.values())
    return {
        Stage(stage): every[end - count : end]
        for (stage, count), end in zip(counts.items(), ends, strict=True)
    }
