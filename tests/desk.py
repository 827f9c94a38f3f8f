"""A desk for tests: a user, an agent, a producer and a token per role, and two instruments."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from memory.models import Agent, Instrument, Producer
from memory.policies.ownership import TokenActor
from memory.policies.vocabulary import ROLES
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.services import changes, erase, publish, setup, tokens
from memory.services.standings import Cause

LEAD = timedelta(days=30)
"""How long before a test's `now` its world was set up."""
BECAUSE: dict[str, Any] = {"by": Cause("test"), "reason": "a test"}
"""By whom and why a test changes a record."""


@dataclass
class Desk:
    """One user's world. `tokens` and `producers` are keyed by role."""

    user: User
    agent: Agent
    producers: dict[str, Producer] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def actor(self, role: str = "analysis", *, now: datetime) -> TokenActor:
        """Return who bears the token of `role`."""
        return tokens.authenticate(self.tokens[role], now=now)

    def client(self, role: str = "analysis") -> APIClient:
        """Return a REST client that sends the token of `role`."""
        return bearer(self.tokens[role])

    def browser(self) -> APIClient:
        """Return a REST client with the user's session."""
        client = APIClient()
        client.force_login(self.user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    def path(self, rest: str) -> str:
        """Return the path of one of the agent's routes."""
        return f"/api/v1/agents/{self.agent.id}/{rest}"

    def write(self, role: str = "analysis", *, now: datetime, **body: Any) -> WrittenRecordOut:
        """Publish a record as the bearer of `role`."""
        return publish.publish(
            actor=self.actor(role, now=now), draft=RecordDraft.parse(note(**body)), now=now
        )

    def correct(
        self, *originals: UUID, role: str = "analysis", now: datetime, **body: Any
    ) -> WrittenRecordOut:
        """Publish a correction of these records, after its other links."""
        links = [{"target_memory_id": str(one), "link_type": "corrects"} for one in originals]
        return self.write(role, now=now, **{**body, "links": [*body.get("links", []), *links]})

    def withdraw(self, record_id: UUID, *, now: datetime) -> None:
        """Withdraw a record of the agent."""
        changes.withdraw(agent_id=self.agent.id, record_id=record_id, now=now, **BECAUSE)

    def restore(self, record_id: UUID, *, now: datetime) -> None:
        """Restore a record of the agent."""
        changes.restore(agent_id=self.agent.id, record_id=record_id, now=now, **BECAUSE)

    def erase(self, record_id: UUID, *, now: datetime) -> None:
        """Erase a record of the agent."""
        erase.erase(agent_id=self.agent.id, record_id=record_id, now=now, **BECAUSE)


def bearer(clear: str) -> APIClient:
    """Return a REST client that sends this token."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {clear}")
    return client


def note(**body: Any) -> dict[str, Any]:
    """Return a valid body of a write with `body`'s keys over the defaults."""
    whole = {"type": "observation", "scope": "agent", "content": "a quiet market", **body}
    if whole.get("instruments"):
        whole["scope"] = body.get("scope", "instruments")
    return whole


def make_instrument(name: str, *, now: datetime, is_active: bool = True) -> Instrument:
    """Return the perpetual of this name, made when it is missing."""
    instrument, _ = Instrument.objects.get_or_create(
        id=name,
        defaults={"kind": "perpetual", "source": "test", "seen_at": now, "is_active": is_active},
    )
    return instrument


def make_desk(
    name: str,
    *,
    now: datetime,
    instruments: tuple[str, ...] = ("BTC", "ETH"),
    user: User | None = None,
) -> Desk:
    """Set up a desk `LEAD` before `now`; its producers are scheduled at 5m (analysis) or not.

    With `user` it is another agent of theirs.
    """
    then = now - LEAD
    user = user or User.objects.create_user(username=name, password=f"{name}-password")
    desk = Desk(user=user, agent=setup.create_agent(owner=user, name=name, now=then))
    for instrument in instruments:
        make_instrument(instrument, now=then)
        setup.select_instrument(agent=desk.agent, name=instrument, now=then)
    for role in ROLES:
        producer = setup.create_producer(
            agent=desk.agent,
            role=role,
            name=f"{name}-{role}",
            schedule="5m" if role == "analysis" else None,
            now=then,
        )
        desk.producers[role] = producer
        _, desk.tokens[role] = tokens.issue_token(producer=producer, now=then)
    return desk
