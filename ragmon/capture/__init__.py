"""Capture: what runs in the user's process.

Read in this order: `stages` (what each stage looks for), `wrap` and `streams` (the
decorated function), `recording` (one open span), `documents` and `texts` (what values are
understood), `configure` and `exporting` (where the spans go).
"""
