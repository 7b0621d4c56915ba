"""`ragmon erase` as a person runs it."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from ragmon.cli.commands import app
from ragmon.errors import ConfigError
from tests.cli.answering import Processor, serving

ERASED = {"outcomes": {"erased": 1}, "traces": 2, "labels": 1, "faults": []}


@pytest.fixture
def processor() -> Iterator[Processor]:
    """A processor that says what it erased."""
    with serving(Processor(ERASED)) as running:
        yield running


def _run(processor: Processor, *arguments: str, typed: str = "") -> Any:
    return CliRunner().invoke(app, ["erase", "--endpoint", processor.url, *arguments], input=typed)


def test_it_asks_before_it_erases(processor: Processor) -> None:
    """What is not confirmed is not sent."""
    assert _run(processor, "--request-id", "m-1", typed="n\n").exit_code == 1
    assert processor.seen == []
    told = _run(processor, "--request-id", "m-1", typed="y\n")
    assert (0, [("/v1/erase", None, [{"request_id": "m-1"}])]) == (told.exit_code, processor.seen)
    assert "erased: 2 stored traces, 1 labels" in told.stdout


def test_nothing_found_is_said_and_fails(processor: Processor) -> None:
    """So that a script sees it."""
    processor.answers = [(200, {"outcomes": {"not_found": 1}, "traces": 0, "faults": []})]
    told = _run(processor, "--document", "d", "--pipeline", "p", "--yes")
    assert (1, "nothing was found\n") == (told.exit_code, told.stdout)
    assert [{"document_id": "d", "pipeline": "p"}] == processor.seen[0][2]


def test_labels_that_stand_are_named(processor: Processor) -> None:
    """They hold the words of the query."""
    processor.answers = [(200, {**ERASED, "standing_labels": 3})]
    assert "3 labels on the same query stand" in _run(processor, "--trace-id", "x", "--yes").stderr


def test_what_is_put_off_for_good_is_not_claimed(
    processor: Processor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked again, and in the end it says why and that texts may rest still."""
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("ragmon.cli.asking._TRIES", 3)
    processor.answers = [(503, {"message": "store.db is being read"})] * 3
    told = _run(processor, "--trace-id", "x", "--yes")
    assert (1, 3) == (told.exit_code, len(processor.seen))
    assert "store.db is being read" in str(told.exception)
    assert "it may rest still" in str(told.exception)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((400, {"outcomes": {}, "faults": ["target 0: trace_id must be 32"]}), "trace_id must be"),
        ((401, {"message": "unauthorized"}), "unauthorized"),
        ((404, b"not here"), "404 not here"),
    ],
)
def test_what_is_refused_is_said(processor: Processor, answer: Any, why: str) -> None:
    """As the answer says it."""
    processor.answers = [answer]
    told = _run(processor, "--trace-id", "x", "--yes")
    assert isinstance(told.exception, ConfigError)
    assert why in str(told.exception)
