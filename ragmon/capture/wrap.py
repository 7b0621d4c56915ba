"""The decorated function: a span around each call, and nothing else about it changed."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, cast

from opentelemetry.context import attach, detach

from ragmon.capture.plan import Options, Plan, make_plan
from ragmon.capture.recording import Recording
from ragmon.capture.stages import Stage
from ragmon.capture.streams import stream_function

P = ParamSpec("P")
R = TypeVar("R")


def capture(function: Callable[P, R], stage: Stage, options: Options) -> Callable[P, R]:
    """The function with its calls captured; of the same kind (sync, async, generator)."""
    if isinstance(function, staticmethod | classmethod):
        inner = capture(function.__func__, stage, options)
        return cast("Callable[P, R]", type(function)(inner))
    whole: Any = function  # the wrong order of decorators is not in the type
    if isinstance(whole, property):
        getter = whole.fget and capture(whole.fget, stage, options)
        return cast("Callable[P, R]", property(getter, whole.fset, whole.fdel))
    plan = make_plan(function, stage, options)
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return cast("Callable[P, R]", stream_function(function, plan))
    if inspect.iscoroutinefunction(function):
        return cast("Callable[P, R]", _wrap_coroutine(function, plan))
    return _wrap_function(function, plan)


def _wrap_function(function: Callable[P, R], plan: Plan) -> Callable[P, R]:
    @functools.wraps(function)
    def captured(*args: P.args, **kwargs: P.kwargs) -> R:
        recording = plan.open(args, kwargs)
        if recording is None:
            return function(*args, **kwargs)
        token = attach(recording.context)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            if isinstance(recording, Recording):
                recording.failed(error)
            raise
        else:
            if isinstance(recording, Recording):
                plan.returned(recording, result)
            return result
        finally:
            detach(token)
            if isinstance(recording, Recording):
                recording.end()

    return captured


def _wrap_coroutine(
    function: Callable[P, Awaitable[Any]], plan: Plan
) -> Callable[P, Awaitable[Any]]:
    @functools.wraps(function)
    async def captured(*args: P.args, **kwargs: P.kwargs) -> Any:
        recording = plan.open(args, kwargs)
        if recording is None:
            return await function(*args, **kwargs)
        token = attach(recording.context)
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            if isinstance(recording, Recording):
                recording.failed(error)
            raise
        else:
            if isinstance(recording, Recording):
                plan.returned(recording, result)
            return result
        finally:
            detach(token)
            if isinstance(recording, Recording):
                recording.end()

    return captured
