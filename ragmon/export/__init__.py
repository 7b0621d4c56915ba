"""From fresh values and window summaries to `/metrics`."""
