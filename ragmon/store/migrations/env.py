"""Runs the revisions beside it on a connection whose transaction is the caller's."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
