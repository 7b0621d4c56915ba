"""The prompt, and the context in it that an answer could rest on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Final, NamedTuple

from ragmon.interpret.choice import latest_first, latest_of
from ragmon.interpret.meaning import RawDocument, RawDocuments, Role
from ragmon.interpret.scope import Scope
from ragmon.interpret.search import Search
from ragmon.interpret.texts import Texts
from ragmon.interpret.tree import Node
from ragmon.model.record import ContextSource
from ragmon.semconv import TRUNCATION_MARK

_CONTEXT_NAMES: Final = (
    "context",
    "context_str",
    "contexts",
    "documents",
    "docs",
    "chunks",
    "passages",
    "summaries",
    "text_chunks",
)

_UNSPACED: Final = "\u0e00"
"""Thai, and most of the scripts that come after it, put no space between words."""


class Context(NamedTuple):
    """What the answer could rest on, and where it was taken from."""

    documents: RawDocuments
    source: ContextSource


@dataclass(frozen=True)
class Evidence:
    """What is known of a request when its context is looked for."""

    query: str | None
    prompt: str | None
    retrieved: RawDocuments | None
    reranked: RawDocuments | None
    texts: Texts
    search: Search = field(default_factory=Search)

    @cached_property
    def found_texts(self) -> Sequence[str]:
        """The texts of what was retrieved and reranked."""
        found = (self.retrieved or ()) + (self.reranked or ())
        return [text for document in found if (text := self.texts.raw_text(document))]


def find_context(scope: Scope, line: Sequence[Node], evidence: Evidence) -> Context | None:
    """The packed context, else the reranked list, else the retrieved one, else the prompt."""
    for documents, source in _candidates(scope, line, evidence):
        if documents is not None and _has_texts(documents, evidence.texts):
            return Context(documents, source)
    return None


def _candidates(
    scope: Scope, line: Sequence[Node], evidence: Evidence
) -> Iterator[tuple[RawDocuments | None, ContextSource]]:
    yield latest_of(scope.nodes, lambda meaning: meaning.context), ContextSource.PACKED
    for builder in latest_first(scope.of(Role.AUGMENTATION)):
        yield _built(builder, evidence), ContextSource.PACKED
    for call in line:
        yield _handed(call, evidence), ContextSource.PACKED
    yield evidence.reranked, ContextSource.RERANKED
    yield evidence.retrieved, ContextSource.RETRIEVED
    yield _rest_of_prompt(evidence), ContextSource.PROMPT


def _has_texts(documents: RawDocuments, texts: Texts) -> bool:
    """A list of which one text is missing is no context: it would measure what is left."""
    return all(texts.raw_text(document) is not None for document in documents)


def _built(builder: Node, evidence: Evidence) -> RawDocuments | None:
    """What a prompt builder packed: what it returned, else what of its input is in the prompt."""
    if builder.span.dropped:
        return None
    if builder.meaning.documents is not None:
        return builder.meaning.documents
    given = builder.meaning.input_documents
    prompt = _prompt(builder, evidence)
    if given is None or prompt is None:
        return _from_variables(builder, evidence)
    return _reaching(given, prompt, evidence)


def _handed(call: Node, evidence: Evidence) -> RawDocuments | None:
    """What a model call was handed as documents, as far as its prompt shows them."""
    given = call.meaning.input_documents
    if given is None or call.span.dropped:
        return _from_variables(call, evidence)
    prompt = _prompt(call, evidence)
    return given if prompt is None else _reaching(given, prompt, evidence)


def _prompt(node: Node, evidence: Evidence) -> str | None:
    """The span's own prompt, else the request's; None where it was cut short."""
    prompt = node.meaning.prompt if node.meaning.prompt is not None else evidence.prompt
    return None if prompt is None or prompt.endswith(TRUNCATION_MARK) else prompt


def _reaching(documents: RawDocuments, prompt: str, evidence: Evidence) -> RawDocuments | None:
    """The documents whose text stands in the prompt; None where it shows none of them."""
    shown = _shown([evidence.texts.raw_text(raw) or "" for raw in documents], prompt, evidence)
    packed = () if shown is None else tuple(compress(documents, shown))
    return packed if packed or not documents else None


def _shown(texts: Sequence[str], prompt: str, evidence: Evidence) -> list[bool] | None:
    """Per text, maybe cut short, whether it stands in the prompt; one without text does not."""
    found = evidence.search.found([text.removesuffix(TRUNCATION_MARK) for text in texts], prompt)
    return found and [bool(text) and shown for text, shown in zip(texts, found, strict=True)]


def _from_variables(node: Node, evidence: Evidence) -> RawDocuments | None:
    """The template variable that held the context: named like it, else holding its texts."""
    prompt = _prompt(node, evidence)
    for variable in _context_variables(node.meaning.variables, evidence):
        packed = _packed(variable, prompt, evidence)
        if packed is not None:
            return packed
    return None


def _context_variables(
    variables: Mapping[str, RawDocuments], evidence: Evidence
) -> Iterator[RawDocuments]:
    yield from (variables[name] for name in _CONTEXT_NAMES if name in variables)
    unnamed = [variables[name] for name in sorted(variables) if name not in _CONTEXT_NAMES]
    for variable in unnamed:
        held = "\n".join(document.text or "" for document in variable)
        if any(evidence.search.found(evidence.found_texts, held) or ()):
            yield variable


def _packed(variable: RawDocuments, prompt: str | None, evidence: Evidence) -> RawDocuments | None:
    """What of a variable reached the prompt; a single text is believed without one."""
    filled = tuple([document for document in variable if document.text])
    if not filled:
        return ()
    if len(filled) == 1 and filled[0].text == evidence.query:
        return None
    if prompt is None:
        return filled if len(variable) == 1 else None
    shown = _shown([document.text or "" for document in filled], prompt, evidence)
    return tuple(compress(filled, shown or ())) or None


def _rest_of_prompt(evidence: Evidence) -> RawDocuments | None:
    """The prompt without the query, as one text."""
    if evidence.prompt is None:
        return None
    rest = _without(evidence.query, evidence.prompt) if evidence.query else evidence.prompt
    return (RawDocument(None, rest),) if rest.strip() else None


def _without(query: str, prompt: str) -> str:
    """The prompt without the last place where the query stands by itself."""
    pieces = prompt.split(query)
    for at in range(len(pieces) - 1, 0, -1):
        inside = _one_word(pieces[at - 1][-1:], query[:1]) or _one_word(query[-1:], pieces[at][:1])
        if not inside:
            return query.join(pieces[:at]) + query.join(pieces[at:])
    return prompt


def _one_word(left: str, right: str) -> bool:
    """Whether no word ends between two characters, of which either may be missing."""
    return all(char.isalnum() and char < _UNSPACED for char in (left, right))
