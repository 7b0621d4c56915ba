import json
import subprocess
import sys
from pathlib import Path

import ragmon

ROOT = Path(__file__).parents[2]
HEAVY = (
    "opentelemetry.sdk",
    "opentelemetry.exporter",
    "google.protobuf",
    "grpc",
    "numpy",
    "prometheus_client",
    "pydantic",
    "requests",
    "asyncio",
)
MODULE_BUDGET = 180


def loaded(program: str) -> set[str]:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys\n{program}\nimport json; print(json.dumps([*sys.modules]))",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(json.loads(done.stdout))


def test_import_is_light() -> None:
    """`import ragmon` loads OpenTelemetry's API and nothing heavier, within a budget."""
    modules = loaded("import ragmon") - loaded("")
    assert [name for name in modules if name.startswith(HEAVY)] == []
    assert len(modules) <= MODULE_BUDGET, sorted(modules)
    assert [name for name in modules if name.startswith("ragmon.")] != []


def test_import_of_processor_side() -> None:
    """Capture loads none of the processor's rooms."""
    rooms = {name.split(".")[1] for name in loaded("import ragmon") if name.startswith("ragmon.")}
    assert rooms == {"_version", "capture", "semconv"}


def test_public_names() -> None:
    """The public names are these, sorted, each with a docstring."""
    assert ragmon.__all__ == [
        "annotate",
        "augmentation",
        "chunking",
        "configure",
        "embedding",
        "feedback",
        "flush",
        "generation",
        "label",
        "propagate",
        "request",
        "reranking",
        "retrieval",
        "shutdown",
        "span",
    ]
    assert sorted(ragmon.__all__) == ragmon.__all__
    assert [name for name in ragmon.__all__ if not getattr(ragmon, name).__doc__] == []
