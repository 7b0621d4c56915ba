"""What counting a request costs, and what a scrape costs per line.

Run it with `python tools/bench/export.py`; `main` is called by `make bench`.
"""

import time
from collections.abc import Callable

from prometheus_client import CollectorRegistry
from prometheus_client import Histogram as ClientHistogram

from ragmon.export.exporter import Exporter
from ragmon.metrics.registry import Registry, build
from ragmon.model.objective import Objective
from ragmon.model.record import Stage
from ragmon.model.result import Evaluation, Fresh, Observation, Observed, RequestKey

ROUNDS = 5
REQUESTS = 2000
SCRAPES = 10
OPENMETRICS = "application/openmetrics-text;version=1.0.0"


def best_us(call: Callable[[], object], calls: int) -> float:
    """The least time of one call over some rounds, in microseconds of this thread's CPU."""
    times = []
    for _ in range(ROUNDS):
        start_ns = time.thread_time_ns()
        for _ in range(calls):
            call()
        times.append((time.thread_time_ns() - start_ns) / calls / 1000)
    return min(times)


def one_request(registry: Registry) -> Fresh:
    """First values of a request of which everything was measured."""
    observations: dict[Observation, Observed] = {
        Observation("outcome"): "answered",
        **{Observation("duration", str(stage)): 0.4 for stage in Stage},
        Observation("first_token"): 0.2,
        Observation("tokens", "model", "input"): 1200,
        Observation("tokens", "model", "output"): 200,
        Observation("cost", "model"): 0.002,
        Observation("retrieved_chunks"): 10,
        Observation("context_tokens"): 900,
    }
    return Fresh(
        key=RequestKey("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"),
        pipeline="demo",
        pipeline_version="1",
        event_ns=1_700_000_000_000_000_000,
        committed_ns=1_700_000_008_000_000_000,
        weight=1.0,
        first=True,
        evaluations=tuple((slot, Evaluation.MEASURED) for slot in registry.layout),
        scores=tuple((slot, 0.75) for slot in registry.layout),
        observations=tuple(observations.items()),
    )


def stock_us(observations: int) -> float:
    """The same number of observations on cached children of prometheus_client's histogram."""
    family = ClientHistogram("score", "x", ["place"], registry=CollectorRegistry())
    children = [family.labels(str(place)) for place in range(observations)]

    def observe() -> None:
        for child in children:
            child.observe(0.75)

    return best_us(observe, REQUESTS)


def counting(registry: Registry, objective: Objective) -> None:
    """Print the cost of one request, beside the stock instruments for as many numbers."""
    exporter = Exporter(registry, [objective], 900.0, 50, "bench")
    fresh = one_request(registry)
    numbers = len(fresh.evaluations) + len(fresh.scores) + len(fresh.observations)
    ours = best_us(lambda: exporter.observe(fresh), REQUESTS)
    stock = stock_us(numbers)
    print(
        f"observe one request ({numbers} numbers): {ours:.1f} us;"
        f" prometheus_client, cached children: {stock:.1f} us; x{ours / stock:.2f}"
    )


def scraping(registry: Registry, objective: Objective, pipelines: int) -> None:
    """Print the cost of one scrape, per line."""
    exporter = Exporter(registry, [objective], 900.0, pipelines + 1, "bench")
    fresh = one_request(registry)
    for number in range(pipelines):
        exporter.observe(
            Fresh(
                key=fresh.key,
                pipeline=f"p{number}",
                pipeline_version=None,
                event_ns=fresh.event_ns,
                committed_ns=fresh.committed_ns,
                weight=1.0,
                first=True,
                evaluations=fresh.evaluations,
                scores=fresh.scores,
                observations=fresh.observations,
            )
        )
    for name, accept in (("plain", ""), ("OpenMetrics", OPENMETRICS)):
        lines = exporter.exposition(accept).body.count(b"\n")
        scrape = best_us(lambda accept=accept: exporter.exposition(accept, "gzip"), SCRAPES)  # type: ignore[misc]
        each = scrape / lines
        print(f"scrape {name}, gzip: {lines} lines, {scrape / 1000:.1f} ms, {each:.1f} us a line")


def main() -> None:
    """Print both."""
    registry = build((5,))
    objective = Objective(
        name="grounded",
        pipeline="demo",
        metric="generation.context_grounding",
        k=None,
        at_least=0.7,
        at_most=None,
        share=0.9,
        window="30d",
    )
    counting(registry, objective)
    scraping(registry, objective, pipelines=3)


if __name__ == "__main__":
    main()
