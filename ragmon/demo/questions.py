"""The demo's questions: written by hand, answers in our own words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from typing import Any


class QuestionKind(StrEnum):
    """What a question asks for."""

    DEFINITION = "definition"
    HOW = "how"
    SYNTAX = "syntax"
    COMPARISON = "comparison"
    BEHAVIOUR = "behaviour"
    NUMBER = "number"
    UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Text that answers a question: a topic, and the words the text begins and ends with."""

    topic: str
    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold evidence and answers; both empty where it has no answer."""

    text: str
    kind: QuestionKind
    evidence: tuple[Evidence, ...]
    answers: tuple[str, ...]

    @property
    def answerable(self) -> bool:
        """Whether the reference holds an answer."""
        return self.kind is not QuestionKind.UNANSWERABLE


def load_questions() -> tuple[Question, ...]:
    """The hand-written questions, in the order of their file."""
    written = resources.files("ragmon.demo").joinpath("questions.json").read_text("utf-8")
    return tuple(_read(entry) for entry in json.loads(written))


def _read(entry: Mapping[str, Any]) -> Question:
    return Question(
        text=entry["question"],
        kind=QuestionKind(entry["kind"]),
        evidence=tuple(Evidence(**evidence) for evidence in entry["evidence"]),
        answers=tuple(entry["answers"]),
    )
