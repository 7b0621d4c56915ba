"""docs/label.schema.json: the JSON Schema of a posted label."""

import json

from ragmon.generate.origin import ORIGIN
from ragmon.labels.schema import label_schema


def schema_file() -> str:
    """The schema, with its origin in the description."""
    schema = label_schema()
    schema["description"] += f" {ORIGIN}"
    return json.dumps(schema, indent=2) + "\n"
