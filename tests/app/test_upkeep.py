"""Roll-ups, window gauges and retention, with the clock as an argument."""

from pathlib import Path

from ragmon.app.wiring import Parts, assembled
from ragmon.config import load
from ragmon.ingest.split import JSON, split
from ragmon.model.flow import Body

S = 1_000_000_000
DAY = 86_400 * S
START_NS = 1_796_100_000 * S
TRACE = Path(__file__).parent.parent / "fixtures" / "traces" / "openinference_llamaindex.json"


def settled(parts: Parts) -> None:
    content = TRACE.read_bytes()
    count = split(content, JSON, 0).span_count
    parts.writer.submit(Body(START_NS, JSON, "", content, count)).result()
    parts.processor.step(START_NS + 60 * S)


def window_series(parts: Parts) -> list[str]:
    lines = parts.exporter.exposition().body.decode().splitlines()
    return [line for line in lines if line.startswith("ragmon_window_")]


def test_windows_follow_the_requests_own_time() -> None:
    """A request is in a window while its own time is, and its series go when it leaves."""
    with assembled(load(None, {"store": {"path": "memory"}})) as parts:
        settled(parts)
        parts.upkeep.step(START_NS + 60 * S, may_expire=True)
        windows = {line.split('window="')[1].split('"')[0] for line in window_series(parts)}
        assert windows == {"24h"}
        parts.upkeep.step(START_NS + 2 * DAY, may_expire=True)
        assert window_series(parts) == []


def test_spans_go_after_keep_s_and_numbers_after_retention(tmp_path: Path) -> None:
    """First the content goes, then the rows; nothing goes during a replay or after a jump.

    Beside the one request there are two embedding runs, of its query and of the index.
    """
    with assembled(load(None, {"store": {"path": str(tmp_path)}})) as parts:
        settled(parts)
        trace_ids = [part.trace_id for part in split(TRACE.read_bytes(), JSON, 0).parts]

        def kept() -> int:
            return sum(bool(one.spans) for one in parts.store.load(trace_ids).values())

        def rows() -> int:
            return len(list(parts.store.rows(0, 1 << 62)))

        def a_quarter_of_an_hour_at(start_ns: int, *, may_expire: bool) -> None:
            for minute in range(16):
                parts.upkeep.step(start_ns + minute * 60 * S, may_expire=may_expire)

        parts.upkeep.step(START_NS + 8 * DAY, may_expire=True)
        assert (kept(), rows()) == (2, 3)
        a_quarter_of_an_hour_at(START_NS + 8 * DAY, may_expire=False)
        assert (kept(), rows()) == (2, 3)
        a_quarter_of_an_hour_at(START_NS + 8 * DAY, may_expire=True)
        assert (kept(), rows()) == (0, 3)
        a_quarter_of_an_hour_at(START_NS + 31 * DAY, may_expire=True)
        assert (kept(), rows()) == (0, 0)


def test_a_clock_that_was_set_back_freezes_no_window() -> None:
    """Windows are made anew at once, not when the clock has caught up."""
    with assembled(load(None, {"store": {"path": "memory"}})) as parts:
        parts.upkeep.step(START_NS + DAY, may_expire=True)
        settled(parts)
        parts.upkeep.step(START_NS + 60 * S, may_expire=True)
        assert window_series(parts)


def test_a_store_over_its_bound_is_shrunk_and_counted(tmp_path: Path) -> None:
    """What went early can be seen."""
    store = {"path": str(tmp_path), "max_bytes": 1}
    with assembled(load(None, {"store": store})) as parts:
        settled(parts)
        for minute in range(12):
            parts.upkeep.step(START_NS + minute * 60 * S, may_expire=True)
        assert list(parts.store.rows(0, 1 << 62)) == []
        lines = parts.exporter.exposition().body.decode().splitlines()
        assert "ragmon_processor_traces_early_total 4.0" in lines
        assert any(line.startswith("ragmon_processor_store_bytes ") for line in lines)
