"""Labels that are wrong, many, or said twice, sent to a real processor."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.harness import RunningProcessor, StartProcessor
from tests.e2e.test_label_commands import ragmon

TRACE = f"{1:032x}"
RIGHT = {"trace_id": TRACE, "relevant_ids": {"a": 2, "b": 0}, "annotator": "ann"}
WRONG: tuple[tuple[Any, str], ...] = (
    ({**RIGHT, "relevnt_ids": []}, "unknown key 'relevnt_ids'; did you mean 'relevant_ids'?"),
    ({**RIGHT, "relevant_ids": 3}, "relevant_ids must be"),
    ({**RIGHT, "relevant_ids": {"a": "much"}}, "relevant_ids"),
    ({**RIGHT, "relevant_ids": {"a": True}}, "relevant_ids"),
    ({**RIGHT, "trace_id": TRACE[1:]}, "trace_id must be 32 hexadecimal digits"),
    ({**RIGHT, "span_id": "xyz"}, "span_id must be 16 hexadecimal digits"),
    ({**RIGHT, "query": "q"}, "more than one target: trace_id, query"),
    ({**RIGHT, "probability": 2}, "probability must be a number above 0 and at most 1"),
    ({**RIGHT, "answerable": "yes"}, "answerable must be"),
    ({"trace_id": TRACE}, "no gold field"),
    ("a text", "a label must be a JSON object"),
)


@pytest.fixture
def processor(start_processor: StartProcessor) -> RunningProcessor:
    """A processor that takes labels in any number."""
    return start_processor(limits={"labels_per_s": 1_000_000})


def _post(processor: RunningProcessor, labels: object) -> httpx.Response:
    content = json.dumps(labels) if not isinstance(labels, bytes) else labels
    headers = {"content-type": "application/json"}
    return httpx.post(f"{processor.otlp}/v1/labels", content=content, headers=headers, timeout=60)


def test_every_wrong_label_has_a_line_and_the_right_one_is_kept(
    processor: RunningProcessor,
) -> None:
    """By its position, with what is wrong; nothing is applied in part without a word."""
    answer = _post(processor, [*(label for label, _ in WRONG), RIGHT])
    told = answer.json()
    assert answer.status_code == 207
    assert (told["outcomes"], told["rejected"], told["fault_count"]) == (
        {"accepted": 1},
        len(WRONG),
        len(WRONG),
    )
    for position, (fault, (_, expected)) in enumerate(zip(told["faults"], WRONG, strict=True)):
        assert fault.startswith(f"label {position}: ")
        assert expected in fault
    assert _post(processor, [WRONG[0][0]]).status_code == 400


def test_a_grade_that_json_does_not_know_spoils_its_body(processor: RunningProcessor) -> None:
    """NaN is no JSON: nothing is kept, and that is said."""
    content = b'[{"trace_id": "%s", "relevant_ids": {"a": NaN}}]' % TRACE.encode()
    assert _post(processor, content).status_code == 400
    assert processor.value("ragmon_labels_total", outcome="accepted") == 0


def test_a_hundred_thousand_labels_in_one_body_are_taken_or_refused_whole(
    processor: RunningProcessor,
) -> None:
    """Below the bound of a body all are kept; above it none."""
    many = [{"query": f"number {n}", "answerable": True} for n in range(100_000)]
    assert _post(processor, many).json()["outcomes"] == {"accepted": 100_000}
    assert _post(processor, many).json()["outcomes"] == {"unchanged": 100_000}
    padded = [{"query": f"{n} " + "x" * 200, "answerable": True} for n in range(100_000)]
    answer = _post(processor, padded)
    assert (answer.status_code, "bytes" in answer.text) == (413, True)
    assert processor.value("ragmon_labels_total", outcome="accepted") == 100_000


def test_a_label_said_twice_counts_once(processor: RunningProcessor) -> None:
    """In one body and in two; another value of the same revision and time is decided the same."""
    assert _post(processor, [RIGHT, RIGHT]).json()["outcomes"] == {"accepted": 1, "unchanged": 1}
    assert _post(processor, RIGHT).json()["outcomes"] == {"unchanged": 1}


def test_an_import_waits_for_a_rate(start_processor: StartProcessor, tmp_path: Path) -> None:
    """More labels than a second may have are put off and come in all the same."""
    processor = start_processor(limits={"labels_per_s": 500})
    gold = tmp_path / "gold.jsonl"
    lines = ({"query": f"number {n}", "answerable": True} for n in range(2_500))
    gold.write_text("\n".join(map(json.dumps, lines)))
    done = ragmon("import", "--endpoint", processor.otlp, gold)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2500 accepted")
    assert processor.value("ragmon_processor_bodies_refused_total", reason="too_many")
