"""Canaries of the configuration, and what is done with each request of theirs."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from string import Template

from ragmon.app.wiring import Parts
from ragmon.config import Canary as CanaryConfig
from ragmon.config import Config
from ragmon.errors import ConfigError, MalformedError
from ragmon.labels import parse_label
from ragmon.model.canary import Ending
from ragmon.model.gold import GoldLabel, MatchKey, TargetKind
from ragmon.probe import Canary, RequestTemplate, Sent
from ragmon.probe.marker import TraceContext, marker
from ragmon.telemetry import Room, Transport

_LONGEST_WAIT_S = 10.0
_MOST_FAULTS = 100


class Canaries:
    """The canaries that are configured, with their gold labels. Any thread may call it.

    Raises:
        ConfigError: a gold set or a header cannot be used; every fault is named.
    """

    def __init__(self, config: Config, parts: Parts, now_ns: Callable[[], int]) -> None:
        self._parts = parts
        self._now_ns = now_ns
        self._gold: dict[str, Mapping[str, tuple[GoldLabel, ...]]] = {}
        self.all: list[Canary] = []
        faults: list[str] = []
        for name, one in config.canaries.items():
            try:
                self._add(name, one)
            except ConfigError as error:
                faults += [f"canaries.{name}: {fault}" for fault in error.faults]
        if faults:
            raise ConfigError(tuple(faults))

    @property
    def sent(self) -> Sent:
        """What a prober calls."""
        failed = self._parts.exporter.error
        return Sent(self._begin, self._end, lambda: failed(Room.PROBE))

    def _add(self, name: str, config: CanaryConfig) -> None:
        gold = _read_gold(Path(config.gold), self._now_ns())
        headers = {header: _expanded(header, text) for header, text in config.headers.items()}
        template = RequestTemplate(config.method, config.url, headers, config.body)
        self._gold[name] = gold
        self._parts.exporter.known_canary(name)
        self.all.append(Canary(name, template, tuple(gold), config.every_s, config.timeout_s))

    def _begin(self, canary: Canary, query: str, context: TraceContext) -> None:
        """Mark the trace and label it; only then is it known to be no user's."""
        now_ns = self._now_ns()
        body = marker(context, canary.name, now_ns)
        self._parts.writer.submit(body).result(_LONGEST_WAIT_S)
        self._parts.exporter.received(Transport.HTTP, body.span_count)
        key = MatchKey(TargetKind.TRACE, context.trace_id)
        labels = [
            replace(label, key=key, annotator=f"canary:{canary.name}", labelled_at_ns=now_ns)
            for label in self._gold[canary.name][query]
        ]
        self._parts.labels.keep(labels, now_ns)

    def _end(self, canary: Canary, ending: Ending) -> None:
        self._parts.exporter.canary(canary.name, ending)


def _expanded(header: str, text: str) -> str:
    try:
        return Template(text).substitute(os.environ)
    except KeyError as error:
        variable = error.args[0]
        raise ConfigError((f"headers.{header}: the variable {variable} is not set",)) from None


def _read_gold(path: Path, now_ns: int) -> Mapping[str, tuple[GoldLabel, ...]]:
    """The labels of each query, as it is written in the file, in the order of the file.

    Raises:
        ConfigError: it cannot be read, or a line is no label on a query.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError((f"{path}: cannot be read ({type(error).__name__})",)) from None
    gold: dict[str, tuple[GoldLabel, ...]] = {}
    faults: list[str] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                query, labels = _read_line(line, now_ns)
                gold[query] = (*gold.get(query, ()), *labels)
            except (MalformedError, ValueError) as error:
                faults.append(f"{path}:{number}: {error}")
    if faults or not gold:
        raise ConfigError(tuple(faults[:_MOST_FAULTS]) or (f"{path}: holds no label",))
    return gold


def _read_line(line: str, now_ns: int) -> tuple[str, tuple[GoldLabel, ...]]:
    posted = json.loads(line)
    labels = parse_label(posted, now_ns)
    if "query" not in posted:
        raise MalformedError("the target must be a query")
    return posted["query"], labels
