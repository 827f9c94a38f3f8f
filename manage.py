#!/usr/bin/env python
"""Run Tidebook's commands."""

import os
import sys

DATABASELESS = {
    "db",
    "doctor",
    "env_example",
    "help",
    "--help",
    "version",
    "--version",
    "collectstatic",
}


def main() -> None:
    """Run the command; what keeps it from starting is one line, with --traceback the whole."""
    refuse_undecodable(sys.argv)
    try:
        run()
        sys.stdout.flush()
    except BrokenPipeError:
        # Who read along has left, as `head` does. What is written at the end would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        from config.management.failures import explain  # noqa: PLC0415 - needs settings

        line = None if "--traceback" in sys.argv else explain(error)
        if line is None:
            raise
        sys.exit(f"manage.py: {line}")


def refuse_undecodable(words: list[str]) -> None:
    """End with status 2 when an argument is no text: no database and no terminal would take it."""
    for position, word in enumerate(words):
        try:
            word.encode()
        except UnicodeEncodeError:
            print(f"manage.py: argument {position} is not UTF-8", file=sys.stderr)  # noqa: T201 - before Django
            sys.exit(2)


def asks_for_help(words: list[str]) -> bool:
    """Tell whether a command's words ask how it is called, which no database knows."""
    options = words[: words.index("--")] if "--" in words else words
    # `--he` is short for it, as for any option.
    return any(word == "-h" or ("--help".startswith(word) and word > "--") for word in options)


def run() -> None:
    """Start the embedded database where it is needed, then hand over to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")
    wanted = sys.argv[1] if len(sys.argv) > 1 else "help"
    if wanted == "test":
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    stopping = sys.argv[1:3] == ["demo", "--stop"]
    if wanted not in DATABASELESS and not stopping and not asks_for_help(sys.argv[2:]):
        from config.settings.database import start_embedded  # noqa: PLC0415 - needs settings

        start_embedded()

    from django.core.management import execute_from_command_line  # noqa: PLC0415 - after it

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
