"""Reading the configuration: one file, then the environment, then flags; the last wins."""

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource

from ragmon.config.shape import Config
from ragmon.errors import ConfigError


def load(path: Path | None, flags: Mapping[str, Any]) -> Config:
    """Read the file (if one is given), then the environment, then `flags`.

    flags: section -> key -> value, as given on the command line.

    Raises:
        ConfigError: with every fault, one line each.
    """
    given = _read_yaml(path)

    class Sourced(Config):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
            file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, InitSettingsSource(settings_cls, given)

    try:
        return Sourced(**flags)
    except ValidationError as error:
        raise ConfigError(tuple(_faults(error))) from None
    except ValueError as error:
        raise ConfigError((f"environment: {error}",)) from None


def _read_yaml(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError((f"{path}: cannot be read: {error.strerror}",)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError((f"{path}: is no YAML: {' '.join(str(error).split())}",)) from None
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ConfigError((f"{path}: must hold sections such as `listen:`",))
    return {str(key): value for key, value in given.items()}


def _faults(error: ValidationError) -> Iterator[str]:
    for detail in error.errors(include_url=False):
        place = ".".join(str(part) for part in detail["loc"])
        for line in _message(detail).splitlines():
            yield f"{place}: {line}" if place else line


def _message(detail: ErrorDetails) -> str:
    message = detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "extra_forbidden":
        return f"unknown key{_nearest(detail['loc'])}"
    if detail["type"] in {"missing", "value_error"}:
        return message
    return f"{message}, got {detail['input']!r}"


def _nearest(place: tuple[int | str, ...]) -> str:
    """A hint at the key that was probably meant."""
    model: Any = Config
    for part in place[:-1]:
        # A part of a list or of a map stands for one of its values.
        values = [one for one in get_args(model) if one is not Ellipsis]
        model = values[-1] if values else model.model_fields[part].annotation
    near = difflib.get_close_matches(str(place[-1]), model.model_fields, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(model.model_fields)}"
