"""Where the signing key comes from."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config.settings.environment import ROOT, load

KEY_MIN_CHARS = 40


def configured_key() -> str:
    """Return SECRET_KEY from the environment or its file ('' when neither is set)."""
    env = load()
    if key := env.secret_key.get_secret_value():
        return key
    if env.secret_key_file:
        return Path(env.secret_key_file).read_text(encoding="utf-8").strip()
    return ""


def required_key() -> str:
    """Return the configured key (ImproperlyConfigured: there is none)."""
    key = configured_key()
    if not key:
        message = "SECRET_KEY or SECRET_KEY_FILE must be set under the production settings"
        raise ImproperlyConfigured(message)
    if len(key) < KEY_MIN_CHARS:
        message = f"SECRET_KEY must have {KEY_MIN_CHARS} characters or more, at random"
        raise ImproperlyConfigured(message)
    return key


def kept_key() -> str:
    """Return the configured key, else one made once and kept in TIDEBOOK_HOME."""
    if key := configured_key():
        return key
    path = Path(load().tidebook_home or ROOT / ".tidebook") / "secret-key"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48), encoding="utf-8")
        # A hard link fails when another process was first: both then read the same key.
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="utf-8")
