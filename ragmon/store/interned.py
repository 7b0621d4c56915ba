"""Pipelines and layouts, stored once and referred to by number."""

import orjson
from sqlalchemy import Connection, insert, select

from ragmon.model.measurement import Layout, Slot
from ragmon.store.schema import LAYOUT, PIPELINE


class Interned:
    """Numbers of names, remembered.

    Those made in a transaction that failed must be forgotten: call `clear`.
    """

    def __init__(self) -> None:
        self._pipelines: dict[str, int] = {}
        self._layout_ids: dict[Layout, int] = {}
        self._layouts: dict[int, Layout] = {}

    def clear(self) -> None:
        """Forget every number."""
        self._pipelines.clear()
        self._layout_ids.clear()
        self._layouts.clear()

    def pipeline_id(self, connection: Connection, name: str) -> int:
        """The number of a pipeline, made if need be (inside a write)."""
        found = self._pipelines.get(name)
        if found is None:
            found = _pipeline_id(connection, name) or _new_pipeline(connection, name)
            self._pipelines[name] = found
        return found

    def layout_id(self, connection: Connection, layout: Layout) -> int:
        """The number of a layout, made if need be (inside a write)."""
        found = self._layout_ids.get(layout)
        if found is None:
            found = _layout_id(connection, layout)
            self._layout_ids[layout] = found
            self._layouts[found] = layout
        return found

    def layout(self, connection: Connection, number: int) -> Layout:
        """The layout of a number that stands in a row; one object per number."""
        found = self._layouts.get(number)
        if found is None:
            slots = connection.execute(select(LAYOUT.c.slots).where(LAYOUT.c.id == number))
            found = tuple(Slot(*slot) for slot in orjson.loads(slots.scalar_one()))
            self._layouts[number] = found
        return found


def _pipeline_id(connection: Connection, name: str) -> int | None:
    return connection.execute(select(PIPELINE.c.id).where(PIPELINE.c.name == name)).scalar()


def _new_pipeline(connection: Connection, name: str) -> int:
    made = connection.execute(insert(PIPELINE).values(name=name))
    return int(made.inserted_primary_key[0])  # type: ignore[index]


def _layout_id(connection: Connection, layout: Layout) -> int:
    slots = orjson.dumps([tuple(slot) for slot in layout]).decode()
    found = connection.execute(select(LAYOUT.c.id).where(LAYOUT.c.slots == slots)).scalar()
    if found is not None:
        return int(found)
    made = connection.execute(insert(LAYOUT).values(slots=slots))
    return int(made.inserted_primary_key[0])  # type: ignore[index]
