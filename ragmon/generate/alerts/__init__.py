"""Every alert, declared once with its runbook: rules, pages and tests follow from here."""

from ragmon.generate.alert import Alert, Group
from ragmon.generate.alerts import answers, canaries, capacity, monitor, quality, slo, traffic

GROUPS: tuple[Group, ...] = (
    *slo.GROUPS,
    *quality.GROUPS,
    *answers.GROUPS,
    *traffic.GROUPS,
    *canaries.GROUPS,
    *monitor.GROUPS,
    *capacity.GROUPS,
)

ALERTS: tuple[Alert, ...] = tuple(alert for group in GROUPS for alert in group.alerts)

__all__ = ["ALERTS", "GROUPS"]
