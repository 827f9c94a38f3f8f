"""Bearer tokens: issued once in clear, kept as a hash, checked on every call (SPEC X2)."""

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.db.models import Q

from memory.errors import InvalidToken, RunFinished
from memory.models import Agent, Producer, Run, Token
from memory.policies.freshness import RunClock
from memory.policies.ownership import Actor, OpenRun, TokenActor, UserActor

KEY_BYTES = 9
SECRET_BYTES = 32
USE_RECORDED_EVERY = timedelta(minutes=1)
REFUSED = "the token is unknown, expired or revoked"


def issue_token(
    *,
    producer: Producer,
    now: datetime,
    expires_at: datetime | None = None,
    run: Run | None = None,
) -> tuple[Token, str]:
    """Return a new token and its clear text `key.secret`, which is shown this once."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    token = Token.objects.create(
        agent_id=producer.agent_id,
        producer=producer,
        run=run,
        key=secrets.token_hex(KEY_BYTES),
        secret_sha256=_hash(secret),
        created_at=now,
        expires_at=expires_at,
    )
    return token, f"{token.key}.{secret}"


def revoke_token(*, token: Token, now: datetime) -> bool:
    """Refuse a token from now on; False when it was revoked already."""
    return bool(
        Token.objects.filter(agent_id=token.agent_id, id=token.id, revoked_at__isnull=True).update(
            revoked_at=now
        )
    )


def authenticate(clear: str, *, now: datetime) -> TokenActor:
    """Return who bears `key.secret`.

    InvalidToken: unknown, expired or revoked. RunFinished: a run token whose run has ended.
    """
    key, _, secret = clear.partition(".")
    token = (
        Token.objects.select_related("agent", "producer", "run").filter(key=key).first()
        if key.isascii() and key.isalnum()
        else None
    )
    # An unknown key costs the same comparison as a wrong secret.
    known = bytes(token.secret_sha256) if token else bytes(32)
    if not hmac.compare_digest(known, _hash(secret)) or token is None:
        raise InvalidToken(REFUSED)
    return _admitted(token, now=now)


def reauthenticate(actor: Actor, *, now: datetime) -> Actor:
    """Return who is calling as they are by now, for an answer that goes on.

    InvalidToken: the token was revoked or has expired, or the person may not log in any more.
    RunFinished: as `authenticate`.
    """
    if isinstance(actor, UserActor):
        user = get_user_model().objects.filter(pk=actor.user_id, is_active=True).first()
        if user is None:
            raise InvalidToken("this person may not log in any more")
        return UserActor(user_id=user.pk, is_staff=user.is_staff)
    known = Token.objects.select_related("agent", "producer", "run")
    token = known.filter(id=actor.token_id).first() if actor.token_id else None
    if token is None:
        raise InvalidToken(REFUSED)
    return _admitted(token, now=now)


def _admitted(token: Token, *, now: datetime) -> TokenActor:
    if token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= now):
        raise InvalidToken(REFUSED)
    _record_use(token, now=now)
    if token.run is not None and token.run.status != "running":
        raise RunFinished("the run of this token has ended; start another run")
    return _actor(token)


def _actor(token: Token) -> TokenActor:
    return TokenActor(
        token_id=token.id,
        token_key=token.key,
        agent_id=token.agent_id,
        expiry_policy=token.agent.expiry_policy,
        role=token.producer.role,
        producer_id=token.producer_id,
        producer_name=token.producer.name,
        producer_schedule=token.producer.schedule,
        run=None if token.run is None else open_run(token.run),
        trading_may_search=token.agent.trading_may_search,
    )


def built_in_writer(*, agent: Agent, producer: Producer, run: Run) -> TokenActor:
    """Return the actor of a job that the server runs itself: it needs no token."""
    return TokenActor(
        token_id=None,
        token_key="",
        agent_id=agent.id,
        expiry_policy=agent.expiry_policy,
        role=producer.role,
        producer_id=producer.id,
        producer_name=producer.name,
        producer_schedule=producer.schedule,
        run=open_run(run),
        trading_may_search=agent.trading_may_search,
    )


def open_run(run: Run) -> OpenRun:
    """Return what a write needs to know of its run."""
    return OpenRun(
        id=run.id,
        clock=RunClock(schedule=run.schedule, boundary=run.evidence_boundary),
        started_at=run.started_at,
    )


def _record_use(token: Token, *, now: datetime) -> None:
    if token.last_used_at is not None and token.last_used_at > now - USE_RECORDED_EVERY:
        return
    due = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - USE_RECORDED_EVERY)
    Token.objects.filter(due, agent_id=token.agent_id, id=token.id).update(last_used_at=now)


def _hash(secret: str) -> bytes:
    # The secret is 256 random bits: a slow hash would protect nothing.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
