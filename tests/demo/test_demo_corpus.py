from itertools import pairwise

from ragmon.demo.corpus import PASSAGE_WORDS, Corpus, Passage, load_corpus, split
from ragmon.demo.words import sentences, terms, words

PROSE = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron"


def test_a_topic_inside_another_is_left_out() -> None:
    """A topic of which a larger one holds nine tenths is not indexed twice."""
    inner, other = PROSE, "one two three four five six seven eight nine ten"
    corpus = load_corpus({"if": inner, "compound": f"{inner} and more of it", "other": other})
    assert ["compound", "other"] == list(corpus.topics)
    assert {"if", "compound", "other"} == set(corpus.shipped)


def test_of_two_equal_topics_one_is_kept() -> None:
    """Equal topics do not leave each other out."""
    assert ["b"] == list(load_corpus({"a": PROSE, "b": PROSE}).topics)


def test_shipped_reference_loses_its_repetitions(corpus: Corpus) -> None:
    """The shipped topics that stand whole in another are gone, the others stay."""
    assert "if" in corpus.shipped
    assert "if" not in corpus.topics
    assert {"compound", "lambda", "types"} <= set(corpus.topics)


def test_passages_hold_every_word_of_a_topic_once(corpus: Corpus) -> None:
    """Passages cover a topic without gap or overlap, in order."""
    for topic, text in corpus.topics.items():
        spoken = [word for passage in split(topic, text) for word in words(passage.text)]
        assert list(words(text)) == spoken


def test_passages_keep_to_their_size(corpus: Corpus) -> None:
    """No passage is longer than the limit, but for the words of a title that it begins with."""
    longest_title = 12
    longest = max(
        len(words(passage.text))
        for topic, text in corpus.topics.items()
        for passage in split(topic, text)
    )
    assert longest <= PASSAGE_WORDS + longest_title


def test_passage_ids_name_topic_and_place() -> None:
    """An id is the topic and the number of the passage within it."""
    two = f"{PROSE} " * 7
    passages = split("loops", f"{two.strip()}\n\n{two.strip()}")
    assert ["loops#0", "loops#1"] == [passage.id for passage in passages]


def test_splitting_again_gives_the_same_passages(corpus: Corpus) -> None:
    """Chunk ids are stable, so that labels keep their meaning."""
    text = corpus.topics["compound"]
    assert split("compound", text) == split("compound", text)


def test_a_title_begins_a_passage_and_stays_with_its_text() -> None:
    """A heading is never the end of the passage before it."""
    source = "Intro words.\n\nLoops\n=====\n\nA loop repeats."
    texts = [passage.text for passage in split("t", source)]
    assert ["Intro words.", "Loops\n=====\n\nA loop repeats."] == texts


def test_an_empty_topic_has_no_passages() -> None:
    """Nothing to cut gives nothing."""
    nothing: list[Passage] = []
    assert nothing == split("empty", " \n\n ")


def test_topics_are_in_a_stable_order(corpus: Corpus) -> None:
    """Topics come sorted, so that the index is the same in every run."""
    assert all(one < other for one, other in pairwise(corpus.topics))


def test_terms_leave_out_common_words_and_plurals() -> None:
    """A search looks for the words that tell questions apart."""
    assert ("function", "class", "lambda") == terms("What are functions in a class of lambdas?")


def test_sentences_skip_what_is_no_prose() -> None:
    """Titles, grammar, tables and sessions are no sentences of an answer."""
    text = 'The "x"\n*******\n\nx ::= y\n\nIt is one.  It\nis two.\n\n| a | b |\n\n>>> 1\n1'
    assert ["It is one.", "It is two."] == list(sentences(text))
