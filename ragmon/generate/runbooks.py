"""One page per alert: what it means and what to do."""

from ragmon.generate.alert import Alert
from ragmon.generate.alerts import ALERTS
from ragmon.generate.origin import markdown_comment

_JOB = '"ragmon"'


def pages() -> dict[str, str]:
    """File name to text, one page per alert."""
    return {f"{alert.name}.md": _page(alert) for alert in ALERTS}


def _page(alert: Alert) -> str:
    runbook = alert.runbook
    sections = (
        ("Meaning", runbook.meaning),
        ("Impact", runbook.impact),
        ("First look", runbook.first_look),
        ("Causes", _bullets(runbook.causes)),
        ("Mitigation", _bullets(runbook.mitigation)),
        ("Rule", f"```promql\n{alert.expr.replace('$job', _JOB)}\n```"),
    )
    facts = f"Severity: {alert.severity}. Fires after: {alert.hold}."
    body = "\n\n".join(f"## {title}\n\n{text}" for title, text in sections)
    return markdown_comment(f"# {alert.name}\n\n{facts}\n\n{body}\n")


def _bullets(lines: tuple[str, ...]) -> str:
    return "\n".join(f"- {line}" for line in lines)
