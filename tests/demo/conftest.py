"""The demo's corpus, index and gold, built once."""

import pytest

from ragmon.demo.app import index_passages
from ragmon.demo.corpus import Corpus, load_corpus
from ragmon.demo.gold import Gold, locate
from ragmon.demo.questions import load_questions
from ragmon.demo.retrieve import Index


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return load_corpus()


@pytest.fixture(scope="session")
def index(corpus: Corpus) -> Index:
    return Index(index_passages(corpus))


@pytest.fixture(scope="session")
def golds(corpus: Corpus, index: Index) -> tuple[Gold, ...]:
    return locate(load_questions(), corpus, index.passages)
