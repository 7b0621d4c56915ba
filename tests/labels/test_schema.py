"""The published schema and the parser take the same labels."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ragmon.labels import LabelError, parse_label
from ragmon.labels.parse import LONGEST_NAME
from ragmon.labels.schema import label_schema
from ragmon.model.gold import GoldField

SCHEMA = Draft202012Validator(label_schema())

# Characters that JSON carries, without halves of surrogate pairs.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
# No whole number written with a point, which a schema cannot tell from one without.
floats = st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
scalars = st.none() | st.booleans() | st.integers() | floats | texts
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "source", "supported", "a", ""]), inner)
    ),
    max_leaves=5,
)
ids = st.sampled_from(["", "a", "doc-1", 7, True, None, 1.5])
text_lists = st.lists(texts, max_size=2) | texts
grades = st.integers(-1001, 1001) | st.sampled_from([0.5, 1000.5, -1000.5, "1", True, None])
evidence = st.dictionaries(
    st.sampled_from(["text", "document", "source", "txt"]), texts | st.none(), max_size=3
)
FIELDS: Mapping[str, st.SearchStrategy[Any]] = {
    "relevant_ids": st.lists(ids, max_size=3)
    | st.dictionaries(st.sampled_from(["", "a", "b"]), grades, max_size=2),
    "expected_evidence": st.lists(texts | evidence, max_size=3),
    "expected_chunks": text_lists,
    "reference_answers": text_lists,
    "required_facts": st.lists(text_lists, max_size=3),
    "expected_citations": st.lists(ids, max_size=3),
    "answerable": st.booleans() | st.none(),
    "verified_claims": st.lists(
        st.booleans()
        | st.none()
        | st.dictionaries(st.sampled_from(["supported", "claim"]), st.booleans() | texts),
        max_size=3,
    ),
    "task_success": st.booleans() | st.integers(0, 1),
}
names = st.integers(LONGEST_NAME - 1, LONGEST_NAME + 1).map("n".__mul__) | texts | st.none()
ENVELOPE: Mapping[str, st.SearchStrategy[Any]] = {
    "pipeline": names,
    "annotator": names,
    "labelled_at": st.none()
    | st.integers(-1, 9_223_372_038)
    | st.sampled_from(["2026-01-01T00:00:00Z", 0.5, -0.5, 9_223_372_036.854_775, True, [], 1e12]),
    "revision": st.integers(-1, 1)
    | st.integers((1 << 31) - 1, 1 << 31)
    | st.none()
    | st.booleans(),
    "probability": st.sampled_from([None, 0, 1e-9, 0.5, 1, 1.5, True, "0.5"]),
}
hexadecimal = st.sampled_from([31, 32, 33, 16]).flatmap(
    lambda n: st.text("0123456789abcdefABCDEFg", min_size=n, max_size=n)
)
TARGETS: Mapping[str, st.SearchStrategy[Any]] = {
    "trace_id": hexadecimal | st.just("0" * 32 + "\n") | st.just("0" * 32),
    "span_id": hexadecimal | st.just("a" * 16),
    "request_id": texts,
    "query": st.sampled_from(["what", "x" * 16_384, "x" * 16_385]),
}
likely = st.fixed_dictionaries({}, optional={**FIELDS, **ENVELOPE}).flatmap(
    lambda base: st.fixed_dictionaries({}, optional=TARGETS).map(lambda target: base | target)
)
near = st.builds(
    lambda label, odd: label | odd,
    st.builds(
        lambda target, field, envelope: target | field | envelope,
        st.sampled_from(sorted(TARGETS)).flatmap(lambda k: st.fixed_dictionaries({k: TARGETS[k]})),
        st.sampled_from(sorted(FIELDS)).flatmap(lambda k: st.fixed_dictionaries({k: FIELDS[k]})),
        st.sampled_from(sorted(ENVELOPE)).flatmap(
            lambda k: st.fixed_dictionaries({}, optional={k: ENVELOPE[k]})
        ),
    ),
    st.just({})
    | st.dictionaries(
        st.sampled_from(["answerable", "span_id", "verified_claims", "labeled"])
        | st.sampled_from(list(map(str, GoldField))),
        anything,
        max_size=1,
    ),
)


def parses(posted: object) -> bool:
    try:
        parse_label(posted, 0)
    except LabelError:
        return False
    return True


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(posted=near | likely | anything)
def test_schema_and_parser_take_the_same(posted: object) -> None:
    """What the schema takes is parsed, and what is parsed the schema takes."""
    read = json.loads(json.dumps(posted))
    assert parses(read) is SCHEMA.is_valid(read)


def test_the_schema_is_one() -> None:
    """It is valid itself, and speaks of every gold field."""
    Draft202012Validator.check_schema(label_schema())
    assert set(map(str, GoldField)) <= set(label_schema()["properties"])


def test_what_a_schema_cannot_say() -> None:
    """These few pass the schema and are refused by the parser."""
    only_the_parser = (
        {"query": "?!", "answerable": True},
        {"query": "x", "answerable": True, "labelled_at": "soon"},
        {"query": "x", "answerable": True, "revision": 1.0},
        {"query": "x", "expected_citations": [7.0]},
        {"request_id": "\ud800", "answerable": True},
    )
    assert [(SCHEMA.is_valid(one), parses(one)) for one in only_the_parser] == [(True, False)] * 5


BORDERS: Mapping[str, tuple[Any, ...]] = {
    "trace_id": ("0" * 32, "0" * 31, "0" * 33, "g" * 32, "0" * 32 + "\n", None),
    "request_id": ("", "r", "r" * 16_384, "r" * 16_385, 7),
    "query": ("what", "w" * 16_384, "w" * 16_385, None),
    "span_id": ("a" * 16, "a" * 17, None),
    "pipeline": ("", "p" * LONGEST_NAME, "p" * (LONGEST_NAME + 1), None, 7),
    "annotator": ("", "a" * LONGEST_NAME, "a" * (LONGEST_NAME + 1), None, 7),
    "labelled_at": (-1, 0, 0.5, 9_223_372_036, 9_223_372_036.854_774, 9_223_372_036.854_776, True),
    "revision": (-1, 0, (1 << 31) - 1, 1 << 31, True, None, 0.5, "1"),
    "probability": (0, 1e-9, 1, 1.001, True, None, "1"),
    "relevant_ids": ([], [""], [1], [None], {}, {"": 1}, {"a": 1000}, {"a": 1001}, {"a": -1001}),
    "expected_evidence": ("a", [], [""], [{}], [{"text": ""}], [{"text": "", "id": ""}], [1]),
    "expected_chunks": ("", [], ["a"], [1], {}),
    "reference_answers": ("", [], ["a"], [1], None),
    "required_facts": ("", [], [""], [" \n"], ["?"], ["a", ["b", ""]], [[]], [["a"]], [[["a"]]]),
    "expected_citations": ([], [""], [True], ["a", 1], "a"),
    "answerable": (True, 0, None, "true"),
    "verified_claims": ([], [None], [True], [0], [{}], [{"supported": 1}], [{"x": 1}]),
    "task_success": (False, 1, None),
}


def test_at_the_borders() -> None:
    """Just within and just beyond what each key may hold, both say the same."""
    for name, values in BORDERS.items():
        for target in ({}, {"query": "x"}, {"trace_id": "0" * 32}):
            for gold in ({}, {"task_success": True}):
                for value in values:
                    label = {**target, **gold, name: value}
                    assert parses(label) is SCHEMA.is_valid(label), label
    assert set(BORDERS) == set(label_schema()["properties"])
