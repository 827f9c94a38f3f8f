"""The composition root: settings, URLs, error handling and the project's own commands."""
