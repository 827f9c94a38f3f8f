"""Settings that hold everywhere."""

from typing import Any

import django_stubs_ext

from config.processes import BRIDGE, WEB, last_url
from config.settings.database import databases, home, hosts_environment
from config.settings.environment import ROOT, load
from config.settings.logs import configure_logs

# Lets generic classes name their model (`ModelAdmin[Record]`) at run time as for the type checker.
django_stubs_ext.monkeypatch()

env = load()

DEBUG = env.debug
ALLOWED_HOSTS = [host for host in env.allowed_hosts.split(",") if host]
CSRF_TRUSTED_ORIGINS = [origin for origin in env.csrf_trusted_origins.split(",") if origin]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

INSTALLED_APPS = [
    "config",
    "memory",
    "trading",
    "review",
    "autopilot",
    "mcp_bridge",
    "config.apps.StaffAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "axes",
    "django_filters",
    "django_q",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "rest_framework",
]

MIDDLEWARE = [
    "config.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "config.middleware.SlashMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = databases()
MIGRATION_LOCK_SECONDS = env.migration_lock_seconds
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# An owner need not be staff: who has logged in may use the API from the browser.
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "docs"
LOGOUT_REDIRECT_URL = "index"

# Failed logins are counted in the database, so that all processes share the count.
AXES_FAILURE_LIMIT = env.login_failure_limit
AXES_COOLOFF_TIME = env.login_cooloff_minutes / 60
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ADMIN = True
AXES_USERNAME_CALLABLE = "config.login.counted_name"
AXES_LOCKOUT_CALLABLE = "config.login.locked_out"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-gb"
USE_I18N = False

STATIC_URL = "static/"
STATIC_ROOT = ROOT / "staticfiles"
STATICFILES_DIRS = [ROOT / "config" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Outside production there is no collectstatic step: files are served from where they lie.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True

DATA_UPLOAD_MAX_MEMORY_SIZE = env.max_request_bytes
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SECURE_CSP = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "config.api.authentication.BearerAuthentication",
        "config.api.authentication.BrowserAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["config.api.throttling.RateThrottle"],
    "DEFAULT_RENDERER_CLASSES": ["config.api.rendering.JsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.api.parsing.StrictJsonParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "config.api.rendering.OnlyJson",
    "DEFAULT_PAGINATION_CLASS": "config.api.pagination.KeysetPagination",
    "DEFAULT_FILTER_BACKENDS": ["config.api.filtering.StrictFilterBackend"],
    "DEFAULT_SCHEMA_CLASS": "config.api.openapi.Schema",
    "EXCEPTION_HANDLER": "config.api.errors.handle",
    # OPTIONS is a 405: the OpenAPI document says more, and says it without an agent's data.
    "DEFAULT_METADATA_CLASS": None,
    "UNAUTHENTICATED_USER": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Tidebook",
    "DESCRIPTION": "The memory of trading agents: records with provenance and expiry, "
    "and the trading context made of them.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.api.openapi.without_citations",
    ],
    "ENUM_NAME_OVERRIDES": {
        "RecordStatusEnum": "memory.policies.visibility.ORDER",
        "SessionStatusEnum": "autopilot.models.sessions.SESSION_STATUSES",
    },
}

Q_CLUSTER: dict[str, Any] = {
    "name": "tidebook",
    "orm": "default",
    "workers": env.queue_workers,
    "timeout": env.queue_task_seconds,
    "retry": env.queue_retry_seconds,
    "max_attempts": 3,
    "catch_up": False,
    "poll": 0.2,
    "recycle": 200,
    "max_rss": 300_000,
    "save_limit": 250,
    "save_limit_per": "func",
    "time_zone": "UTC",
    "bulk": 1,
    "queue_limit": 8,
}

LOGGING_CONFIG = None
configure_logs(level=env.log_level, json=env.log_json)

# Tidebook's own, read by the apps through django.conf.settings.
RECORD_BOUNDS = {
    "content_max_chars": env.content_max_chars,
    "metadata_max_bytes": env.metadata_max_bytes,
    "metadata_max_depth": env.metadata_max_depth,
    "max_links": env.max_links,
    "max_targets": env.max_targets,
    "max_tags": env.max_tags,
    "tag_max_chars": env.tag_max_chars,
}
STANDING_TERMS: dict[str, Any] = {
    "success_days": env.insight_success_days,
    "failure_days": env.insight_failure_days,
    "optimization_days": env.optimization_days,
    **env.success,
}
PURGE_GRACE_HOURS = env.purge_grace_hours
PURGE_BATCH = env.purge_batch
IDEMPOTENCY_DAYS = env.idempotency_days
INSTRUMENT_NAMES = "trading.market.instruments.canonical"
"""What gives an instrument's canonical name for another: the store itself knows no exchange."""
COMMUNITY_GATE = {
    "min_trades": env.community_min_trades,
    "min_days": env.community_min_days,
}
MAX_REQUEST_BYTES = env.max_request_bytes
RUN_TIMEOUT_MINUTES = env.run_timeout_minutes
RUN_TOKEN_HOURS = env.run_token_hours
RATE_LIMITS = {
    "read": env.rate_read,
    "write": env.rate_write,
    "search": env.rate_search,
    "session": env.rate_session,
}
PAGE_SIZE = env.page_size
PAGE_SIZE_MAX = env.page_size_max
CONTEXT_LEARNINGS = env.context_learnings
CONTEXT_PAST_CORRECTIONS = env.context_past_corrections
PUBLIC_URL = env.public_url or last_url(WEB, home())
AI_PROVIDER = env.ai_provider
AI_CALL_SECONDS = env.ai_call_seconds
AI_CRITIC_MODE = env.ai_critic_mode
# Which version of each role's prompt is used: a file autopilot/prompts/<role>/<version>.md (L5).
PROMPT_VERSIONS = {
    "researcher": 2,
    "advisor_tags": 1,
    "advisor": 2,
    "tagger": 1,
    "synthesizer": 2,
    "evaluator": 1,
    "critic": 1,
}
RULE_PROMOTION = env.rule_promotion
RULE_REVIEW = env.rule_review
SESSION_MINUTES = env.session_minutes
SESSION_BARS = env.session_bars
SESSION_MIN_BARS = env.session_min_bars
STEP_LEASE_SECONDS = env.step_lease_seconds
QUEUE_STALL_SECONDS = env.queue_stall_seconds
QUEUE_STOP_SECONDS = env.queue_stop_seconds
QUEUE_RESTARTS = env.queue_restarts
JOB_DAYS = env.job_days
LIVE_KEEP_ALIVE_SECONDS = env.live_keep_alive_seconds
LIVE_STREAMS_PER_CALLER = env.live_streams_per_caller
HYPERLIQUID_URL = env.hyperliquid_url
HYPERLIQUID_TIMEOUT_SECONDS = env.hyperliquid_timeout_seconds

MCP_MEMORY_HOST = env.mcp_memory_host
MCP_MEMORY_PORT = env.mcp_memory_port
MCP_HTTP_PORT = env.mcp_http_port
MCP_AUTH = env.mcp_auth
MCP_MEMORY_TOKEN = env.mcp_memory_token.get_secret_value()
MCP_AUTHORIZATION_SERVER = env.mcp_authorization_server
MCP_PUBLIC_URL = env.mcp_public_url
MCP_LAST_URL = f"{last_url(BRIDGE, home())}/mcp"
HOSTS_ENVIRONMENT = hosts_environment()
"""For the lines of MCP hosts that start the bridge themselves."""
MCP_ALLOWED_HOSTS = [host for host in env.mcp_allowed_hosts.split(",") if host]
MCP_ALLOWED_ORIGINS = [origin for origin in env.mcp_allowed_origins.split(",") if origin]
MCP_ORM_THREADS = env.mcp_orm_threads
MCP_MAX_CONNECTIONS = env.mcp_max_connections
MCP_HELLO_SECONDS = env.mcp_hello_seconds
MCP_IDLE_SECONDS = env.mcp_idle_seconds
MCP_STOP_SECONDS = env.mcp_stop_seconds
