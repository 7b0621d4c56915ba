#!/bin/sh
# Builds the wheel and imports it in an empty folder, so that a file missing from it fails here.
set -eu

python=$(cd "$(dirname "$PYTHON")" && pwd)/$(basename "$PYTHON")
root=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m pip wheel --quiet --no-deps --wheel-dir "$folder" "$root"
cd "$folder"
"$python" -m zipfile -e ./*.whl unpacked
PYTHONPATH="$folder/unpacked" "$python" - <<'EOF'
import importlib
import pkgutil
from pathlib import Path

import ragmon

here = Path.cwd() / "unpacked"
assert here in Path(ragmon.__file__).parents, f"imported {ragmon.__file__}, not the wheel"
for module in pkgutil.walk_packages(ragmon.__path__, "ragmon."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
EOF
