"""Generators: a span that lasts as long as the stream, and is current only inside it.

The span's context is attached around each step of the user's generator and never across a
yield, so that it leaks neither into the consumer nor into another task that closes the
stream. The call remembers its context, so that a stream that is read after its request
returned still belongs to it.
"""

import functools
from collections.abc import AsyncGenerator, Callable, Generator
from inspect import isasyncgenfunction
from types import MethodType
from typing import Any, Final

from opentelemetry.context import Context, attach, detach, get_current

from ragmon.capture import faults
from ragmon.capture.plan import Plan
from ragmon.capture.recording import Recording, Unsampled
from ragmon.capture.settings import MAX_DOCUMENTS
from ragmon.capture.texts import read_chunk, read_usage

_MOST_CHARS: Final = 1 << 20


class Stream:
    """One stream from its first step to its end. Owned by the generator that drives it."""

    def __init__(self, plan: Plan, args: Any, kwargs: Any, called_in: Context) -> None:
        self._plan = plan
        self._call = (args, kwargs, called_in)
        self._recording: Recording | Unsampled | None = None
        self._parts: list[Any] = []
        self._chars = 0
        self._chunks = 0

    def open(self) -> None:
        """Start the span; called at the first step, when the user's code starts to run."""
        self._recording = self._plan.open(*self._call)

    def step(self, advance: Callable[[Any], Any], argument: Any) -> Any:
        """Run the user's generator to its next yield, with its span current."""
        if self._recording is None:
            return advance(argument)
        token = attach(self._recording.context)
        try:
            return advance(argument)
        finally:
            detach(token)

    async def step_async(self, advance: Callable[[Any], Any], argument: Any) -> Any:
        """The same for an asynchronous generator."""
        if self._recording is None:
            return await advance(argument)
        token = attach(self._recording.context)
        try:
            return await advance(argument)
        finally:
            detach(token)

    def chunk(self, value: Any) -> None:
        """Note one thing that was yielded."""
        if isinstance(self._recording, Recording):
            try:
                self._note(self._recording, value)
            except Exception as fault:  # noqa: BLE001
                faults.report(fault, "reading a chunk")

    def failed(self, error: BaseException) -> None:
        """Note the exception that ended the stream."""
        if isinstance(self._recording, Recording):
            self._recording.failed(error)

    def end(self) -> None:
        """Record what came, and end the span."""
        if isinstance(self._recording, Recording):
            whole = self._whole()
            if whole is not None:
                self._plan.returned(self._recording, whole)
            self._recording.end()

    def _note(self, recording: Recording, value: Any) -> None:
        self._chunks += 1
        if not self._plan.stage.gives_text:
            if len(self._parts) < MAX_DOCUMENTS:
                self._parts.append(value)
            return
        text = self._plan.chunk(value) if self._plan.chunk is not None else read_chunk(value)
        if text:
            recording.first_chunk()
            if self._chars < _MOST_CHARS:
                self._parts.append(text)
                self._chars += len(text)
        if type(value) is not str:
            recording.put_usage(*read_usage(value))

    def _whole(self) -> Any:
        """The answer, or the list of documents; None where no chunk could be read."""
        if not self._plan.stage.gives_text:
            return self._parts
        return "".join(self._parts) if self._parts or not self._chunks else None


def drive(stream: Stream, inner: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """The user's generator, step by step; every part of the protocol reaches it."""
    stream.open()
    advance: Callable[[Any], Any] = inner.send
    argument: Any = None
    try:
        while True:
            try:
                value = stream.step(advance, argument)
            except StopIteration as stop:
                return stop.value
            stream.chunk(value)
            try:
                argument = yield value
                advance = inner.send
            except BaseException as thrown:  # noqa: BLE001 -- it is thrown on, into the generator
                advance, argument = inner.throw, thrown
    except BaseException as error:
        stream.failed(error)
        raise
    finally:
        stream.end()


async def drive_async(stream: Stream, inner: AsyncGenerator[Any, Any]) -> AsyncGenerator[Any, Any]:
    """The same for an asynchronous generator."""
    stream.open()
    advance: Callable[[Any], Any] = inner.asend
    argument: Any = None
    try:
        while True:
            try:
                value = await stream.step_async(advance, argument)
            except StopAsyncIteration:
                return
            stream.chunk(value)
            try:
                argument = yield value
                advance = inner.asend
            except BaseException as thrown:  # noqa: BLE001
                advance, argument = inner.athrow, thrown
    except BaseException as error:
        stream.failed(error)
        raise
    finally:
        stream.end()


class StreamFunction:
    """A captured generator function.

    A plain generator function could not see the context of its call, only that of its
    first step. `inspect` takes an object with a function's attributes for one, so
    `isgeneratorfunction` and `isasyncgenfunction` hold as before.
    """

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], plan: Plan) -> None:
        functools.update_wrapper(self, function)
        self._plan = plan
        self._drive: Callable[[Stream, Any], Any] = (
            drive_async if isasyncgenfunction(function) else drive
        )
        for name in ("__code__", "__defaults__", "__kwdefaults__", "__globals__"):
            if hasattr(function, name):
                self.__dict__[name] = getattr(function, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A generator as the function's own would be."""
        inner = self.__wrapped__(*args, **kwargs)
        outer = self._drive(Stream(self._plan, args, kwargs, get_current()), inner)
        outer.__name__, outer.__qualname__ = inner.__name__, inner.__qualname__
        return outer

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


def stream_function(function: Callable[..., Any], plan: Plan) -> StreamFunction:
    """The captured form of a generator function, sync or async."""
    return StreamFunction(function, plan)
