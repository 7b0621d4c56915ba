"""`ragmon corpus import` against a server that answers as it is told."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragmon.cli.commands import app
from ragmon.errors import ConfigError
from tests.cli.answering import Processor, serving

DOCUMENT = {"document_id": "d", "text": "a", "chunks": []}
FINE = {"outcomes": {"accepted": 1}, "touched": 2, "unlocated_chunks": 0, "faults": []}


@pytest.fixture
def processor() -> Iterator[Processor]:
    with serving(Processor(FINE)) as server:
        yield server


def run(processor: Processor, *arguments: object) -> tuple[int, str, str]:
    command = ["corpus", "import", "--endpoint", processor.url, *map(str, arguments)]
    result = CliRunner().invoke(app, command)
    if isinstance(result.exception, ConfigError):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def written(folder: Path, *lines: object, zipped: bool = False) -> Path:
    content = "\n\n".join(json.dumps(line) for line in lines).encode()
    path = folder / "corpus.jsonl"
    path.write_bytes(gzip.compress(content) if zipped else content)
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_a_file_is_sent_and_what_became_of_it_told(
    processor: Processor, tmp_path: Path, zipped: bool
) -> None:
    """Plain or gzipped, with the pipeline and the token."""
    token = tmp_path / "token"
    token.write_text("secret\n")
    path = written(tmp_path, DOCUMENT, zipped=zipped)
    told = run(processor, "--pipeline", "my shop", "--token-file", token, path)
    assert told == (
        0,
        "1 accepted, 0 unchanged, 2 touched, 0 unlocated chunks, 0 rejected\n",
        "",
    )
    assert processor.seen == [("/v1/corpus?pipeline=my+shop", "Bearer secret", [DOCUMENT])]


def test_many_lines_go_in_batches(processor: Processor, tmp_path: Path) -> None:
    """So that neither side holds the whole file."""
    path = written(tmp_path, *[DOCUMENT] * 2001)
    run(processor, path)
    assert [len(lines) for _, _, lines in processor.seen] == [1000, 1000, 1]


def test_a_fault_names_its_line(processor: Processor, tmp_path: Path) -> None:
    """Blank lines count, as an editor counts them; exit 1."""
    faults = ["document 1: text: Field required", "document 1: txt: unknown key"]
    processor.answers = [(207, {**FINE, "faults": faults})]
    path = written(tmp_path, DOCUMENT, {"txt": 1})
    code, out, err = run(processor, path)
    assert (code, out.endswith("1 rejected\n")) == (1, True)
    assert err.splitlines() == [
        f"ragmon: {path}:3: text: Field required",
        f"ragmon: {path}:3: txt: unknown key",
    ]


def test_unavailable_means_again(processor: Processor, tmp_path: Path) -> None:
    """A processor without room is asked until it has some."""
    processor.answers = [(503, {"message": "later"}), (503, {"message": "later"}), (200, FINE)]
    assert run(processor, written(tmp_path, DOCUMENT))[0] == 0
    assert len(processor.seen) == 3


def test_a_document_that_is_too_large_is_rejected(processor: Processor, tmp_path: Path) -> None:
    """And costs no other."""
    processor.answers = [(413, {"message": "the body is over 9 bytes"}), (200, FINE)]
    code, _, err = run(processor, written(tmp_path, DOCUMENT))
    assert (code, err.endswith("corpus.jsonl:1: the body is over 9 bytes\n")) == (1, True)


@pytest.mark.parametrize(
    ("status", "answer", "fault"),
    [(401, {}, "401"), (404, {"detail": "no"}, "404"), (200, {"status": "ok"}, "200")],
)
def test_an_endpoint_that_takes_no_documents_is_named(
    processor: Processor, tmp_path: Path, status: int, answer: dict[str, Any], fault: str
) -> None:
    """Exit 2, as for every wrong argument."""
    processor.answers = [(status, answer)]
    with pytest.raises(ConfigError, match=f"--endpoint .*: {fault}"):
        run(processor, written(tmp_path, DOCUMENT))


def test_what_cannot_be_read_is_named(processor: Processor, tmp_path: Path) -> None:
    """A missing file, a folder, a gzip that was cut off, a token that is not there."""
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"1" * 1000)[:20])
    for path in (tmp_path / "none.jsonl", tmp_path, cut):
        with pytest.raises(ConfigError, match=str(path)):
            run(processor, path)
    with pytest.raises(ConfigError, match="--token-file"):
        run(processor, "--token-file", tmp_path / "none", written(tmp_path, DOCUMENT))


def test_nothing_listens(processor: Processor, tmp_path: Path) -> None:
    """The endpoint is named."""
    command = ["corpus", "import", "--endpoint", "http://127.0.0.1:9", str(written(tmp_path, 1))]
    with pytest.raises(ConfigError, match=re.escape("--endpoint http://127.0.0.1:9")):
        CliRunner().invoke(app, command, catch_exceptions=False)
