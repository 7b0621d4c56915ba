"""The import rule: the table is the test."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ragmon

PACKAGE = Path(ragmon.__file__).parent

PROCESSOR = frozenset(
    [
        "ingest",
        "assemble",
        "interpret",
        "labels",
        "corpus",
        "metrics",
        "settle",
        "store",
        "telemetry",
        "summary",
        "export",
        "server",
        "probe",
    ]
)

# What each unit may import of ragmon, beside `errors`, which everyone may.
MAY_IMPORT: dict[str, frozenset[str]] = {
    unit: frozenset(names.split())
    for unit, names in {
        "_version": "",
        "__main__": "cli",
        "errors": "",
        "semconv": "",
        "config": "",
        "text": "",
        "model": "text",
        "capture": "semconv text _version",
        "ingest": "model semconv",
        "assemble": "model",
        "interpret": "model semconv text",
        "labels": "model text",
        "corpus": "model text",
        "metrics": "model text",
        "settle": "model text ingest interpret labels metrics",
        "store": "model",
        "telemetry": "model metrics",
        "summary": "model metrics",
        "export": "model metrics summary telemetry",
        "server": "model ingest labels",
        "probe": "model semconv",
        "evaluate": "model text labels metrics summary",
        "replay": "model text ingest assemble interpret labels metrics settle",
        "generate": "model labels metrics telemetry semconv config",
        "app": " ".join(
            sorted(
                PROCESSOR | {"model", "semconv", "text", "config", "evaluate", "replay", "_version"}
            )
        ),
        "demo": "ragmon",
        "cli": "app config generate metrics labels evaluate summary replay demo model ingest"
        " _version",
        "ragmon": "capture _version",
    }.items()
}


def unit_of(path: Path) -> str:
    """The room a file lies in; the package's own `__init__` is the unit `ragmon`."""
    first = path.relative_to(PACKAGE).parts[0]
    return "ragmon" if first == "__init__.py" else first.removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[str]:
    """Every unit of ragmon that a file imports, at any depth of the code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            plain = node.module == "ragmon"
            names = [f"ragmon.{alias.name}" if plain else node.module for alias in node.names]
        else:
            continue
        yield from (unit_named(name) for name in names if name.split(".")[0] == "ragmon")


def unit_named(name: str) -> str:
    """The unit of a dotted name; what is no module is taken from the package itself."""
    second = name.split(".")[1] if "." in name else ""
    return second if second in MAY_IMPORT else "ragmon"


FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_unit_imports_only_what_the_table_allows(path: Path) -> None:
    """Data flows one way; a unit that is not in the table does not exist."""
    unit = unit_of(path)
    allowed = MAY_IMPORT[unit] | {unit, "errors"}
    found = set(imported(ast.parse(path.read_text(encoding="utf-8"))))
    assert found - allowed == set()


def test_every_unit_of_the_table_exists() -> None:
    """A room that holds nothing yet does not exist yet."""
    assert set(MAY_IMPORT) == {unit_of(path) for path in FILES}
