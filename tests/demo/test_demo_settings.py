import io
import socket
from importlib.resources import as_file, files

from ragmon.config import load
from ragmon.demo.run import run
from ragmon.demo.settings import PIPELINE, DemoSettings
from ragmon.demo.timeline import Labelling, Schedule
from ragmon.metrics.registry import build


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def test_settings_become_a_schedule() -> None:
    """What the user chooses is what the timeline gets."""
    settings = DemoSettings(
        rate=5.0,
        count=9,
        seconds=3.0,
        seed=4,
        standing_labels=0.1,
        labels_at_once=0.2,
        late_labels=0.3,
        label_delay_s=6.0,
    )
    assert Schedule(5.0, 9, 3.0, 4, Labelling(0.1, 0.2, 0.3, 6.0)) == settings.schedule


def test_defaults_have_no_problems() -> None:
    """The demo runs as it is."""
    assert () == DemoSettings().problems()


def test_all_problems_are_named_at_once() -> None:
    """Impossible settings end the run with 2 and one sentence each."""
    err = io.StringIO()
    bad = DemoSettings(rate=0, late_labels=0.9, llm_model="small")
    assert 2 == run(bad, out=io.StringIO(), err=err)
    assert [
        "rate must be above 0",
        "labels_at_once and late_labels must be at least 0 and together at most 1",
        "llm_endpoint and llm_model go together; give both or none",
    ] == err.getvalue().splitlines()


def test_an_unreachable_processor_is_one_clear_message() -> None:
    """The message names the addresses and says what to do; the exit code is 1."""
    err, views, endpoint = io.StringIO(), free_address(), free_address()
    settings = DemoSettings(endpoint=endpoint, views=views, startup_s=0)
    assert 1 == run(settings, out=io.StringIO(), err=err)
    assert (
        f"no ragmon processor answers at {views} and {endpoint}; start one with `ragmon serve`, "
        "or give its addresses with --endpoint and --views\n"
    ) == err.getvalue()


def test_the_processors_promises_are_about_the_demo() -> None:
    """The configuration for the demo's processor names its pipeline and metrics that exist."""
    with as_file(files("ragmon.demo") / "processor.yaml") as path:
        objectives = load(path, {}).objectives
    assert {PIPELINE} == {objective.pipeline for objective in objectives}
    assert [] == [one.metric for one in objectives if build().find(one.metric) is None]
