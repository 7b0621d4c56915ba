"""What cannot be settled is set aside, and costs nothing else."""

from pathlib import Path

from ragmon.ingest.split import PROTOBUF
from ragmon.model.flow import Body
from tests.app.running import START_NS, S, body, law, request, running, send, series

DAMAGED = Body(START_NS, PROTOBUF, "gzip", b"damaged on the disk", 1)


def test_no_room_aside_costs_no_entry_behind(tmp_path: Path) -> None:
    """A folder that cannot be made loses the damaged body only, which is counted."""
    (tmp_path / "aside").write_text("in the way")
    with running(tmp_path) as parts:
        send(parts, DAMAGED, body(request(1)), body(request(2)))
        parts.processor.step(START_NS + 10 * S)
        assert series(parts, "ragmon_requests_total") == 2
        assert series(parts, "ragmon_processor_spans_dropped_total", 'reason="failed"') == 1
        assert law(parts) == (3, 3)


def test_an_aside_that_raises_costs_no_entry_behind(tmp_path: Path) -> None:
    """Whatever goes wrong while a body is set aside, the entries read with it are taken."""

    class Broken:
        def put(self, trace_id: str, request: bytes) -> bool:
            raise RuntimeError

    with running(tmp_path) as parts:
        parts.processor._aside = Broken()
        send(parts, DAMAGED, body(request(1)))
        parts.processor.step(START_NS + 10 * S)
        assert series(parts, "ragmon_requests_total") == 1
        assert law(parts) == (2, 2)
