"""The file of recording and alert rules, at any time scale."""

import json

import yaml

from ragmon.generate.alert import Alert, Group, Recording
from ragmon.generate.alerts import GROUPS
from ragmon.generate.durations import rescaled, rescaled_windows
from ragmon.generate.origin import hash_comment

RUNBOOKS = "docs/runbooks"


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)


def rules_file(
    *, job: str = "ragmon", time_scale: float = 1.0, runbook_base: str = RUNBOOKS
) -> str:
    """All rules as YAML for Prometheus 2.42 and later.

    job: the name of the scrape job that reads ragmon.
    time_scale: multiplies every window, `for` and offset, windows never under 1 s;
        thresholds and minimum counts stay. For tests that cannot wait an hour.
    runbook_base: folder or URL under which the runbooks lie, without a slash at its end.

    Raises:
        ValueError: the time scale is not above zero.
    """
    if time_scale <= 0:
        raise ValueError(f"time_scale {time_scale} must be above 0")
    scaled = _Scaled(job, time_scale, runbook_base)
    groups = {"groups": [scaled.group(group) for group in GROUPS]}
    return hash_comment(
        yaml.dump(groups, Dumper=_Dumper, sort_keys=False, width=1000, allow_unicode=True)
    )


class _Scaled:
    """Renders rules for one job at one time scale."""

    def __init__(self, job: str, time_scale: float, runbook_base: str) -> None:
        self._job = json.dumps(job)
        self._time_scale = time_scale
        self._runbook_base = runbook_base

    def group(self, group: Group) -> dict[str, object]:
        return {"name": group.name, "rules": [self._rule(rule) for rule in group.rules]}

    def _rule(self, rule: Recording | Alert) -> dict[str, object]:
        if isinstance(rule, Recording):
            return {"record": rule.name, "expr": self._expr(rule.expr)}
        return {
            "alert": rule.name,
            "expr": self._expr(rule.expr),
            "for": rescaled(rule.hold, self._time_scale),
            "labels": {"severity": str(rule.severity)},
            "annotations": {
                "summary": rule.summary,
                "description": rule.description,
                "runbook_url": f"{self._runbook_base}/{rule.name}.md",
            },
        }

    def _expr(self, expr: str) -> str:
        return rescaled_windows(expr, self._time_scale).replace("$job", self._job)
