"""Rules over the words of a clause, written as one reads them.

    SOURCE ..4 NOT ..2 TELL|HOLD

A rule is a row of elements. An element is one word or several with `|` between them; a name
in capitals stands for its words, `_` for the space within one, `?` makes the element optional
and `!` forbids it. `..3` are at most three words of any kind, `...` at most thirty; `^` and
`$` are the ends of the clause.
"""

import re
from collections.abc import Iterable, Mapping


def rule_pattern(rules: Iterable[str], names: Mapping[str, str]) -> re.Pattern[str]:
    """One pattern that finds any of the rules in words that `spaced` has laid out.

    >>> found = rule_pattern(["SOURCE ..1 not say|tell"], {"SOURCE": "page text"})
    >>> bool(found.search(spaced("the text does not say why")))
    True
    """
    return re.compile("|".join(_rule(rule, names) for rule in rules))


def spaced(words: str) -> str:
    """Words with a space on either side of each, as the patterns want them."""
    return f" {words} "


def _rule(rule: str, names: Mapping[str, str]) -> str:
    return "".join(_element(element, names) for element in rule.split()) + "(?= )"


def _element(element: str, names: Mapping[str, str]) -> str:
    if element == "^":
        return "^"
    if element == "$":
        return "(?= $)"
    if element == "...":
        return r"(?: \w+){0,30}?"
    if element.startswith(".."):
        return rf"(?: \w+){{0,{element[2:]}}}"
    words = "|".join(_words(part, names) for part in element.strip("?!").split("|"))
    one = f" (?:{words})"
    if element.endswith("?"):
        return f"(?:{one}(?= ))?"
    return f"(?!{one} )" if element.startswith("!") else f"{one}(?= )"


def _words(part: str, names: Mapping[str, str]) -> str:
    return "|".join(names[part].split()) if part.isupper() else part.replace("_", " ")
