"""Series as dashboards select them, by the variables of job and pipeline."""

from typing import Final

from ragmon.generate.promql import aggregate

OF_JOB: Final = 'job=~"$job"'
OF_PIPELINE: Final = f'{OF_JOB},pipeline=~"$pipeline"'

# Tiles look at five minutes whatever the time range is; graphs at what a scrape allows.
NOW: Final = "5m"
STEP: Final = "$__rate_interval"


def selected(series: str, matchers: str = "") -> str:
    """The series of the chosen jobs and pipelines."""
    return f"{series}{{{OF_PIPELINE}{',' if matchers else ''}{matchers}}}"


def quantile(q: float, family: str, *, by: str = "le", window: str = STEP) -> str:
    """An estimated quantile of a histogram over all chosen instances."""
    rate = f"rate({selected(family + '_bucket')}[{window}])"
    return f"histogram_quantile({q}, {aggregate('sum', by, rate)})"
