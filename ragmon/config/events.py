"""Which evaluations of telemetry are gold labels."""

from typing import Self

from pydantic import Field, model_validator

from ragmon.config.section import Section


class LabelEvent(Section):
    """What evaluations of one name say, where they are gold."""

    field: str = Field(min_length=1, description="The gold field, as labels name it.")
    annotators: tuple[str, ...] = Field(
        default=(), description="Annotators that count beside every person (HUMAN)."
    )
    at_least: float = Field(default=0.5, description="A score from here on is true.")
    true_labels: tuple[str, ...] = Field(
        default=("true", "yes", "pass", "correct"),
        description="Labels that are true, in any case; they win over the score.",
    )
    false_labels: tuple[str, ...] = Field(
        default=("false", "no", "fail", "incorrect"), description="Labels that are false, likewise."
    )

    @model_validator(mode="after")
    def _either(self) -> Self:
        true = {one.casefold() for one in self.true_labels}
        if both := [one for one in self.false_labels if one.casefold() in true]:
            raise ValueError(f"{both[0]!r} is both a true and a false label")
        return self
