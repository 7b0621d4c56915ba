"""What stands beside the dashboards: provisioning files and the README."""

from typing import Final

from ragmon.generate.dashboards import SCHEMA_VERSION
from ragmon.generate.origin import hash_comment, markdown_comment

_PROVIDER: Final = """\
# Copy to /etc/grafana/provisioning/dashboards/ and the folder dashboards/ to the path below.
apiVersion: 1
providers:
  - name: ragmon
    type: file
    folder: RAG
    disableDeletion: true
    allowUiUpdates: false
    options:
      path: /var/lib/grafana/dashboards/ragmon
"""

_DATASOURCE: Final = """\
# Copy to /etc/grafana/provisioning/datasources/. Skip it where Grafana has a Prometheus
# already: the dashboards let you choose.
apiVersion: 1
datasources:
  - name: Prometheus
    uid: prometheus
    type: prometheus
    access: proxy
    url: http://127.0.0.1:9090
    jsonData:
      httpMethod: POST
      # The scrape interval; every rate in the dashboards looks at four of them.
      timeInterval: 15s
      # A dot in a latency or quality graph opens its trace. The uid is the one of your
      # Tempo or Jaeger data source.
      exemplarTraceIdDestinations:
        - name: trace_id
          datasourceUid: tempo
"""

_README: Final = f"""\
# Grafana

`dashboards/` holds classic dashboard JSON (schema version {SCHEMA_VERSION}: Grafana 10.4 and \
later take it), `provisioning/` an example of how to load it from files.

- **RAG / Overview** (`ragmon-overview`): the first screen of the on-call.

## Install

1. Let Prometheus scrape ragmon (`deploy/prometheus/prometheus.yml`) and load the rules.
2. Copy `provisioning/datasources/prometheus.yml`, or use the Prometheus that Grafana knows.
3. Copy `provisioning/dashboards/ragmon.yml` and the folder `dashboards/`; or import a file by \
hand (*Dashboards, New, Import*).

Exemplars (the dots that open a trace) need Prometheus with \
`--enable-feature=exemplar-storage` and a tracing data source.

## How to read

Grey means *not measured*: an input was not captured, or no gold label has come. It is never \
a zero. Tiles show the value now; a gap in a line is a time without a value. The row *Against \
gold labels* is in event time: a label that comes a day late changes it.

Colours of tiles are defaults; promises of your own belong in `objectives` of the \
configuration, from which *Budget left* and the alerts follow.

## Change a dashboard

The files are generated: change `ragmon/generate/` and run `ragmon generate`. Panel ids and \
dashboard uids stay, since links hold them. Grafana 13 exports its newer form (v2); it cannot \
be taken over as it is.

## What was checked, and what was not

The dashboards have **not been loaded into a running Grafana**. Instead, in every test run:

- each file is read by Grafana's own Python SDK and written back without a key lost;
- a linter parses every query and checks it against the catalogue of families and labels;
- `promtool` parses every query a second time;
- a real Prometheus, filled with synthetic series of every family, answers every query, and \
an empty answer fails the test.

By hand, dashboard and panel options were validated against JSON Schemas made from the types \
of `@grafana/schema` 13.2.3. What those do not name is `expr`, `step` and `titleFormat` of \
annotations and `definition` of variables, the classic form's own.
"""


def files() -> dict[str, str]:
    """Path below grafana/ to text."""
    return {
        "README.md": markdown_comment(_README),
        "provisioning/dashboards/ragmon.yml": hash_comment(_PROVIDER),
        "provisioning/datasources/prometheus.yml": hash_comment(_DATASOURCE),
    }
