"""What requests read of the corpus, a batch of them at once."""

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from sqlalchemy import Connection, bindparam, func, select

from ragmon.model.corpus import Sources, TokenRange, Wanted
from ragmon.model.result import RequestKey
from ragmon.store import corpus_versions
from ragmon.store.chunks import chunks
from ragmon.store.corpus import Revision, revisions
from ragmon.store.corpus_timeline import Timeline
from ragmon.store.corpus_versions import ChunkPlace, Version
from ragmon.store.schema import CORPUS_DOCUMENT, CORPUS_TOKENS

_REMEMBERED = 4096

_TOKENS = select(CORPUS_TOKENS.c.document, CORPUS_TOKENS.c.tokens).where(
    CORPUS_TOKENS.c.document.in_(bindparam("documents", expanding=True))
)

_HOLDING = (
    select(CORPUS_DOCUMENT.c.id, CORPUS_DOCUMENT.c.document_id)
    .join_from(CORPUS_DOCUMENT, CORPUS_TOKENS, CORPUS_TOKENS.c.document == CORPUS_DOCUMENT.c.id)
    .where(
        CORPUS_DOCUMENT.c.pipeline == bindparam("pipeline"),
        CORPUS_DOCUMENT.c.id > bindparam("after"),
        func.instr(CORPUS_TOKENS.c.tokens, bindparam("needle")) > 0,
    )
)

_ANY = (
    select(CORPUS_DOCUMENT.c.id).where(CORPUS_DOCUMENT.c.pipeline == bindparam("pipeline")).limit(1)
)

_LAST = select(func.coalesce(func.max(CORPUS_DOCUMENT.c.id), 0))


class Holders:
    """Which versions hold a run of tokens, remembered so that each is searched once.

    Any thread may call it. Versions never change and their numbers only grow.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[tuple[int, str], tuple[int, dict[int, str]]] = OrderedDict()

    def of(self, connection: Connection, pipeline: int, needle: str) -> Mapping[int, str]:
        """Version -> document id of those, perhaps deleted by now, that hold the tokens."""
        if not needle.strip():
            return {}
        key = (pipeline, needle)
        with self._lock:
            after, known = self._found.get(key, (0, {}))
        last = int(connection.execute(_LAST).scalar_one())
        place = {"pipeline": pipeline, "after": after, "needle": needle}
        rows = connection.execute(_HOLDING, place) if last > after else ()
        found = {**known, **{row.id: row.document_id for row in rows}}
        with self._lock:
            self._found[key] = (max(last, after), found)
            self._found.move_to_end(key)
            if len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        return found


def read(
    connection: Connection, wanted: Mapping[RequestKey, Wanted], holders: Holders
) -> tuple[dict[RequestKey, Sources], dict[str, int]]:
    """What each request reads, and the revision of each pipeline's corpus it was read at."""
    standing = revisions(connection)
    by_pipeline: defaultdict[str, dict[RequestKey, Wanted]] = defaultdict(dict)
    for key, one in wanted.items():
        by_pipeline[one.pipeline][key] = one
    found: dict[RequestKey, Sources] = {}
    for pipeline, those in by_pipeline.items():
        if pipeline in standing:
            reading = _Reading(connection, standing[pipeline].pipeline, holders)
            found.update(reading.sources(those))
    nothing = Revision(0, 0)
    return found, {one: standing.get(one, nothing).revision for one in by_pipeline}


