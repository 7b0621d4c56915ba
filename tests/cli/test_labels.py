"""`ragmon labels` against a server that answers as it is told."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from ragmon.cli.commands import app
from ragmon.errors import ConfigError
from tests.cli.answering import Processor, serving

LABEL = {"query": "what", "answerable": True}
FINE = {"outcomes": {"accepted": 2, "superseded": 1}, "unmatched": 1, "rejected": 0, "faults": []}


@pytest.fixture
def processor() -> Iterator[Processor]:
    with serving(Processor(FINE)) as server:
        yield server


def run(processor: Processor, command: str, *arguments: object) -> tuple[int, str, str]:
    given = ["labels", command, "--endpoint", processor.url, *map(str, arguments)]
    result = CliRunner().invoke(app, given)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def written(folder: Path, *lines: object, name: str = "gold.jsonl") -> Path:
    content = "\n\n".join(json.dumps(line) for line in lines).encode()
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["gold.jsonl", "gold.jsonl.gz", "gold"])
def test_a_file_is_sent_and_what_became_of_it_told(
    processor: Processor, tmp_path: Path, name: str
) -> None:
    """With the token, and with annotator and pipeline for rows that name none."""
    token = tmp_path / "token"
    token.write_text("secret\n")
    own = {**LABEL, "annotator": "bob", "pipeline": None, "query_id": 7}
    path = written(tmp_path, LABEL, own, name=name)
    options = ("--annotator", "anna", "--pipeline", "shop", "--token-file", token)
    told = run(processor, "import", *options, path)
    assert told == (
        0,
        "2 accepted, 0 replaced, 0 unchanged, 1 superseded, 0 expired, 1 unmatched, 0 rejected\n",
        "",
    )
    first = {**LABEL, "annotator": "anna", "pipeline": "shop"}
    second = {**LABEL, "annotator": "bob", "pipeline": "shop"}
    assert processor.seen == [("/v1/labels", "Bearer secret", [first, second])]


def test_a_table_is_read_as_labels(processor: Processor, tmp_path: Path) -> None:
    """Cells of CSV and columns of Parquet become the same objects."""
    table = tmp_path / "gold.csv"
    table.write_text(
        "query,relevant_ids,reference_answers,answerable,revision,probability,request_id\n"
        'what,"[""a"",7]",thirty days,TRUE,2,0.5,\n'
        ",,[draft] a,0,,,0012\n"
    )
    columns = tmp_path / "gold.parquet"
    rows: list[dict[str, Any]] = [
        {
            "request_id": None,
            "query": "what",
            "relevant_ids": ["a", "7"],
            "reference_answers": ["thirty days"],
            "answerable": True,
            "revision": 2.0,
            "probability": 0.5,
        },
        {"request_id": "0012", "reference_answers": ["[draft] a"], "answerable": False},
    ]
    parquet.write_table(pa.Table.from_pylist(rows), columns)
    for file in (table, columns):
        code, _, err = run(processor, "import", file)
        assert (code, err) == (0, "")
    (_, _, of_csv), (_, _, of_parquet) = processor.seen
    assert of_csv == [
        {
            "query": "what",
            "relevant_ids": ["a", 7],
            "reference_answers": "thirty days",
            "answerable": True,
            "revision": 2,
            "probability": 0.5,
        },
        {"reference_answers": "[draft] a", "answerable": False, "request_id": "0012"},
    ]
    rows[0].pop("request_id")
    assert of_parquet == rows


def test_a_row_with_faults_costs_no_other(processor: Processor, tmp_path: Path) -> None:
    """Each is named with its line, and the exit code is 1."""
    path = tmp_path / "gold.jsonl"
    path.write_text(f'{json.dumps(LABEL)}\n\n{{"query": 1}}\n{{broken\n{json.dumps(LABEL)}')
    code, out, err = run(processor, "import", path)
    assert (code, out.endswith("2 rejected\n")) == (1, True)
    faults = [line.split(": ")[1:3] for line in err.splitlines()]
    assert [fault[0] for fault in faults] == [f"{path}:3", f"{path}:3", f"{path}:4"]
    assert faults[2][1] == "is no JSON"
    assert processor.seen[0][2] == [LABEL, LABEL]


def test_twenty_reasons_are_named(processor: Processor, tmp_path: Path) -> None:
    """And the others counted."""
    path = written(tmp_path, *[{"query": "x", "answerable": 1}] * 30)
    code, out, err = run(processor, "import", path)
    assert (code, len(err.splitlines())) == (1, 21)
    assert err.splitlines()[-1] == "ragmon: 10 more reasons"
    assert out.endswith("30 rejected\n")
    assert processor.seen == []


def test_a_fault_that_only_the_processor_sees(processor: Processor, tmp_path: Path) -> None:
    """It is named with its line too."""
    processor.answers = [(207, {**FINE, "rejected": 1, "faults": ["label 1: is of tomorrow"]})]
    path = written(tmp_path, LABEL, LABEL)
    code, out, err = run(processor, "import", path)
    assert (code, out.endswith("1 rejected\n")) == (1, True)
    assert err == f"ragmon: {path}:3: is of tomorrow\n"


def test_check_sends_nothing(processor: Processor, tmp_path: Path) -> None:
    """It only says what could be used."""
    path = written(tmp_path, LABEL, {"query": "x"})
    code, out, _ = run(processor, "import", "--check", path)
    assert (code, out, processor.seen) == (1, "1 usable, 1 rejected\n", [])


def test_many_rows_go_in_batches(processor: Processor, tmp_path: Path) -> None:
    """So that neither side holds the whole file."""
    run(processor, "import", written(tmp_path, *[LABEL] * 2001))
    assert [len(lines) for _, _, lines in processor.seen] == [1000, 1000, 1]


@pytest.mark.parametrize("status", [503, 429])
@pytest.mark.parametrize("retry_after", ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_later_means_again(
    processor: Processor, tmp_path: Path, status: int, retry_after: str
) -> None:
    """After as long as is said, in seconds or as a date."""
    processor.retry_after = retry_after
    processor.answers = [(status, {}), (status, {}), (200, FINE)]
    assert run(processor, "import", written(tmp_path, LABEL))[0] == 0
    assert len(processor.seen) == 3


def test_a_batch_that_is_too_large_goes_in_halves(processor: Processor, tmp_path: Path) -> None:
    """A row that is too large alone is rejected, and costs no other."""
    too_large = {"message": "the body is over 9 bytes"}
    processor.answers = [(413, too_large), (413, too_large), (200, FINE)]
    path = written(tmp_path, LABEL, LABEL)
    code, _, err = run(processor, "import", path)
    assert (code, err) == (1, f"ragmon: {path}:1: the body is over 9 bytes\n")
    assert [len(lines) for _, _, lines in processor.seen] == [2, 1, 1]


@pytest.mark.parametrize(("status", "answer"), [(401, {}), (404, b"no"), (200, {"status": "ok"})])
@pytest.mark.parametrize("command", ["import", "export", "status"])
def test_an_endpoint_without_labels_is_named(
    processor: Processor, tmp_path: Path, status: int, answer: object, command: str
) -> None:
    """Exit 2, as for every wrong argument."""
    processor.answers = [(status, answer)]
    arguments = {"import": (written(tmp_path, LABEL),), "export": (tmp_path / "out",)}
    if (status, command) == (200, "export"):
        return
    with pytest.raises(ConfigError, match=f"--endpoint .*: {status}"):
        run(processor, command, *arguments.get(command, ()))
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_read_is_named(processor: Processor, tmp_path: Path) -> None:
    """A missing file, a folder, a gzip that was cut off, a broken table, no token."""
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"1" * 1000)[:20])
    table = tmp_path / "gold.csv"
    table.write_text("query,query\na,b\n")
    for path in (tmp_path / "none.jsonl", tmp_path, cut, table, tmp_path / "none.csv"):
        with pytest.raises(ConfigError, match=re.escape(str(path))):
            run(processor, "import", path)
    with pytest.raises(ConfigError, match="--token-file"):
        run(processor, "import", "--token-file", tmp_path / "none", written(tmp_path, LABEL))
    with pytest.raises(ConfigError, match="out"):
        run(processor, "export", tmp_path / "none" / "out")


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9", "ftp://x", "http://h:port", "x"])
def test_nothing_listens(tmp_path: Path, endpoint: str) -> None:
    """The endpoint is named."""
    command = ["labels", "import", "--endpoint", endpoint, str(written(tmp_path, LABEL))]
    with pytest.raises(ConfigError, match="--endpoint " + re.escape(endpoint)):
        CliRunner().invoke(app, command, catch_exceptions=False)


def test_an_export_is_written(processor: Processor, tmp_path: Path) -> None:
    """What was asked for, as it came; also compressed, and to the terminal."""
    lines = b'{"query":"a"}\n{"query":"b"}\n'
    processor.answers = [(200, lines)]
    path, zipped = tmp_path / "out.jsonl", tmp_path / "out.jsonl.gz"
    options = ("--since", "7d", "--field", "answerable", "--annotator", "anna")
    assert run(processor, "export", *options, path) == (0, "", "2 labels\n")
    assert processor.seen[0][0] == "/v1/labels?since=7d&field=answerable&annotator=anna"
    run(processor, "export", zipped)
    assert (path.read_bytes(), gzip.decompress(zipped.read_bytes())) == (lines, lines)
    assert run(processor, "export", "-") == (0, lines.decode(), "2 labels\n")


def test_an_export_that_breaks_off_leaves_no_file(processor: Processor, tmp_path: Path) -> None:
    """Nor does it touch one that is there."""
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    processor.answers = [(200, b'{"query":"a"}\n')]
    processor.missing_bytes = 1
    with pytest.raises(ConfigError, match="after 1 labels"):
        run(processor, "export", path)
    assert [one.name for one in tmp_path.iterdir()] == ["out.jsonl"]
    assert path.read_text() == "before"


def test_a_wrong_choice_is_told(processor: Processor, tmp_path: Path) -> None:
    """As the processor says it."""
    processor.answers = [(400, {"code": 3, "message": "unknown field 'relevant'"})]
    with pytest.raises(ConfigError, match="unknown field 'relevant'"):
        run(processor, "export", "--field", "relevant", tmp_path / "out")


def test_status(processor: Processor) -> None:
    """For a person, or as JSON."""
    told = {
        "since_start": {"accepted": 3, "rejected": 1},
        "unmatched": {"count": 1, "oldest_age_s": 7200.0},
        "labels": [{"field": "answerable", "annotator": "anna", "count": 3, "unmatched": 1}],
        "coverage": {"1h": {"shop": {"requests": 8, "labelled": 2, "ratio": 0.25}}, "24h": {}},
    }
    processor.answers = [(200, told)]
    code, out, _ = run(processor, "status")
    assert code == 0
    assert out.splitlines()[:2] == [
        "since the start: 3 accepted, 1 rejected",
        "waiting for their request: 1, the oldest for 2.0 h",
    ]
    cells = [line.split() for line in out.splitlines()]
    assert ["answerable", "anna", "3", "1"] in cells
    assert ["1h", "shop", "8", "2", "25.0%"] in cells
    assert json.loads(run(processor, "status", "--json")[1]) == told
