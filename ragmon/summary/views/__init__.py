"""Reports for eyes and tools: as a dict, JSON, Markdown, HTML and a table for the terminal."""
