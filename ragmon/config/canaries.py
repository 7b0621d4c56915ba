"""Queries that ragmon sends itself, on a schedule."""

from string import Template
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field, StringConstraints, field_validator, model_validator

from ragmon.config.section import Section

_DAY_S = 86_400

CanaryName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]


class Canary(Section):
    """A gold set that is sent to an endpoint again and again."""

    url: str = Field(
        pattern=r"^https?://", description="Where the queries go; may hold `{{query}}`, escaped."
    )
    method: Literal["GET", "POST", "PUT"] = Field(default="POST", description="HTTP method.")
    headers: dict[str, str] = Field(
        default={}, description="Request headers; `${NAME}` is a variable of the environment."
    )
    body: Any = Field(
        default=None, description="JSON of the request; `{{query}}` in a text is the query."
    )
    gold: str = Field(description="JSONL file of labels on queries; these are sent.")
    every_s: float = Field(
        default=3600.0, gt=0, le=30 * _DAY_S, description="Time in which each query is sent once."
    )
    timeout_s: float = Field(default=30.0, gt=0, le=600, description="Longest wait for an answer.")

    @field_validator("headers")
    @classmethod
    def _templates(cls, given: dict[str, str]) -> dict[str, str]:
        for name, value in given.items():
            if not Template(value).is_valid():
                raise ValueError(f"{name} has a `$` that names no variable; write `$$`")
            if name.lower() in ("traceparent", "baggage"):
                raise ValueError(f"{name} is written by ragmon, for the trace of each request")
        return given

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if "{{query}}" not in f"{self.url}{self.body!r}":
            raise ValueError("neither url nor body holds {{query}}: every request would be equal")
        return self
