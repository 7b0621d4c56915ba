"""`ragmon demo`: builds the app, sends the traffic, shows what the processor measures."""

import logging
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TextIO

import ragmon
from ragmon.demo.app import App, Ask, index_passages
from ragmon.demo.corpus import load_corpus
from ragmon.demo.faults import break_search, break_writer
from ragmon.demo.generate import ChatModel, Writer, extract
from ragmon.demo.gold import Gold, locate
from ragmon.demo.labels import LabelPoster
from ragmon.demo.live import Screen, View, open_screen
from ragmon.demo.monitor import Look, Monitor, answers
from ragmon.demo.pace import Sleep, paced_search, paced_writer
from ragmon.demo.questions import load_questions
from ragmon.demo.retrieve import Index
from ragmon.demo.settings import PIPELINE, DemoSettings
from ragmon.demo.timeline import timeline
from ragmon.demo.traffic import CONCURRENCY, Traffic

_SERVICE = "ragmon-demo"
_VIEW_EVERY_S = 1.0
_LAST_RESULTS_S = 30.0
_RETRY_S = 0.5


@dataclass(frozen=True, slots=True)
class Demo:
    """The app and what is known about its questions."""

    ask: Ask
    golds: tuple[Gold, ...]
    topics: int
    passages: int

    def describe(self) -> str:
        """One line on the size of the corpus and the questions."""
        answerable = [gold for gold in self.golds if gold.question.answerable]
        found = sum(not gold.not_found for gold in answerable)
        return (
            f"Python reference: {self.topics} topics, {self.passages} passages; "
            f"{len(self.golds)} questions, evidence found for {found} of {len(answerable)} "
            f"({len(answerable) - found} gold_not_found)"
        )


def build(settings: DemoSettings, sleep: Sleep) -> Demo:
    """Index the corpus, locate the gold, and put the fault under the app."""
    corpus = load_corpus()
    index = Index(index_passages(corpus))
    search = paced_search(break_search(settings.fault, index), sleep, settings.seed)
    paced = paced_writer(_writer(settings), sleep, settings.seed)
    write = break_writer(settings.fault, paced, sleep, settings.slow_s)
    golds = locate(load_questions(), corpus, index.passages)
    return Demo(App(search, write).ask, golds, len(corpus.topics), len(index.passages))


def run(settings: DemoSettings, out: TextIO = sys.stdout, err: TextIO = sys.stderr) -> int:
    """Run the demo until its schedule ends or it is interrupted; returns the exit code."""
    logging.getLogger("httpx").setLevel(logging.WARNING)  # a line per request hides the view
    problems = settings.problems()
    if problems:
        print(*problems, sep="\n", file=err)
        return 2
    absent = _absent(settings)
    if absent is not None:
        print(absent, file=err)
        return 1
    ragmon.configure(service=_SERVICE, pipeline=PIPELINE, endpoint=settings.endpoint)
    demo = build(settings, time.sleep)
    print(demo.describe(), file=out, flush=True)
    with open_screen(out) as screen:
        _Session(settings, demo, screen).run()
    return 0


class _Session:
    """One run of traffic, watched."""

    def __init__(self, settings: DemoSettings, demo: Demo, screen: Screen) -> None:
        self._settings = settings
        self._demo = demo
        self._screen = screen
        self._stop = threading.Event()
        self._poster = LabelPoster.to(settings.endpoint, self._pause)
        self._monitor = Monitor.of(settings.views, PIPELINE, time.monotonic)
        self._executor = ThreadPoolExecutor(CONCURRENCY, thread_name_prefix="ragmon-demo")
        self._traffic = Traffic(
            demo.ask, self._poster.post, self._executor, time.monotonic, self._stop.wait
        )

    def run(self) -> None:
        sender = threading.Thread(target=self._send, name="ragmon-demo-traffic")
        sender.start()
        try:
            while sender.is_alive():
                self._look()
                sender.join(_VIEW_EVERY_S)
            self._await_results()
        except KeyboardInterrupt:
            self._stop.set()
        finally:
            sender.join()
            ragmon.flush()

    def _send(self) -> None:
        run_id = uuid.uuid4().hex[:12]
        steps = timeline(self._demo.golds, self._settings.schedule, run_id, PIPELINE)
        try:
            self._traffic.run(steps)
        finally:
            self._executor.shutdown(cancel_futures=self._stop.is_set())

    def _await_results(self) -> None:
        """Look until the processor has settled what was sent, or for a while."""
        ragmon.flush()
        deadline = time.monotonic() + _LAST_RESULTS_S
        while time.monotonic() < deadline:
            if self._is_complete(self._look()):
                break
            self._stop.wait(_VIEW_EVERY_S)

    def _is_complete(self, look: Look) -> bool:
        """Whether all requests are counted, and the window gauges have followed."""
        hour = look.last_hour
        settled = look.settled >= self._traffic.counts.asked
        return settled and hour is not None and hour.requests is not None

    def _look(self) -> Look:
        look = self._monitor.look()
        view = View(
            fault=self._settings.fault,
            traffic=self._traffic.counts,
            labels=self._poster.counts,
            last_minute=look.last_minute,
            last_hour=look.last_hour,
            problem=look.problem,
        )
        self._screen.show(view)
        return look

    def _pause(self, seconds: float) -> None:
        self._stop.wait(seconds)


def _absent(settings: DemoSettings) -> str | None:
    """What to do if the processor does not answer in time; None if it answers."""
    deadline = time.monotonic() + settings.startup_s
    while True:
        missing = [url for url in (settings.views, settings.endpoint) if not answers(url)]
        if not missing:
            return None
        if time.monotonic() >= deadline:
            return (
                f"no ragmon processor answers at {' and '.join(missing)}; "
                "start one with `ragmon serve`, or give its addresses with --endpoint and --views"
            )
        time.sleep(_RETRY_S)


def _writer(settings: DemoSettings) -> Writer:
    if settings.llm_endpoint is None or settings.llm_model is None:
        return extract
    return ChatModel(settings.llm_endpoint, settings.llm_model, settings.llm_api_key).write