@dataclass(slots=True)
class _Reading:
    """What a batch of requests reads of one pipeline's corpus."""

    connection: Connection
    pipeline: int
    holders: Holders
    places: Mapping[str, Timeline[ChunkPlace]] = field(default_factory=dict)
    versions: Mapping[str, Timeline[Version]] = field(default_factory=dict)
    holding: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    has_any: bool = False

    def sources(self, wanted: Mapping[RequestKey, Wanted]) -> dict[RequestKey, Sources]:
        """What each reads; one that finds nothing is left out."""
        self._look_up(wanted.values())
        chosen = {key: self._choose(one) for key, one in wanted.items()}
        used = {version.id for one in chosen.values() for version in one.documents.values()}
        tokens = self._tokens(used)
        return {key: one.sources(tokens) for key, one in chosen.items()}

    def _look_up(self, wanted: Iterable[Wanted]) -> None:
        every = list(wanted)
        self.places = corpus_versions.of_chunks(
            self.connection, self.pipeline, {chunk for one in every for chunk in one.chunk_ids}
        )
        self.holding = {
            needle: self.holders.of(self.connection, self.pipeline, needle)
            for one in every
            for needle in one.evidence
        }
        named = {document for one in every for document in one.documents}
        named |= {document for held in self.holding.values() for document in held.values()}
        first = self.connection.execute(_ANY, {"pipeline": self.pipeline}).first()
        self.has_any = first is not None
        self.versions = corpus_versions.of_documents(self.connection, self.pipeline, named)

    def _choose(self, wanted: Wanted) -> "_Chosen":
        entries = {
            chunk_id: place
            for chunk_id in wanted.chunk_ids
            if (time := self.places.get(chunk_id)) and (place := time.at(wanted.event_ns))
        }
        chosen = _Chosen(entries)
        for document_id in wanted.documents:
            chosen.name(self._version(document_id, wanted, chosen))
        for needle in wanted.evidence if self.has_any else ():
            version = self._first_holding(needle, wanted, chosen)
            chosen.evidence[needle] = version and version.document_id
            chosen.name(version)
        return chosen

    def _version(self, document_id: str, wanted: Wanted, chosen: "_Chosen") -> Version | None:
        """The version in which evidence is looked for."""
        if newest := chosen.newest.get(document_id):
            return newest
        found = self.versions.get(document_id)
        return found.at(wanted.event_ns) if found else None

    def _first_holding(self, needle: str, wanted: Wanted, chosen: "_Chosen") -> Version | None:
        """Of the documents that hold it then the one with the smallest id."""
        held = self.holding[needle]
        for document_id in sorted(set(held.values())):
            version = self._version(document_id, wanted, chosen)
            if version and version.id in held:
                return version
        return None

    def _tokens(self, versions: Iterable[int]) -> dict[int, str]:
        return {
            row.document: row.tokens
            for some in chunks(sorted(versions))
            for row in self.connection.execute(_TOKENS, {"documents": some})
        }


class _Chosen:
    """What one request reads, before its tokens are at hand.

    newest: document id -> the newest version that a chunk of the request lies in; it has
    the document's name, and another with other tokens is another document. documents: name
    -> version.
    """

    def __init__(self, entries: Mapping[str, ChunkPlace]) -> None:
        by_age = sorted((entry.version for entry in entries.values()), key=_age)
        self.newest = {version.document_id: version for version in by_age}
        self.documents: dict[str, Version] = {}
        self.evidence: dict[str, str | None] = {}
        self._chunks = {one: self._located(entry) for one, entry in entries.items()}

    def name(self, version: Version | None) -> None:
        """Read a document under its own id."""
        if version:
            self.documents[version.document_id] = version

    def sources(self, tokens: Mapping[int, str]) -> Sources:
        """The same with the tokens of each version."""
        documents = {name: tokens[version.id] for name, version in self.documents.items()}
        return Sources(self._chunks, documents, self.evidence)

    def _located(self, entry: ChunkPlace) -> TokenRange | None:
        version, first, end = entry
        name = version.document_id
        if version.tokens_hash != self.newest[name].tokens_hash:
            name = f"{name}@{version.registered_ns}"
        self.documents[name] = version
        return None if first is None or end is None else TokenRange(name, first, end)


def _age(version: Version) -> tuple[int, str]:
    return version.registered_ns, version.document_id
