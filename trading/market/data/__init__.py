"""The bars that ship with the project, and how they were made (see NOTICE)."""
