"""`ragmon evaluate` as a user and as CI run it."""

import json
import sys
from pathlib import Path

import pytest

from ragmon.cli import main
from ragmon.summary.report import Report

ROWS = [
    {
        "id": "asked-often",
        "query": "how long may i return it",
        "retrieved_ids": ["a", "b"],
        "relevant_ids": ["a"],
        "answer": "It is 30 days.",
        "context": ["You have 30 days."],
        "retrieval_latency_ms": 200,
    },
    {
        "id": "asked-once",
        "query": "what does it cost",
        "retrieved_ids": ["x"],
        "relevant_ids": ["b"],
        "answer": "It is 10.",
        "context": ["Nothing is said of it."],
        "retrieval_latency_ms": 300,
    },
]


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


class Ran:
    """What a run left: exit code, stdout, and stderr as one line per message."""

    def __init__(self, code: int, told: str, complaints: str) -> None:
        self.code, self.told, self.complaints = code, told, complaints


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Run":
    return Run(monkeypatch, capsys)


class Run:
    """Runs the whole command line, from its arguments to its exit."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def in_folder(self, folder: Path) -> None:
        """Run there from now on; its modules go with the test."""
        self._monkeypatch.chdir(folder)
        self._monkeypatch.setattr("sys.path", [*sys.path])

    def __call__(self, *arguments: object) -> Ran:
        self._monkeypatch.setattr("sys.argv", ["ragmon", "evaluate", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main.run()
        captured = self._capsys.readouterr()
        code = left.value.code
        assert isinstance(code, int)
        return Ran(code, captured.out, captured.err)


def test_a_file_is_measured_and_shown(run: Run, answers: Path) -> None:
    """Values, why others are missing, and the scorecard; no bar where nobody watches."""
    ran = run(answers, "--k", 1, "--k", 2)
    assert (0, "") == (ran.code, ran.complaints)
    for told in ("ndcg_at_k@1", "ndcg_at_k@2", "250 ms", "missing:reference_answers (2)"):
        assert told in ran.told
    assert "Overall" in ran.told
    assert "Reranking\n" not in ran.told


def test_a_broken_bound_exits_1_and_names_the_query(run: Run, answers: Path) -> None:
    """Which metric fell, to what, against which bound, and because of which row."""
    ran = run(answers, "--fail-under", "retrieval.hit_at_k=0.7")
    assert (
        1,
        "ragmon: retrieval.hit_at_k is 0.5, and must be at least 0.7; worst: asked-once (0)\n",
    ) == (
        ran.code,
        ran.complaints,
    )


def test_a_ceiling_is_for_what_should_be_low(run: Run, answers: Path) -> None:
    """An invented number breaks it; a bound that holds says nothing."""
    ran = run(answers, "--fail-over", "generation.unsupported_number_rate=0.4")
    assert (1, True) == (ran.code, "worst: asked-once (1)" in ran.complaints)
    kept = run(answers, "--fail-over", "generation.unsupported_number_rate=0.5")
    assert (0, "") == (kept.code, kept.complaints)


def test_a_metric_that_was_not_measured_breaks_its_bound(run: Run, answers: Path) -> None:
    """Gold that went missing turns no build green, also where its whole stage is silent."""
    bounds = ("generation.exact_match=0", "reranking.mrr_at_k=0")
    ran = run(answers, *(part for bound in bounds for part in ("--fail-under", bound)))
    first, second = ran.complaints.splitlines()
    assert 1 == ran.code
    assert first.endswith(
        "is not measured, and must be at least 0.0: missing:reference_answers (2)"
    )
    assert second.startswith("ragmon: reranking.mrr_at_k is not measured, and must be")
    assert second.endswith("missing:reranked_ids (2)")


def test_reports_are_written_before_bounds_are_judged(
    run: Run, answers: Path, tmp_path: Path
) -> None:
    """CI keeps the page that shows why it failed; texts of questions are in none of them."""
    paths = [tmp_path / f"report{ending}" for ending in (".html", ".json", ".md")]
    outputs = [part for path in paths for part in ("--output", path)]
    assert 1 == run(answers, *outputs, "--fail-under", "retrieval.hit_at_k=1").code
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "asked-once" in text
        assert "what does it cost" not in text
        assert "Nothing is said of it" not in text
    report = Report.from_dict(json.loads(paths[1].read_text()))
    metric = report.metric("retrieval.hit_at_k")
    assert metric is not None
    assert (0.5, "answers.jsonl") == (metric.value, report.title)


def test_an_earlier_report_stands_beside_this_one(run: Run, answers: Path, tmp_path: Path) -> None:
    """The JSON of one run is what the next one compares with."""
    before = tmp_path / "before.json"
    assert 0 == run(answers, "--output", before).code
    better = [{**row, "retrieved_ids": ["a", "b"]} for row in ROWS]
    answers.write_text("".join(json.dumps(row) + "\n" for row in better))
    page = tmp_path / "now.md"
    ran = run(answers, "--compare", before, "--output", page)
    assert "before.json → answers.jsonl" in ran.told
    assert "## Compared with before.json" in page.read_text(encoding="utf-8")
    (line,) = [line for line in ran.told.splitlines() if "retrieval.hit_at_k@5" in line]
    assert ["0.5", "1", "+0.5"] == line.split()[2:5]


def test_only_one_stage_is_measured_where_only_one_is_asked_for(run: Run, answers: Path) -> None:
    """The others are in no table, and a bound on them is not kept."""
    ran = run(answers, "--stage", "retrieval", "--fail-under", "generation.context_grounding=0")
    assert "context_grounding" not in ran.told
    assert "the stage generation was not evaluated" in ran.complaints


def test_weights_move_the_score(run: Run, answers: Path) -> None:
    """What weighs nothing is in no score over all."""

    def overall(*options: object) -> list[str]:
        lines = run(answers, *options).told.splitlines()
        return next(line for line in lines if line.startswith("Overall")).split()

    alone = overall("--stage", "retrieval")
    assert alone != overall()
    assert alone[1] == overall("--weights", "generation=0,augmentation=0")[1]


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--fail-under", "retrieval.ndcg=1"), "did you mean 'retrieval.ndcg_at_k'?"),
        (("--fail-under", "retrieval.latency_ms=1"), "use --fail-over"),
        (("--weights", "retrival=1"), "the nearest is 'retrieval'"),
        (("--stage", "retrival"), "'retrieval'"),
        (("--k", "1,x"), "--k x: must be a whole number from 1 to 10000, or several: --k 5,10"),
        (("--k", "0"), "--k 0: must be a whole number"),
        (("--k", "10001"), "--k 10001: must be a whole number"),
        (("--k", ""), "--k : must be a whole number"),
        (("--output", "report.pdf"), "report.pdf: must end in .html, .json, .md"),
        (("--output", "/nowhere/report.md"), "/nowhere/report.md: No such file"),
        (("--compare", "/nowhere.json"), "/nowhere.json: No such file"),
        (("--corpus", "/nowhere.jsonl"), "/nowhere.jsonl: No such file"),
        (("--config", "/nowhere.yaml"), "/nowhere.yaml"),
    ],
)
def test_a_wrong_option_exits_2_in_one_line(
    run: Run, answers: Path, options: tuple[str, str], fault: str
) -> None:
    """What is wrong is named, with what was probably meant."""
    ran = run(answers, *options)
    assert (2, 1) == (ran.code, len(ran.complaints.splitlines()))
    assert fault in ran.complaints


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"query": "a"}\n{"query":\n', "answers.jsonl:2: is no JSON"),
        ('{"retrieved_id": ["a"]}\n', "answers.jsonl:1: "),
        ("[1]\n", "answers.jsonl:1: must be an object"),
    ],
)
def test_an_unreadable_row_exits_2_and_names_its_line(
    run: Run, answers: Path, content: str, fault: str
) -> None:
    """The file and the line, so that an editor can jump there."""
    answers.write_text(content)
    ran = run(answers)
    assert (2, True) == (ran.code, fault in ran.complaints)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{", "before.json: is no report that `--output report.json` wrote"),
        ("[]", "before.json: is no report"),
        ("{}", "before.json: is no report"),
        ('{"id": "a"}\n{"id": "b"}\n', "before.json: is no report"),
        ("\ud800", "before.json: is no report"),
        ("[" * 100_000, "before.json: is no report"),
        ('{"ragmon_report": 99}', "ragmon_report is 99, and only version 1 is read"),
        ('{"ragmon_report": 1}', "before.json: title: Field required"),
    ],
)
def test_what_is_no_report_cannot_be_compared_with(
    run: Run, answers: Path, tmp_path: Path, content: str, fault: str
) -> None:
    """Broken JSON, other JSON, a file of requests, no text at all, a later ragmon's."""
    before = tmp_path / "before.json"
    before.write_bytes(content.encode(errors="surrogatepass"))
    ran = run(answers, "--compare", before)
    assert (2, True) == (ran.code, fault in ran.complaints)


