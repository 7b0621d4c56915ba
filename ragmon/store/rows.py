"""A result as the columns of one row, and back."""

import math
import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

import orjson

from ragmon.model.gold import MatchKey, TargetKind
from ragmon.model.measurement import Layout, Measured, NotMeasured
from ragmon.model.record import Outcome, Stage
from ragmon.model.result import (
    Evaluation,
    Observation,
    Observed,
    RequestKey,
    Result,
    Winner,
)
from ragmon.store.observations import Mark, Marks, ScoreName, score_names

Columns: TypeAlias = dict[str, Any]

NS_PER_MINUTE = 60_000_000_000

_STAGES = tuple(Stage)
_DURATIONS = struct.Struct(f"<{len(_STAGES)}d")
_EVALUATIONS = tuple(Evaluation)
_CODES = {evaluation: code for code, evaluation in enumerate(_EVALUATIONS)}
_OBSERVED = 0x80
_SILENT = 0x40

NO_WINNERS = b"[]"


def pack(result: Result, marks: Marks) -> Columns:
    """The columns of a result that do not depend on where it is stored."""
    names = score_names(result.layout)
    return {
        "span_id": result.key.span_id,
        "minute": result.event_ns // NS_PER_MINUTE,
        "event_ns": result.event_ns,
        "pipeline_version": result.pipeline_version,
        "outcome": result.outcome.value,
        "weight": result.weight,
        "vec": _pack_values(result.values),
        "reasons": _pack_reasons(result.values),
        "durations": _pack_durations(result.durations),
        "winners": pack_winners(result.winners),
        "marks": bytes([_code(marks.scores[name]) for name in names]),
        "observed": _pack_observations(marks.observations),
        "elsewhere": _pack_elsewhere(marks, names),
        "span_ids": " ".join(result.span_ids),
        "match_keys": pack_digests(key.digest for key in result.match_keys),
    }


def unpack(row: Any, layout: Layout) -> Result:
    """The result of a row with the columns of `pack`, `trace_id` and the pipeline's `name`."""
    observations = unpack_observations(row.observed)
    return Result(
        key=RequestKey(row.trace_id, row.span_id),
        span_ids=(),
        pipeline=row.name,
        pipeline_version=row.pipeline_version,
        event_ns=row.event_ns,
        outcome=Outcome(row.outcome),
        weight=row.weight,
        layout=layout,
        values=_unpack_values(row.vec, row.reasons),
        durations=_unpack_durations(row.durations),
        observations={name: value for name, value in observations.items() if value is not None},
        winners=unpack_winners(row.winners),
    )


def unpack_marks(row: Any, layout: Layout) -> Marks:
    """What was observed of the request of a row."""
    scores = unpack_scores(row.elsewhere) if row.elsewhere else {}
    values = array("d", row.vec)
    for name, code, value in zip(score_names(layout), row.marks, values, strict=True):
        scores[name] = _mark(code, None if math.isnan(value) else value)
    return Marks(scores, unpack_observations(row.observed))


# --- measurements -------------------------------------------------------------------


def _pack_values(values: Sequence[Measured]) -> bytes:
    return array(
        "d", [math.nan if isinstance(value, NotMeasured) else value for value in values]
    ).tobytes()


def _pack_reasons(values: Sequence[Measured]) -> bytes:
    """Reason -> places in the layout."""
    places: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        if isinstance(value, NotMeasured):
            places.setdefault(value.reason, []).append(place)
    return orjson.dumps(places)


def _unpack_values(vec: bytes, reasons: bytes) -> tuple[Measured, ...]:
    values: list[Measured] = [*array("d", vec)]
    for reason, places in orjson.loads(reasons).items():
        why = _reason(reason)
        for place in places:
            values[place] = why
    return tuple(values)


@lru_cache(maxsize=1024)
def _reason(reason: str) -> NotMeasured:
    return NotMeasured.parse(reason)


def _pack_durations(durations: Mapping[Stage, float]) -> bytes:
    return _DURATIONS.pack(*(durations.get(stage, math.nan) for stage in _STAGES))


def _unpack_durations(packed: bytes) -> dict[Stage, float]:
    seconds = zip(_STAGES, _DURATIONS.unpack(packed), strict=True)
    return {stage: value for stage, value in seconds if not math.isnan(value)}


# --- marks --------------------------------------------------------------------------


def _code(mark: Mark) -> int:
    flags = (_OBSERVED if mark.observed else 0) | (_SILENT if mark.silent else 0)
    return _CODES[mark.first] | flags


def _mark(code: int, value: float | None = None) -> Mark:
    first = _EVALUATIONS[code & ~(_OBSERVED | _SILENT)]
    return Mark(first, bool(code & _OBSERVED), value, bool(code & _SILENT))


def _pack_elsewhere(marks: Marks, names: Sequence[ScoreName]) -> bytes | None:
    if len(marks.scores) == len(names):
        return None
    here = frozenset(names)
    return _pack_scores({name: mark for name, mark in marks.scores.items() if name not in here})


def _pack_scores(scores: Mapping[ScoreName, Mark]) -> bytes:
    return orjson.dumps([[*name, _code(mark)] for name, mark in scores.items()])


def unpack_scores(packed: bytes) -> dict[ScoreName, Mark]:
    """Marks without values, by the name of the score."""
    return {(stage, metric, k): _mark(code) for stage, metric, k, code in orjson.loads(packed)}


def _pack_observations(observations: Mapping[Observation, Observed | None]) -> bytes:
    return orjson.dumps([[*name, value] for name, value in observations.items()])


def unpack_observations(packed: bytes) -> dict[Observation, Observed | None]:
    """Every observation made, with the value that stands now; None: it stands no more."""
    return {
        Observation(family, name, qualifier): value
        for family, name, qualifier, value in orjson.loads(packed)
    }


def pack_vanished(vanished: Mapping[str, Marks]) -> bytes | None:
    """What requests that are no more had observed; None for none."""
    if not vanished:
        return None
    return orjson.dumps(
        {
            key: [
                _pack_scores(marks.scores).decode(),
                _pack_observations(marks.observations).decode(),
            ]
            for key, marks in vanished.items()
        }
    )


def unpack_vanished(packed: bytes | None) -> dict[str, Marks]:
    """What `pack_vanished` was given, without values."""
    return {
        key: Marks(unpack_scores(scores), unpack_observations(observations))
        for key, (scores, observations) in orjson.loads(packed or b"{}").items()
    }


# --- labels -------------------------------------------------------------------------


def pack_winners(winners: Iterable[Winner]) -> bytes:
    """The labels that won, with their targets."""
    return orjson.dumps(
        [
            [winner.field, winner.content_hash, *winner.key, winner.labelled_at_ns]
            for winner in winners
        ]
    )


def unpack_winners(packed: bytes) -> tuple[Winner, ...]:
    """What `pack_winners` was given."""
    return tuple(
        Winner(name, content_hash, MatchKey(TargetKind(kind), value), labelled_at_ns)
        for name, content_hash, kind, value, labelled_at_ns in orjson.loads(packed)
    )


def without_targets(packed: bytes) -> bytes:
    """The same winners without what they point at: a query is a user's text."""
    return pack_winners(
        replace(winner, key=MatchKey(winner.key.kind, "")) for winner in unpack_winners(packed)
    )


def pack_digests(digests: Iterable[int]) -> bytes:
    """Signed 64-bit hashes."""
    return array("q", digests).tobytes()


def unpack_digests(packed: bytes) -> tuple[int, ...]:
    """What `pack_digests` was given."""
    return tuple(array("q", packed))
