"""A user's own metrics: modules that declare them as ragmon's own modules do.

A module is found by the entry point group `ragmon.metrics` of an installed package, or by its
name in `metrics.modules` of the configuration. Whatever `ragmon.metrics.stage(...)` gave it,
under any name, is taken from it.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Final

from ragmon.errors import ConfigError
from ragmon.metrics.declare import StageMetrics
from ragmon.metrics.registry import Registry, build
from ragmon.metrics.spec import MetricSpec

GROUP: Final = "ragmon.metrics"
"""The entry point group; each entry point names a module."""


def load_registry(k: tuple[int, ...] = (5,), modules: Iterable[str] = ()) -> Registry:
    """The registry of ragmon's metrics, those of installed packages, and those of modules.

    Raises:
        ConfigError: a module cannot be imported or declares nothing, or two metrics have one
            key; it names every module at fault.
        ValueError: `k` is empty or holds anything below 1.
    """
    installed = (point.value for point in sorted(entry_points(group=GROUP)))
    faults: list[str] = []
    own: list[MetricSpec] = []
    for name in dict.fromkeys((*installed, *modules)):
        try:
            own += _declared(name)
        except ConfigError as error:
            faults += error.faults
    faults += _taken(own)
    if faults:
        raise ConfigError(tuple(faults))
    return build(k, own)


def _declared(name: str) -> tuple[MetricSpec, ...]:
    """The metrics that a module declares."""
    try:
        module = import_module(name)
    except Exception as error:
        raise ConfigError((f"metrics.modules: {name!r} cannot be imported: {error!r}",)) from error
    specs = tuple(spec for declared in _groups(module) for spec in declared.specs)
    if not specs:
        hint = "decorate a function with what ragmon.metrics.stage(...) returns"
        raise ConfigError((f"metrics.modules: {name!r} declares no metric; {hint}",))
    return specs


def _groups(module: ModuleType) -> Iterator[StageMetrics]:
    found = {id(value): value for value in vars(module).values() if isinstance(value, StageMetrics)}
    return iter(found.values())


def _taken(own: Iterable[MetricSpec]) -> Iterator[str]:
    """A line for each own metric whose key another one has."""
    seen = {spec.key for spec in (*build().metrics, *build().aggregates)}
    for spec in own:
        if spec.key in seen:
            yield f"metrics.modules: {spec.key} of {spec.function.__module__} is declared twice"
        seen.add(spec.key)
