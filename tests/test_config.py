"""Reading the configuration: every fault at once, each with what to do."""

from pathlib import Path

import pytest

from ragmon.config import load, window_seconds
from ragmon.errors import ConfigError


def faults(tmp_path: Path, text: str, **flags: object) -> tuple[str, ...]:
    path = tmp_path / "ragmon.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(path, flags)
    return caught.value.faults


def test_without_a_file_the_defaults_hold() -> None:
    """One machine, loopback, SQLite beside the working directory."""
    config = load(None, {})
    assert ("127.0.0.1", "ragmon-state") == (config.listen.host, config.store.path)


def test_flags_win_over_environment_over_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last of file, environment and flags wins, key by key."""
    path = tmp_path / "ragmon.yaml"
    path.write_text("listen: {views_port: 1, otlp_http_port: 1, otlp_grpc_port: 1}")
    monkeypatch.setenv("RAGMON_LISTEN__OTLP_HTTP_PORT", "2")
    monkeypatch.setenv("RAGMON_LISTEN__OTLP_GRPC_PORT", "2")
    listen = load(path, {"listen": {"otlp_grpc_port": 3}}).listen
    assert (1, 2, 3) == (listen.views_port, listen.otlp_http_port, listen.otlp_grpc_port)


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    """Unknown keys name the nearest one; values say what was expected and what was given."""
    text = """
    listen: {otlp_htp_port: 1}
    assembly: {quiet_s: -1}
    objectives: [{name: a, pipeline: p, metric: x.y, at_least: 1, at_most: 2}]
    """
    found = faults(tmp_path, text)
    assert (
        "listen.otlp_htp_port: unknown key; did you mean 'otlp_http_port'?",
        "assembly.quiet_s: Input should be greater than 0, got -1",
        "objectives.0: give exactly one of at_least and at_most",
    ) == found


def test_beyond_loopback_says_what_it_needs() -> None:
    """Nobody's text is kept, and no port is open, by surprise."""
    found = load(None, {"listen": {"host": "0.0.0.0"}}).faults()
    assert ["store.keep", "listen.token_file"] == [fault.split(":")[0] for fault in found]
    assert () == load(None, {"listen": {"host": "::1"}}).faults()


def test_files_that_cannot_be_read_are_faults() -> None:
    """They are named before anything starts."""
    flags = {
        "labels": {"file": "/nowhere.jsonl"},
        "listen": {"token_file": "/nowhere"},
        "store": {"hash_key_file": "/nowhere.key"},
    }
    assert (
        "listen.token_file: /nowhere cannot be read",
        "labels.file: /nowhere.jsonl cannot be read",
        "store.hash_key_file: /nowhere.key cannot be read",
    ) == load(None, flags).faults()


@pytest.mark.parametrize("text", ["a: [", "- 1", "\x00", "listen: 3"])
def test_what_is_no_configuration_is_named(tmp_path: Path, text: str) -> None:
    """Broken YAML and wrong shapes are faults with a place, not tracebacks."""
    assert faults(tmp_path, text)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The path and the reason stand in the fault."""
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: cannot be read: No such file"):
        load(tmp_path / "nowhere.yaml", {})


def test_yaml_may_say_on_and_off(tmp_path: Path) -> None:
    """YAML reads a bare `off` as a truth value; the inbox understands it."""
    path = tmp_path / "ragmon.yaml"
    path.write_text("store: {inbox: off}")
    assert load(path, {}).store.inbox == "off"


def test_windows_have_a_number_and_a_unit() -> None:
    """s, m, h and d; anything else is refused."""
    assert [90, 300, 3600, 2_592_000] == [window_seconds(w) for w in ("90s", "5m", "1h", "30d")]
    for wrong in ("", "h", "0m", "1w", "-1h", "1.5h"):
        with pytest.raises(ValueError, match="must be a number"):
            window_seconds(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "metrics: {slo_max_age_s: .inf}",
        "store: {retention_s: .inf}",
        "store: {keep_s: 1e300}",
        "store: {path: ''}",
        "metrics: {windows: [9999999999999999d]}",
        "metrics: {windows: [1h, 1h]}",
        "limits: {body_bytes: 9999999999}",
        "objectives: [{name: a, pipeline: p, metric: a.b, at_least: .nan, share: 0.9}]",
        "objectives: [{name: a, pipeline: p, metric: a.b, at_least: 1, share: 0.9, window: 0d}]",
        "x: 2024-13-45",
        "[" * 3000,
    ],
)
def test_what_would_break_the_processor_is_a_fault(tmp_path: Path, text: str) -> None:
    """Values that pass as numbers or YAML and could not be used are refused at start."""
    assert faults(tmp_path, text)
