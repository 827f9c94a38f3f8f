"""The only doors to an agent's sessions on behalf of a caller (SPEC X1)."""

from uuid import UUID

from django.db.models import QuerySet

from autopilot.models import Session
from memory.errors import NotFound, NotThisRole
from memory.models import Agent
from memory.policies.ownership import Actor, may_browse, may_run_autopilot
from memory.selectors.access import (
    NOT_AUTOPILOT,
    NOT_BROWSING,
    NOTHING,
    access_own_agent,
    agents_for,
)


def sessions_for(actor: Actor) -> QuerySet[Session]:
    """Return the sessions of the agents that `actor` may see."""
    return Session.objects.filter(agent__in=agents_for(actor))


def access_sessions(actor: Actor, named: UUID | None) -> tuple[Agent, QuerySet[Session]]:
    """Return one agent and its sessions, to be listed.

    `named` is the agent that the caller named. NotFound, AgentRequired; NotThisRole: trading.
    """
    agent = access_own_agent(actor, named)
    _refuse_trading(actor)
    return agent, Session.objects.filter(agent=agent)


def access_session(actor: Actor, session_id: UUID) -> Session:
    """Return a session to be read (NotFound; NotThisRole: trading)."""
    found = sessions_for(actor).filter(id=session_id).first()
    if found is None:
        raise NotFound(NOTHING)
    _refuse_trading(actor)
    return found


def access_cancelling(actor: Actor, session_id: UUID) -> Session:
    """Return a session to be cancelled (NotFound; NotThisRole: a bearer not of autopilot)."""
    found = access_session(actor, session_id)
    if not may_run_autopilot(actor):
        raise NotThisRole(NOT_AUTOPILOT)
    return found


def _refuse_trading(actor: Actor) -> None:
    if not may_browse(actor):
        raise NotThisRole(NOT_BROWSING)
