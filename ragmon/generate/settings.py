"""docs/settings.md and deploy/ragmon.yaml: every key of the configuration."""

from collections.abc import Iterator
from types import NoneType
from typing import Any, Final, get_args

import yaml
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ragmon.config import Canary, Config, LabelEvent, ObjectiveConfig
from ragmon.generate.origin import hash_comment, markdown_comment

_INTRODUCTION: Final = """\
# Settings

`ragmon serve --config FILE` reads one YAML file; `deploy/ragmon.yaml` has every key with its \
default. An environment variable `RAGMON_SECTION__KEY` wins over the file, a flag over both. \
Units stand in the key. `ragmon check-config FILE` names every fault at once, and prints what \
holds if there is none."""

_OBJECTIVES: Final = """\
## objectives

A list of promises. One on a label-free metric gives the `share` of requests that must keep \
its bound: it feeds `ragmon_slo_requests_total` and the burn-rate alerts. One on a metric that \
needs gold labels takes no share: its alert compares the mean of the last 24 hours with the \
bound. Without a share, the mean of a label-free metric over an hour is compared."""

_EVENTS: Final = """\
## labels.events

By name, as in `gen_ai.evaluation.name`: which evaluations on log events and spans are gold \
labels, and of which field. They are so only from people (`HUMAN`) and from `annotators`; all \
others are feedback. [labels.md](labels.md) has an example."""

_CANARIES: Final = """\
## canaries

By name: gold sets whose queries are sent to an endpoint of yours on a schedule. \
[canaries.md](canaries.md) has an example."""

_SAMPLE_OBJECTIVE: Final = """\
# Promises about metrics, one a line:
# objectives:
#   - {name: fast, pipeline: shop, metric: end_to_end.latency_ms, at_most: 8000, share: 0.95}
#   - {name: recall, pipeline: shop, metric: retrieval.recall_at_k, k: 5, at_least: 0.8}
"""


def settings_page() -> str:
    """The page as Markdown: a table a section."""
    sections = (
        f"## {name}\n\n{section.__doc__}\n\n{_table(section, f'RAGMON_{name.upper()}__')}"
        for name, section in _sections()
    )
    objectives = f"{_OBJECTIVES}\n\n{_table(ObjectiveConfig, None)}"
    events = f"{_EVENTS}\n\n{_table(LabelEvent, None)}"
    canaries = f"{_CANARIES}\n\n{_table(Canary, None)}"
    parts = (_INTRODUCTION, *sections, events, objectives, canaries)
    return markdown_comment("\n\n".join(parts) + "\n")


def sample_file() -> str:
    """A configuration with every key commented out at its default."""
    sections = "\n".join(_sample(name, section) for name, section in _sections())
    return hash_comment(f"{sections}\n{_SAMPLE_OBJECTIVE}")


def _sections() -> Iterator[tuple[str, type[BaseModel]]]:
    for name, field in Config.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield name, field.annotation


def _table(section: type[BaseModel], variables: str | None) -> str:
    """One row a key; lists and maps of sections have no variable for a key."""
    head = ("Key", "Type", "Default", "Meaning", *(("Variable",) if variables else ()))
    rows = [head, ("---",) * len(head)]
    for key, field in section.model_fields.items():
        cells = (f"`{key}`", _type(field), _default(field), str(field.description))
        rows.append((*cells, f"`{variables}{key.upper()}`") if variables else cells)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _type(field: FieldInfo) -> str:
    if str(field.annotation).startswith("dict"):
        return "map of names"
    parts = [one for one in get_args(field.annotation) if one not in (NoneType, Ellipsis)]
    if field.annotation in (str, int, float):
        parts = [field.annotation]
    many = "list of " if str(field.annotation).startswith("tuple") else ""
    return many + " or ".join(map(_type_name, parts))


def _type_name(part: Any) -> str:
    names = {str: "text", int: "whole number", float: "number"}
    named = names.get(part) or " or ".join(f"`{value}`" for value in get_args(part))
    return named or f"`{part}`"


def _default(field: FieldInfo) -> str:
    if field.default is PydanticUndefined:
        return "required"
    return "none" if field.default is None else f"`{_yaml(field.default)}`"


def _yaml(value: object) -> str:
    plain = list(value) if isinstance(value, tuple) else value
    written = yaml.safe_dump(plain, default_flow_style=True, width=1000)
    return written.removesuffix("\n").removesuffix("\n...")


def _sample(name: str, section: type[BaseModel]) -> str:
    lines = [f"# {section.__doc__}", f"# {name}:"]
    for key, field in section.model_fields.items():
        lines.append(f"#   {key}: {_yaml(field.default)}  # {field.description}")
    return "\n".join(lines) + "\n"
