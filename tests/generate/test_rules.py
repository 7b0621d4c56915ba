"""Recording and alert rules, at their own time scale and at others."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragmon.generate.alert import Severity
from ragmon.generate.alerts import ALERTS
from ragmon.generate.durations import milliseconds
from ragmon.generate.rules import rules_file

ROOT = Path(__file__).parents[2]
UNIT_TESTS = sorted((ROOT / "deploy/prometheus/rules/tests").glob("*.yml"))

Promtool = Callable[..., str]


def _rules(text: str) -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]


def _alerts(text: str) -> dict[str, dict[str, Any]]:
    return {rule["alert"]: rule for rule in _rules(text) if "alert" in rule}


def _windows(text: str) -> list[str]:
    return re.findall(r"(?:(?<=\[)|(?<=offset ))\d\w+(?=[\]\s)])", text)


@pytest.mark.engine("prometheus")
@pytest.mark.parametrize("time_scale", [1.0, 1 / 60, 1 / 777, 1 / 100_000, 2.5])
def test_promtool_accepts_the_rules(time_scale: float, tmp_path: Path, promtool: Promtool) -> None:
    """The rules are valid for Prometheus at every time scale."""
    path = tmp_path / "rules.yml"
    path.write_text(rules_file(time_scale=time_scale), encoding="utf-8")
    said = promtool("check", "rules", path)
    assert f"SUCCESS: {len(_rules(rules_file()))} rules found" in said


@pytest.mark.engine("prometheus")
@pytest.mark.parametrize("path", UNIT_TESTS, ids=lambda path: path.stem)
def test_promtool_agrees_when_each_alert_fires(path: Path, promtool: Promtool) -> None:
    """The unit tests of the rules pass: silent just before, firing just after."""
    promtool("test", "rules", path)


@pytest.mark.engine("prometheus")
def test_promtool_parses_every_dashboard_query(
    queries: dict[str, str], tmp_path: Path, promtool: Promtool
) -> None:
    """A second parser, Prometheus' own, takes the queries of the dashboards."""
    rules = [{"record": f"q:{n}", "expr": expr} for n, expr in enumerate(queries.values())]
    path = tmp_path / "queries.yml"
    path.write_text(yaml.dump({"groups": [{"name": "queries", "rules": rules}]}), encoding="utf-8")
    assert f"{len(rules)} rules found" in promtool("check", "rules", path)


def _tested_moments() -> Iterator[tuple[str, str, bool]]:
    """Alert, what is tested, and whether it fires there one evaluation after silence."""
    for path in UNIT_TESTS:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        step = milliseconds(document["evaluation_interval"])
        for case in document["tests"]:
            moments = {
                (test["alertname"], _length(test["eval_time"])): bool(test["exp_alerts"])
                for test in case["alert_rule_test"]
            }
            for (alert, at), fires in moments.items():
                edge = fires and moments.get((alert, at - step)) is False
                yield alert, case["name"], edge


def _length(time: str) -> int:
    return sum(milliseconds(part) for part in re.findall(r"\d+[a-z]+", time))


def test_every_alert_is_tested_at_its_edge() -> None:
    """Each alert has a case in which it is silent at one evaluation and fires at the next."""
    edges = Counter(alert for alert, _, edge in _tested_moments() if edge)
    assert [alert.name for alert in ALERTS if not edges[alert.name]] == []
    assert set(edges) <= {alert.name for alert in ALERTS}


def test_every_alert_is_tested_silent() -> None:
    """Each alert has a case in which it must never fire."""
    fires = {(alert, case) for alert, case, edge in _tested_moments() if edge}
    silent = {alert for alert, case, _ in _tested_moments() if (alert, case) not in fires}
    assert {alert.name for alert in ALERTS} <= silent


def test_a_time_scale_shortens_windows_holds_and_offsets() -> None:
    """Everything that waits is scaled; thresholds, counts and label values are not."""
    alert = _alerts(rules_file(time_scale=1 / 300))["RagmonErrorBudgetBurnFast"]
    assert alert["for"] == "400ms"
    assert '{result=~"good|bad"}[12s])) >= 20' in alert["expr"]
    assert "14.4 *" in alert["expr"]
    gold = _alerts(rules_file(time_scale=1 / 300))["RagmonGoldScoreBelowObjective"]
    assert 'window="24h"' in gold["expr"]
    quiet = _alerts(rules_file(time_scale=1 / 300))["RagmonNoTraffic"]
    assert "[6s] offset 288s)) > 10" in quiet["expr"]


def test_no_window_falls_under_a_second() -> None:
    """A rate needs two scrapes, so the shortest windows stop shrinking."""
    windows = _windows(rules_file(time_scale=1 / 100_000))
    assert {milliseconds(window) for window in windows} == {1000, 2592, 6048}


def test_the_scale_leaves_no_window_out() -> None:
    """The scaled file has as many windows, none of them an old one."""
    plain, scaled = _windows(rules_file()), _windows(rules_file(time_scale=1 / 11))
    assert len(plain) == len(scaled)
    assert not set(plain) & set(scaled)


@pytest.mark.parametrize("time_scale", [0.0, -1.0])
def test_a_time_scale_of_nothing_is_refused(time_scale: float) -> None:
    """Time does not stand still or run backwards."""
    with pytest.raises(ValueError, match="must be above 0"):
        rules_file(time_scale=time_scale)


@pytest.mark.engine("prometheus")
def test_any_job_name_is_quoted(tmp_path: Path, promtool: Promtool) -> None:
    """The scrape job's name stands in the rule as a PromQL string, whatever it holds."""
    text = rules_file(job='rag "prod" \\ 1')
    expr = _alerts(text)["RagmonMonitorDown"]["expr"]
    assert expr.startswith('up{job="rag \\"prod\\" \\\\ 1"} == 0')
    (tmp_path / "rules.yml").write_text(text, encoding="utf-8")
    promtool("check", "rules", tmp_path / "rules.yml")


def test_a_summary_names_labels_and_no_value() -> None:
    """One problem keeps one title while its value moves."""
    for alert in ALERTS:
        assert "$value" not in alert.summary
        assert alert.summary
        assert alert.description


def test_pages_are_for_lost_users_and_a_blind_monitor() -> None:
    """Drift of quality waits for the morning."""
    pages = {alert.name for alert in ALERTS if alert.severity is Severity.PAGE}
    assert pages == {
        "RagmonErrorBudgetBurnFast",
        "RagmonEmptyRetrievals",
        "RagmonMonitorDown",
        "RagmonAssemblyStuck",
    }


def test_rules_do_not_change_by_themselves() -> None:
    """The same alerts give the same bytes."""
    assert rules_file() == rules_file()
