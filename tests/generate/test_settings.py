"""The page and the sample of the configuration follow from its declaration."""

import re

import yaml

from ragmon.config import Config, load
from ragmon.generate.settings import sample_file, settings_page


def test_every_key_stands_on_the_page() -> None:
    """A key that an operator can set is documented with its variable."""
    page = settings_page()
    for name, section in Config():
        for key in getattr(type(section), "model_fields", ()):
            assert f"`RAGMON_{name.upper()}__{key.upper()}`" in page


def test_the_sample_is_valid_and_changes_nothing() -> None:
    """With its marks of comment taken away, every key is read and holds the default."""
    sections = sample_file().partition("# Promises")[0]
    keys = re.findall(r"^# ((?:  )?\w+:.*)$", sections, re.MULTILINE)
    given = yaml.safe_load("\n".join(keys))
    assert {name for name, _ in Config()} - {"objectives", "canaries"} == set(given)
    assert load(None, given).model_dump() == Config().model_dump()
