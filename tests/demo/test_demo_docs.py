from pathlib import Path

from ragmon.demo.expectations import EXPECTATIONS, TRACKED
from ragmon.demo.faults import Fault

DOCS = Path(__file__).parents[2] / "docs" / "demo.md"


def rows_of(fault: Fault) -> list[str]:
    """The rows that the docs must show for a fault."""
    expected = EXPECTATIONS[fault]
    must = [
        f"| must go {move.direction} | `{move.key}` | at least {move.at_least:g} |"
        for move in expected.must
    ]
    return must + [f"| may move | `{key}` | |" for key in expected.may]


def section(title: str) -> list[str]:
    """The table rows of one section of the docs, without heads."""
    text = DOCS.read_text(encoding="utf-8").split(f"### {title}\n", 1)[1].split("\n#", 1)[0]
    table = [line for line in text.splitlines() if line.startswith("|")]
    return table[2:]


def test_the_docs_show_what_the_faults_do() -> None:
    """Per fault, the table of the docs is the one that tests hold the app to."""
    for fault in Fault:
        assert rows_of(fault) == section(f"`{fault}`")


def test_the_docs_show_what_is_tracked() -> None:
    """Every tracked number stands in the docs with its series and its margin."""
    rows = [f"| `{one.key}` | `{one.series}` | {one.steady_within:g} |" for one in TRACKED]
    assert rows == section("Where to look, and what is chance")
