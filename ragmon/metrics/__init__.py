"""The metrics: one pure function each, declared once, measured per record.

What a module of your own metrics needs stands here:

    from ragmon.metrics import Better, Text, Unit, stage

    metric = stage("generation")

    @metric(unit=Unit.RATIO, better=Better.HIGHER)
    def first_words_kept(answer: Text, reference_answers: tuple[Text, ...]) -> float | None: ...
"""

from ragmon.metrics.declare import stage
from ragmon.metrics.spec import Better, Unit
from ragmon.text import Text

__all__ = ["Better", "Text", "Unit", "stage"]
