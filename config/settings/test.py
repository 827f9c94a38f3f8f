"""Settings of the test suite. Importing them starts the embedded server when it is needed."""

from config.settings.database import start_embedded

start_embedded()

from config.settings.base import *  # noqa: E402, F403

SECRET_KEY = "tests-only-not-a-secret-0123456789-abcdefghijklmnopqrstuvwxyz"  # noqa: S105 - as it says
TEST_RUNNER = "config.test_runner.PytestRunner"
# Hashing passwords slowly is of no use here.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
# A stopped clock would let nobody in again; tests of the limits set their own.
RATE_LIMITS = dict.fromkeys(RATE_LIMITS, "")
