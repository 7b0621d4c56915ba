"""`ragmon`: one command for each thing a user does."""

import sys
from pathlib import Path

try:
    from ragmon.cli import commands
    from ragmon.cli.console import complain
except ModuleNotFoundError as missing:
    sys.exit(
        f"ragmon: the package {missing.name!r} is not installed; the commands need the extra"
        " `processor`: pip install 'ragmon[processor]'"
    )

from ragmon.errors import ConfigError, RagmonError


def run() -> None:
    """Run the command line; every expected error is clear lines and an exit code.

    Modules of the working directory can be imported, for `metrics.modules`.
    """
    sys.path.append(str(Path.cwd()))
    try:
        commands.app()
    except ConfigError as error:
        for fault in error.faults:
            complain(fault)
        sys.exit(2)
    except RagmonError as error:
        complain(str(error))
        sys.exit(1)
