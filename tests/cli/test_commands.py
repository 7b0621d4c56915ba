"""The commands as a user runs them."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ragmon.cli import main
from ragmon.cli.commands import app
from ragmon.ingest.request import export_request
from ragmon.ingest.split import JSON, split
from ragmon.metrics.registry import build
from ragmon.store.sqlite import SqliteStore

TRACES = Path(__file__).parent.parent / "fixtures" / "traces"
LLAMAINDEX = TRACES / "openinference_llamaindex.json"
LANGCHAIN = TRACES / "openinference_langchain.json"
QUERY = "How many days do customers have to return a damaged blender?"
ANSWER = (
    "Customers have 30 days to return a damaged blender, and return shipping is free"
    " [doc-returns-2]."
)


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def replayed(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run("replay", *arguments).splitlines()]


def test_replay_of_llamaindex_tells_everything() -> None:
    """Query, documents with scores, reranked list, answer, model and tokens."""
    (one,) = replayed(LLAMAINDEX)
    assert (QUERY, ANSWER, "fake-llm-1", 73, 17) == tuple(
        one[key] for key in ("query", "answer", "model", "input_tokens", "output_tokens")
    )
    ids = ["doc-returns-2", "doc-recipe-1", "doc-returns-1", "doc-account-1"]
    assert ids == [document["id"] for document in one["retrieved"]]
    assert 0.9192770904606897 == one["retrieved"][0]["score"]
    assert ["doc-returns-2", "doc-recipe-1"] == [document["id"] for document in one["reranked"]]
    assert "missing:gold_ids" == one["not_measured"]["retrieval.recall_at_k"]
    assert 90.0 == one["measurements"]["end_to_end.total_tokens"]


def test_replay_of_langchain_tells_everything_but_the_model() -> None:
    """A fake chat model carries no name; ids come from the metadata."""
    (one,) = replayed(LANGCHAIN)
    assert (QUERY, ANSWER, None, 96, 16) == tuple(
        one[key] for key in ("query", "answer", "model", "input_tokens", "output_tokens")
    )
    assert "doc-returns-2" == one["retrieved"][0]["id"]


def test_a_record_has_every_key_in_order() -> None:
    """The keys are a contract for tools that read the lines."""
    (one,) = replayed(LANGCHAIN)
    keys = (
        "trace_id request_id dialect release_reason query retrieved reranked context"
        " context_source prompt answer model input_tokens output_tokens cost_usd latency_s"
        " error k measurements not_measured"
    )
    assert keys.split() == list(one)


def test_all_file_forms_read_alike(tmp_path: Path) -> None:
    """JSON, JSON lines, protobuf and gzip of one trace give equal records."""
    content = LLAMAINDEX.read_bytes()
    parts = split(content, JSON, 0).parts
    protobuf = export_request(span for part in parts for span in part.spans)
    line = json.dumps(json.loads(content)).encode()
    files = {
        "a.jsonl": b"\n".join([line, json.dumps({"resourceSpans": []}).encode()]),
        "a.pb": protobuf,
        "a.json.gz": gzip.compress(content),
    }
    for name, written in files.items():
        (tmp_path / name).write_bytes(written)
        assert replayed(LLAMAINDEX) == replayed(tmp_path / name), name


def test_labels_and_k_reach_the_metrics(tmp_path: Path) -> None:
    """A label file is joined; --k sets the cut-off."""
    labels = tmp_path / "gold.jsonl"
    labels.write_text(json.dumps({"query": QUERY, "relevant_ids": ["doc-returns-1", "x"]}))
    for k, recall in ((2, 0.0), (3, 0.5)):
        (one,) = replayed("--k", k, "--labels", labels, LLAMAINDEX)
        assert (k, recall) == (one["k"], one["measurements"]["retrieval.recall_at_k"])


def test_backfill_fills_windows_and_counts_nothing_again(tmp_path: Path) -> None:
    """Requests land in the store at their own time; a second run changes nothing."""
    store = tmp_path / "state"
    for _ in range(2):
        run("replay", "--store", store, LLAMAINDEX)
    with SqliteStore(store) as opened:
        rows = opened.rows(0, 1 << 62, "ragmon-example")
        (result,) = [one for one in rows if one.layout == build().layout]
    assert dict(zip(result.layout, result.values, strict=True))


def test_backfill_refuses_a_store_in_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another holder of the store is named, exit 1."""
    arguments = ["ragmon", "replay", "--store", str(tmp_path), str(LLAMAINDEX)]
    monkeypatch.setattr("sys.argv", arguments)
    with SqliteStore(tmp_path), pytest.raises(SystemExit) as left:
        main.run()
    assert left.value.code == 1
    assert str(tmp_path) in capsys.readouterr().err.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["check-config", "/nowhere.yaml"], 2, "/nowhere.yaml: cannot be read"),
        (["replay", "/nowhere.json"], 1, "/nowhere.json: No such file"),
        (["replay", str(Path(__file__))], 1, "test_commands.py"),
        (["replay", "/dev/null"], 1, "/dev/null: is empty"),
        (["demo", "--serve", "--endpoint", "localhost"], 2, "must be URLs with a port"),
        (["serve", "--labels", "/nowhere.jsonl", "--store", "memory"], 2, "/nowhere.jsonl"),
    ],
)
def test_errors_are_one_clear_line(
    arguments: list[str],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A wrong file or configuration is named, with exit 2 for configuration."""
    monkeypatch.setattr("sys.argv", ["ragmon", *arguments])
    with pytest.raises(SystemExit) as left:
        main.run()
    assert left.value.code == code
    assert message in capsys.readouterr().err.replace("\n", "")


def test_check_config_names_what_only_the_whole_can_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unknown metrics, impossible bounds, repeated names and missing files, all at once."""
    path = tmp_path / "ragmon.yaml"
    path.write_text(
        """
        labels: {file: /nowhere.jsonl}
        objectives:
        - {name: a, pipeline: p, metric: generation.context_groundin, at_least: 1, share: 0.9}
        - {name: a, pipeline: p, metric: generation.context_grounding, at_least: 8, share: 0.9}
        """
    )
    monkeypatch.setattr("sys.argv", ["ragmon", "check-config", str(path)])
    with pytest.raises(SystemExit) as left:
        main.run()
    assert left.value.code == 2
    told = capsys.readouterr().err
    for fault in (
        "did you mean 'generation.context_grounding'?",
        "lies between 0 and 1, and the bound is 8",
        "'a' of pipeline 'p' is given 2 times",
        "labels.file: /nowhere.jsonl cannot be read",
    ):
        assert fault in told


def test_replay_says_what_it_cannot_read() -> None:
    """Traces without a request are counted on stderr, with the instrumentation's scope."""
    result = CliRunner().invoke(app, ["replay", str(TRACES / "traceloop_langchain.json")])
    assert (0, "") == (result.exit_code, result.stdout)
    assert "1 traces held no request that ragmon reads" in result.stderr
    assert "opentelemetry.instrumentation.langchain" in result.stderr


def test_metrics_lists_every_metric() -> None:
    """Keys whole, on a terminal of 80 columns."""
    told = run("metrics", "--k", "1,2").splitlines()
    facts = "ratio, higher is better, label-free"
    assert f"reranking.candidate_set_preservation_rate  {facts}".replace("ratio", "binary") in told
    assert max(map(len, told)) <= 80
