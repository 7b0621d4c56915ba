"""`make bench`: every ratio, each section taken in one run."""

from tools.bench import capture, evaluate, export, metrics, receive, settle, store, stored

SECTIONS = {
    "Capture against a bare span": capture.main,
    "Metrics and tokens against their floors": metrics.main,
    "Evaluating files": evaluate.main,
    "Receiving": receive.main,
    "Settling, in memory and durable": settle.main,
    "Store and inbox": store.main,
    "Export": export.main,
    "A million stored requests": stored.main,
}

for title, main in SECTIONS.items():
    print(f"\n## {title}\n", flush=True)
    main()
