"""What all tests share: engines that may be missing, and strict capture."""

import os
import shutil

import pytest

PROGRAMS = {
    "prometheus": ("prometheus", "promtool"),
    "alertmanager": ("prometheus-alertmanager", "amtool"),
}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose engine is missing, or fail it where engines are required."""
    for marker in item.iter_markers("engine"):
        for engine in marker.args:
            missing = [name for name in PROGRAMS[engine] if shutil.which(name) is None]
            if missing:
                _without(f"needs {engine}: {', '.join(missing)} not found; `make test` as root")


def _without(reason: str) -> None:
    if os.environ.get("RAGMON_REQUIRE_ENGINES") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
