"""How one function is captured, worked out once, when it is decorated."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from opentelemetry.context import Context, get_current

from ragmon import semconv
from ragmon.capture import faults
from ragmon.capture.fields import field
from ragmon.capture.recording import Recording, Unsampled
from ragmon.capture.settings import active
from ragmon.capture.stages import Stage, Writer


class Argument(NamedTuple):
    """Where a call carries one argument: by position, by keyword, or as a default.

    `position` -1 is none. `path` leads from the argument to the value, by attribute or key.
    """

    position: int
    name: str
    default: Any
    path: tuple[str, ...] = ()

    def read(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The value of this call; None where it has none."""
        if 0 <= self.position < len(args):
            value = args[self.position]
        else:
            value = kwargs.get(self.name, self.default)
        for step in self.path:
            value = field(value, step)
        return value


class Constant(NamedTuple):
    """A value that an option gave outright."""

    value: Any

    def read(self, _args: Sequence[Any], _kwargs: Mapping[str, Any]) -> Any:
        """The value, whatever the call."""
        return self.value


class Options(NamedTuple):
    """The options of a decorator.

    `sources` says per input of the stage where to find it: a parameter name, or a value.
    `result` takes what the function returned to what the stage would return; `chunk` takes
    one chunk of a stream to its text.
    """

    name: str | None
    sources: Mapping[str, object]
    result: Callable[[Any], object] | None = None
    chunk: Callable[[Any], str | None] | None = None
    pipeline: str | None = None


class Plan:
    """Everything a decorated call needs to know, ready to be used."""

    __slots__ = ("at_start", "chunk", "identity", "inputs", "name", "pipeline", "result", "stage")

    def __init__(
        self,
        stage: Stage,
        options: Options,
        inputs: Sequence[tuple[Argument | Constant, Writer]],
        name: str,
    ) -> None:
        self.stage = stage
        self.name = name
        self.inputs = tuple(inputs)
        self.result = options.result
        self.chunk = options.chunk
        self.pipeline = options.pipeline
        self.identity = {semconv.STAGE: stage.name}
        if stage.operation is not None:
            self.identity[semconv.GEN_AI_OPERATION_NAME] = stage.operation
        # Samplers see what a span starts with, and decide where the trace begins.
        self.at_start = self.identity if stage.name == "request" else None

    def open(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], parent: Context | None = None
    ) -> Recording | Unsampled | None:
        """Start the span of one call; None where no SDK records and nothing has to be done."""
        try:
            if parent is None:
                parent = get_current()
            span = active.tracer.start_span(self.name, parent, attributes=self.at_start)
            if not span.is_recording():
                return Unsampled.of(span, parent)
            recording = Recording(span, self.identity, parent)
        except Exception as fault:  # noqa: BLE001
            faults.report(fault, "starting a span")
            return None
        if self.pipeline is not None:
            recording.pipeline = self.pipeline
        self._write_inputs(recording, args, kwargs)
        return recording

    def _write_inputs(
        self, recording: Recording, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:
        try:
            for argument, write in self.inputs:
                value = argument.read(args, kwargs)
                if value is not None:
                    write(recording, value)
        except Exception as fault:  # noqa: BLE001
            faults.report(fault, "reading arguments")

    def returned(self, recording: Recording, value: Any) -> None:
        """Record what the function returned."""
        try:
            if self.result is not None:
                value = self.result(value)
            if value is not None:
                self.stage.write_result(recording, value)
        except Exception as fault:  # noqa: BLE001
            faults.report(fault, "reading a result")


def make_plan(function: Callable[..., Any], stage: Stage, options: Options) -> Plan:
    """Work out where each input of the stage stands in the function's calls.

    Never raises for an option that fits nothing: it is reported as a fault, and that
    input is not captured.
    """
    parameters = _parameters(function)
    inputs: list[tuple[Argument | Constant, Writer]] = []
    taken: set[str] = set()
    for wanted in stage.inputs:
        source = options.sources.get(wanted.option)
        found = (
            _by_name(parameters, wanted.names, taken)
            if source is None
            else _by_option(parameters, wanted.option, source)
        )
        if found is not None:
            inputs.append((found, wanted.write))
            taken.add(found.name if isinstance(found, Argument) else "")
    name = options.name or f"{stage.name} {getattr(function, '__name__', type(function).__name__)}"
    return Plan(stage, options, inputs, name)


def _parameters(function: Callable[..., Any]) -> dict[str, Argument]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return {}
    places: dict[str, Argument] = {}
    for position, parameter in enumerate(signature.parameters.values()):
        default = None if parameter.default is parameter.empty else parameter.default
        match parameter.kind:
            case parameter.POSITIONAL_ONLY:
                places[parameter.name] = Argument(position, "", default)
            case parameter.POSITIONAL_OR_KEYWORD:
                places[parameter.name] = Argument(position, parameter.name, default)
            case parameter.KEYWORD_ONLY:
                places[parameter.name] = Argument(-1, parameter.name, default)
            case parameter.VAR_KEYWORD:
                places["**"] = Argument(-1, parameter.name, None)
            case _:
                pass
    return places


def _by_name(
    parameters: Mapping[str, Argument], names: Sequence[str], taken: set[str]
) -> Argument | None:
    return next(
        (parameters[name] for name in names if name in parameters and name not in taken), None
    )


def _by_option(
    parameters: Mapping[str, Argument], option: str, source: object
) -> Argument | Constant | None:
    if not isinstance(source, str):
        return Constant(source)
    name, *path = source.split(".")
    if name in parameters:
        return parameters[name]._replace(path=tuple(path))
    if option in ("model", "data_source"):
        return Constant(source)
    if "**" in parameters:
        return Argument(-1, name, None, tuple(path))
    faults.report(TypeError(f"{option}={source!r} names no parameter"), "decorating a function")
    return None
