"""The one place where the environment is read.

`.env.example` lists every variable of this class; a test compares the two.
"""

import functools
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from memory.policies.rates import limit_text
from memory.policies.standing import PRESETS

ROOT = Path(__file__).resolve().parents[2]
RateText = Annotated[str, AfterValidator(limit_text)]
EMPTY_IS_NONE = BeforeValidator(lambda value: None if value == "" else value)


class Settings(BaseSettings):
    """Everything that can be set from outside, with its default."""

    model_config = SettingsConfigDict(
        env_file=ROOT / ".env", env_file_encoding="utf-8", extra="ignore"
    )

    database_url: SecretStr = Field(
        SecretStr(""),
        description="PostgreSQL 15 or newer, postgresql://user:password@host:port/name. "
        "Empty: the embedded server.",
    )
    database_pool_size: int = Field(
        16, ge=0, description="Connections that a web process keeps and shares. 0: none kept."
    )
    migration_lock_seconds: float = Field(
        5.0, gt=0, description="How long `migrate` waits for a table that others use."
    )
    tidebook_process: Literal["command", "web", "worker"] = Field(
        "command", description="Set by the processes themselves: who keeps which connections."
    )
    tidebook_home: str = Field(
        "", description="Where the embedded server keeps its data. Empty: .tidebook in the project."
    )
    secret_key: SecretStr = Field(
        SecretStr(""),
        description="Signs sessions and cursors. Empty outside production: made once and kept in "
        "TIDEBOOK_HOME. Required in production.",
    )
    secret_key_file: str = Field("", description="A file that holds SECRET_KEY instead.")
    debug: bool = Field(default=False, description="Django's debug pages. Never in production.")
    allowed_hosts: str = Field(
        "localhost,127.0.0.1,[::1]", description="Host names served, separated by commas."
    )
    csrf_trusted_origins: str = Field(
        "", description="Origins (https://…) allowed to post forms, separated by commas."
    )
    log_level: str = Field("INFO", description="DEBUG, INFO, WARNING or ERROR.")
    log_json: bool = Field(default=False, description="JSON lines instead of console output.")

    secure_hsts_seconds: int = Field(
        31_536_000, ge=0, description="HSTS, under the production settings."
    )
    trust_proxy_tls: bool = Field(
        default=False, description="Trust X-Forwarded-Proto of a proxy in front (production)."
    )
    login_failure_limit: int = Field(5, ge=1, description="Failed logins before a lock-out.")
    login_cooloff_minutes: int = Field(15, ge=1, description="How long a lock-out lasts.")

    max_request_bytes: int = Field(
        1_048_576, ge=1024, description="A larger request is refused with 413."
    )
    content_max_chars: int = Field(32_768, ge=1, description="Longest content of a record.")
    metadata_max_bytes: int = Field(65_536, ge=2, description="Largest metadata, as JSON.")
    metadata_max_depth: int = Field(32, ge=1, description="Deepest nesting of metadata.")
    max_links: int = Field(64, ge=0, description="Most links of a record.")
    max_targets: int = Field(50, ge=1, description="Most instruments of a record.")
    max_tags: int = Field(32, ge=0, description="Most tags of a record.")
    tag_max_chars: int = Field(64, ge=1, description="Longest tag.")

    run_timeout_minutes: int = Field(
        60,
        ge=1,
        description="A run left open for longer is failed; a scheduled one not before two cycles.",
    )
    run_token_hours: int = Field(6, ge=1, description="How long a run token is good.")
    page_size: int = Field(50, ge=1, description="Rows of a list page by default.")
    page_size_max: int = Field(200, ge=1, description="Rows of a list page at the most.")
    context_learnings: int = Field(
        20, ge=0, description="Learnings served with a trading context, newest first."
    )
    context_past_corrections: int = Field(
        20, ge=0, description="Corrections past their deadline that a context lists, newest first."
    )

    rate_read: RateText = Field(
        "3000/min",
        description="Most reads of a token or person in any second (/s), minute or hour (/h). "
        "Empty: as many as they like.",
    )
    rate_write: RateText = Field("1200/min", description="The same of writes.")
    rate_search: RateText = Field("600/min", description="The same of searches.")
    rate_session: RateText = Field("60/h", description="The same of sessions that are started.")

    public_url: str = Field(
        "",
        description="Base URL of the web process, for lines to paste. Empty: where demo left it, "
        "else http://127.0.0.1:8000.",
    )
    insight_success_days: int = Field(90, ge=1, description="Life of an insight that succeeded.")
    insight_failure_days: int = Field(30, ge=1, description="Life of any other insight.")
    optimization_days: int = Field(60, ge=1, description="Life of an optimization.")
    success_preset: Literal["s3", "strict"] = Field(
        "s3",
        description="What counts as a success. s3: a PnL above 0 % with 5 trades or more; strict: "
        "above 5 % with 20 or more. The next two say otherwise.",
    )
    success_min_trades: Annotated[int | None, EMPTY_IS_NONE] = Field(
        None, ge=1, description="Fewest trades of a success. Empty: the preset's."
    )
    success_pnl_above: Annotated[Decimal | None, EMPTY_IS_NONE] = Field(
        None, description="A success has a PnL above this, in percent. Empty: the preset's."
    )
    purge_grace_hours: float = Field(
        168.0,
        ge=0,
        description="How long strategy memory whose life is over can be restored; then it is "
        "purged, for good. 0: at the next purge.",
    )
    purge_batch: int = Field(
        100, ge=1, le=10_000, description="Most memories that a transaction of the purge takes."
    )
    idempotency_days: int = Field(
        30, ge=1, description="How long a write is known again by its Idempotency-Key."
    )

    community_min_trades: int = Field(
        30, ge=1, description="Fewest trades behind an insight that is shared with others."
    )
    community_min_days: int = Field(28, ge=1, description="Fewest days that they must span.")

    ai_provider: Literal["offline"] = Field(
        "offline", description="Who plays the model's roles. offline: deterministic code, no key."
    )
    ai_call_seconds: float = Field(
        90.0, gt=0, description="Time limit of a step's model call, all its tries together."
    )
    ai_critic_mode: Literal["off", "advise", "enforce"] = Field(
        "off", description="Whether a session asks the critic, and whether its no counts."
    )
    rule_promotion: Literal["three_insights", "guarded"] = Field(
        "three_insights",
        description="When three insights become a rule: at once, with its confidence held down "
        "until its guards are met; or not before they are.",
    )
    rule_review: Literal["off", "on"] = Field(
        "off",
        description="Whether a rule that synthesis makes waits until staff approve it in the "
        "admin; off, it counts at once.",
    )
    session_minutes: int = Field(
        60, ge=1, description="Time budget of an autopilot session; it is concluded after that."
    )
    session_bars: int = Field(
        5_000, ge=200, le=50_000, description="Newest candles that a session backtests on."
    )
    session_min_bars: int = Field(
        200, ge=50, description="Fewest candles that a session accepts, holdout included."
    )
    step_lease_seconds: float = Field(
        150.0, gt=0, description="After this a claimed step of a dead worker is tried again."
    )

    queue_workers: int = Field(2, ge=1, description="Worker processes of the queue.")
    queue_task_seconds: int = Field(120, ge=1, description="Time limit of a background task.")
    queue_retry_seconds: int = Field(
        600, ge=2, description="When an unfinished task is tried again; above its time limit."
    )
    queue_stall_seconds: float = Field(
        180.0, gt=0, description="A queue without progress for this long is restarted, and red."
    )

    live_keep_alive_seconds: float = Field(
        15.0,
        gt=0,
        description="How often a stream of events says that it lives, and looks by itself.",
    )

    live_streams_per_caller: int = Field(
        32, ge=0, description="Open streams of a token or person. 0: as many as they like."
    )

    queue_stop_seconds: float = Field(
        25.0,
        ge=0,
        description="How long workers may take to end their tasks when they are stopped.",
    )
    queue_restarts: int = Field(
        5, ge=0, description="Restarts of the workers within ten minutes before it is given up."
    )
    job_days: int = Field(14, ge=1, description="How long runs of background jobs are kept.")

    hyperliquid_url: str = Field(
        "https://api.hyperliquid.xyz", description="Base URL of Hyperliquid's public API."
    )
    hyperliquid_timeout_seconds: float = Field(
        10.0, gt=0, description="Time limit of one request to Hyperliquid."
    )

    mcp_memory_host: str = Field(
        "127.0.0.1",
        description="Host of the MCP bridge: where it listens, and where clients look for it.",
    )
    mcp_memory_port: int = Field(
        8100, ge=0, le=65_535, description="TCP port of the bridge: JSON-RPC, one object a line."
    )
    mcp_http_port: int = Field(
        8101, ge=0, le=65_535, description="HTTP port of the bridge: streamable HTTP at /mcp."
    )
    mcp_auth: bool = Field(
        default=True,
        description="Whether HTTP and TCP callers send a token. Off, on loopback alone: everybody "
        "is the bearer of MCP_MEMORY_TOKEN.",
    )
    mcp_memory_token: SecretStr = Field(
        SecretStr(""), description="The token of the bridge's caller over stdio."
    )
    mcp_authorization_server: str = Field(
        "",
        description="URL of an OAuth authorization server to name to MCP hosts. Empty: tokens are "
        "static, and the well-known paths answer 404.",
    )
    mcp_public_url: str = Field(
        "", description="URL of /mcp as hosts reach it. Empty: from host and port."
    )
    mcp_allowed_hosts: str = Field(
        "127.0.0.1:*,localhost:*,[::1]:*,mcp-memory:*",
        description="Host headers that the bridge answers, separated by commas; :* is any port.",
    )
    mcp_allowed_origins: str = Field(
        "http://127.0.0.1:*,http://localhost:*",
        description="Origins of web pages that may call the bridge, separated by commas.",
    )
    mcp_orm_threads: int = Field(
        4,
        ge=0,
        description="Threads, and so database connections, of a bridge process. 0: the "
        "caller's own thread, for tests.",
    )
    mcp_max_connections: int = Field(
        64, ge=1, description="TCP connections at once; one more is closed at once."
    )
    mcp_hello_seconds: float = Field(
        10.0, gt=0, description="How long a TCP connection may take to show a token."
    )
    mcp_idle_seconds: float = Field(
        300.0, gt=0, description="How long a TCP connection may be idle after that."
    )
    mcp_stop_seconds: float = Field(
        5.0, ge=0, description="How long calls under way may take when the bridge is stopped."
    )

    @property
    def success(self) -> dict[str, Any]:
        """What counts as a success, as `Terms` call it: the preset, and what is said beside it."""
        said = {
            "success_min_trades": self.success_min_trades,
            "success_pnl_above": self.success_pnl_above,
        }
        given = {name: value for name, value in said.items() if value is not None}
        return {**PRESETS[self.success_preset], **given}


@functools.cache
def load() -> Settings:
    """Read the environment once per process."""
    return Settings()
