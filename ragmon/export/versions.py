"""Which versions of a pipeline are serving."""

from collections import defaultdict

from ragmon.export.guard import presentable
from ragmon.export.tables import Table

__all__ = ["PipelineVersions"]

_SHOWN = 2


class PipelineVersions:
    """Exposes the versions of each pipeline with the newest requests: current and previous."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._newest_ns: dict[str, dict[str, int]] = defaultdict(dict)

    def seen(self, pipeline: str, version: str, event_ns: int) -> None:
        """A request of that version ended at `event_ns`."""
        newest_ns = self._newest_ns[pipeline]
        known = version in newest_ns
        if not known and not presentable(version):
            return
        newest_ns[version] = max(event_ns, newest_ns.get(version, event_ns))
        if not known:
            self._forget_oldest(newest_ns)
            self._expose()

    def _forget_oldest(self, newest_ns: dict[str, int]) -> None:
        if len(newest_ns) > _SHOWN:
            del newest_ns[min(newest_ns, key=newest_ns.__getitem__)]

    def _expose(self) -> None:
        self._table.replace(
            {
                (pipeline, version): 1.0
                for pipeline, newest_ns in self._newest_ns.items()
                for version in newest_ns
            }
        )