def test_help_shows_how_it_is_used(run: Run) -> None:
    """Examples stand below the options."""
    ran = run("--help")
    assert 0 == ran.code
    assert "ragmon evaluate answers.jsonl --fail-under" in " ".join(ran.told.split())


def test_cut_offs_may_stand_in_one_list(run: Run, answers: Path) -> None:
    """As several options do."""
    assert run(answers, "--k", "1, 2").told == run(answers, "--k", 1, "--k", 2).told


def test_what_a_file_lacks_is_told_by_its_field(run: Run, answers: Path) -> None:
    """A reason names an input of a metric, the line below the field to add."""
    told = run(answers).told.splitlines()
    assert "missing:result_scores: add the field retrieved_scores" in told
    assert "missing:source: add --corpus, with the documents of all chunks" in told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "answers.jsonl: holds no row; nothing was evaluated"),
        ("{}\n", "answers.jsonl: no row has a field that a metric needs; nothing was evaluated"),
    ],
)
def test_a_file_of_nothing_is_told(run: Run, answers: Path, content: str, told: str) -> None:
    """It breaks every bound; without one it is only said."""
    answers.write_text(content)
    ran = run(answers)
    assert (0, True) == (ran.code, told in ran.complaints)
    gated = run(answers, "--fail-under", "retrieval.ndcg_at_k=0")
    assert (1, True, True) == (
        gated.code,
        told in gated.complaints,
        "retrieval.ndcg_at_k is not measured" in gated.complaints,
    )


def test_metrics_of_ones_own_are_measured(run: Run, answers: Path, tmp_path: Path) -> None:
    """Named by the configuration, as for the processor; they can have a bound."""
    (tmp_path / "shop_metrics.py").write_text(
        "from ragmon.metrics import Better, Text, Unit, stage\n\n"
        'metric = stage("generation")\n\n\n'
        "@metric(unit=Unit.RATIO, better=Better.HIGHER)\n"
        "def politeness(answer: Text) -> float | None:\n"
        '    """Share of the words that are thanks.\n\n'
        "    answer:  the answer.\n    Returns: ratio in [0, 1]; never None.\n"
        '    Source:  the test.\n\n    >>> politeness(Text("x"))\n    0.0\n    """\n'
        "    return 0.0\n"
    )
    config = tmp_path / "ragmon.yaml"
    config.write_text("metrics:\n  modules: [shop_metrics]\n  k: [3]\n")
    run.in_folder(tmp_path)
    ran = run(answers, "--config", config, "--fail-under", "generation.politeness=0.5")
    assert (1, True) == (ran.code, "ndcg_at_k@3" in ran.told), ran.complaints
    assert "generation.politeness is 0, and must be at least 0.5" in ran.complaints
