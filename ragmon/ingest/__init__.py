"""OTLP bytes to spans, without any I/O, and the one table of what each error answers."""
