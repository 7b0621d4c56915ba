"""The metrics: one pure function each, declared once, measured per request."""
