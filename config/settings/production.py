"""Settings of an installation: secrets are required, cookies and transport are locked down."""

from config.settings.base import *  # noqa: F403
from config.settings.base import env
from config.settings.secrets import required_key

DEBUG = False
SECRET_KEY = required_key()
SECURE_SSL_REDIRECT = True
SECURE_HSTS_SECONDS = env.secure_hsts_seconds
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
# The containers' health checks speak plain HTTP to their own process.
SECURE_REDIRECT_EXEMPT = [r"^health/"]
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
if env.trust_proxy_tls:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = False
WHITENOISE_AUTOREFRESH = False
