"""The only SQL and the only durable state: inbox, kept spans, results, labels, roll-ups."""
