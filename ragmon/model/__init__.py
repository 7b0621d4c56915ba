"""The vocabulary: what everything is called, and what crosses from room to room."""
