"""The only doors to an agent's data on behalf of a caller (SPEC X1).

What is missing and what is another's raise the same NotFound after the same work.
"""

from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from memory.errors import AgentRequired, NotFound, NotThisRole
from memory.models import Agent, Producer, Record, Run, Standing
from memory.policies.ownership import (
    Actor,
    TokenActor,
    UserActor,
    may_browse,
    may_forget,
    may_run_autopilot,
    may_share,
)
from memory.selectors.timeline import records_of, remembered

NOTHING = "there is no such thing for this caller"
NOT_BROWSING = "the trading role reads context and learnings alone"
LOGIN = "log in at /login/"
"""The way out for a bearer, which is never its agent's owner."""
NOT_A_PERSON = f"records are withdrawn and restored by the agent's owner, or by staff: {LOGIN}"
NOT_SETTING_UP = f"an agent is set up by its owner, or by staff: {LOGIN}"
NOT_SWITCHING = f"sharing is turned on and off by the agent's owner, or by staff: {LOGIN}"
NOT_STAFF = "only staff erase records"
NOT_FORGETTING = f"strategy memory is deleted by the autopilot role, or by a person: {LOGIN}"
NOT_MERGING = f"strategy memory is merged by the autopilot role, or by a person: {LOGIN}"
NOT_SHARING = (
    f"strategy memory is shared and withdrawn by the autopilot role, or by a person: {LOGIN}"
)
NOT_AUTOPILOT = f"sessions are started and cancelled by the autopilot role, or by a person: {LOGIN}"


def agents_for(actor: Actor) -> QuerySet[Agent]:
    """Return the agents that `actor` may see: the predicate that all doors share."""
    if isinstance(actor, TokenActor):
        return Agent.objects.filter(id=actor.agent_id)
    if actor.is_staff:
        return Agent.objects.all()
    return Agent.objects.filter(owner_id=actor.user_id)


def access_agent(actor: Actor, agent_id: UUID) -> Agent:
    """Return the agent (NotFound)."""
    agent = agents_for(actor).filter(id=agent_id).first()
    if agent is None:
        raise NotFound(NOTHING)
    return agent


def access_own_agent(actor: Actor, named: UUID | None) -> Agent:
    """Return the agent of a route whose path names none (SPEC E7).

    The one named, else a bearer's own, else a person's only one. NotFound: it is not the caller's;
    AgentRequired: a person has several or none, and named none.
    """
    if named is not None:
        return access_agent(actor, named)
    if isinstance(actor, TokenActor):
        return access_agent(actor, actor.agent_id)
    owned = list(Agent.objects.filter(owner_id=actor.user_id)[:2])
    if len(owned) != 1:
        raise AgentRequired("name one of your agents: ?agent=<id>")
    return owned[0]


def access_autopilot(actor: Actor, named: UUID | None) -> Agent:
    """Return an agent whose autopilot the actor may start.

    NotFound, AgentRequired: see above; NotThisRole: a bearer of another role.
    """
    agent = access_own_agent(actor, named)
    if not may_run_autopilot(actor):
        raise NotThisRole(NOT_AUTOPILOT)
    return agent


def access_browsing(actor: Actor, agent_id: UUID) -> Agent:
    """Return an agent whose records the actor may list (NotFound, NotThisRole)."""
    agent = access_agent(actor, agent_id)
    if not may_browse(actor):
        raise NotThisRole(NOT_BROWSING)
    return agent


def access_writer(actor: Actor, agent_id: UUID) -> TokenActor:
    """Return the bearer that writes for this agent (NotFound; NotThisRole: not a bearer)."""
    access_agent(actor, agent_id)
    if not isinstance(actor, TokenActor):
        raise NotThisRole("records are written with a producer's or a run's token")
    return actor


def access_record(actor: Actor, agent_id: UUID, record_id: UUID, *, now: datetime) -> Record:
    """Return a live record of the agent, ready for an answer (NotFound, NotThisRole).

    Forgotten strategy memory is as gone as what is erased.
    """
    agent = access_browsing(actor, agent_id)
    records = remembered(records_of(agent.id, now=now), merged=True, now=now)
    record = records.filter(id=record_id).first()
    if record is None:
        raise NotFound(NOTHING)
    return record


def access_strategies(actor: Actor, named: UUID | None) -> Agent:
    """Return an agent whose strategy memory the actor may list.

    NotFound, AgentRequired: see `access_own_agent`; NotThisRole: trading.
    """
    agent = access_own_agent(actor, named)
    if not may_browse(actor):
        raise NotThisRole(NOT_BROWSING)
    return agent


def access_forgetting(actor: Actor, named: UUID | None) -> Agent:
    """Return an agent whose strategy memory the actor may delete.

    NotFound, AgentRequired: as above; NotThisRole: a bearer not of autopilot.
    """
    agent = access_own_agent(actor, named)
    if not may_forget(actor):
        raise NotThisRole(NOT_FORGETTING)
    return agent


def access_merging(actor: Actor, named: UUID | None) -> Agent:
    """Return an agent whose strategy memory the actor may merge.

    NotFound, AgentRequired: as above; NotThisRole: a bearer not of autopilot.
    """
    agent = access_own_agent(actor, named)
    if not may_forget(actor):
        raise NotThisRole(NOT_MERGING)
    return agent


def access_merged(actor: Actor, named: UUID | None, record_id: UUID) -> Standing:
    """Return a strategy memory, live or not, whose merge the actor may undo.

    NotFound; NotThisRole: a bearer not of autopilot.
    """
    standing = _standing_of(actor, named, record_id)
    if not may_forget(actor):
        raise NotThisRole(NOT_MERGING)
    return standing


def access_strategy(
    actor: Actor, named: UUID | None, record_id: UUID, *, now: datetime
) -> Standing:
    """Return a live strategy memory with its record (NotFound; NotThisRole: trading).

    An id is of one agent, so none need be named. What is expired or merged is as gone as what is
    deleted.
    """
    agents = agents_for(actor) if named is None else agents_for(actor).filter(id=named)
    found = Standing.objects.filter(
        Q(expires_at__isnull=True) | Q(expires_at__gt=now),
        record_id=record_id,
        agent__in=agents,
        merged_into__isnull=True,
    )
    standing = found.select_related("record").first()
    if standing is None:
        raise NotFound(NOTHING)
    if not may_browse(actor):
        raise NotThisRole(NOT_BROWSING)
    return standing


def access_forgettable(actor: Actor, named: UUID | None, record_id: UUID) -> Record:
    """Return a record that the actor may delete if it is strategy memory.

    NotFound: also what is erased; NotThisRole: a bearer not of autopilot.
    """
    agents = agents_for(actor) if named is None else agents_for(actor).filter(id=named)
    records = Record.objects.filter(id=record_id, agent__in=agents, purged_at__isnull=True)
    record = records.only("id", "agent_id", "type").first()
    if record is None:
        raise NotFound(NOTHING)
    if not may_forget(actor):
        raise NotThisRole(NOT_FORGETTING)
    return record


def access_setting_sharing(actor: Actor, named: UUID | None) -> Agent:
    """Return an agent whose sharing the actor may turn on and off (SPEC M8).

    NotFound, AgentRequired: see `access_own_agent`; NotThisRole: a bearer.
    """
    agent = access_own_agent(actor, named)
    if not isinstance(actor, UserActor):
        raise NotThisRole(NOT_SWITCHING)
    return agent


def access_shareable(actor: Actor, named: UUID | None, record_id: UUID) -> Standing:
    """Return a strategy memory that the actor may share, live or not, and withdraw.

    NotFound; NotThisRole: a bearer not of autopilot.
    """
    standing = _standing_of(actor, named, record_id)
    if not may_share(actor):
        raise NotThisRole(NOT_SHARING)
    return standing


def _standing_of(actor: Actor, named: UUID | None, record_id: UUID) -> Standing:
    agents = agents_for(actor) if named is None else agents_for(actor).filter(id=named)
    standing = Standing.objects.filter(record_id=record_id, agent__in=agents).first()
    if standing is None:
        raise NotFound(NOTHING)
    return standing


def access_lineage(actor: Actor, agent_id: UUID, record_id: UUID) -> UUID:
    """Return the id of a record of the agent, erased or not (NotFound, NotThisRole)."""
    agent = access_browsing(actor, agent_id)
    if not Record.objects.filter(agent=agent, id=record_id).exists():
        raise NotFound(NOTHING)
    return record_id


def access_withdrawing(actor: Actor, agent_id: UUID) -> Agent:
    """Return an agent whose records the actor may withdraw and restore (SPEC R15).

    NotFound; NotThisRole: a bearer.
    """
    agent = access_agent(actor, agent_id)
    if not isinstance(actor, UserActor):
        raise NotThisRole(NOT_A_PERSON)
    return agent


def access_erasing(actor: Actor, agent_id: UUID) -> Agent:
    """Return an agent whose records the actor may erase (NotFound; NotThisRole: not staff)."""
    agent = access_agent(actor, agent_id)
    if not (isinstance(actor, UserActor) and actor.is_staff):
        raise NotThisRole(NOT_STAFF)
    return agent


def access_set_up(actor: Actor, agent_id: UUID) -> Agent:
    """Return an agent that the actor may set up (NotFound; NotThisRole: a bearer)."""
    agent = access_agent(actor, agent_id)
    if not isinstance(actor, UserActor):
        raise NotThisRole(NOT_SETTING_UP)
    return agent


def access_setting_up_producer(actor: Actor, agent_id: UUID, producer_id: UUID) -> Producer:
    """Return a producer that the actor may change (NotFound; NotThisRole: a bearer)."""
    agent = access_set_up(actor, agent_id)
    producer = Producer.objects.filter(agent=agent, id=producer_id).first()
    if producer is None:
        raise NotFound(NOTHING)
    return producer


def access_producer(actor: Actor, agent_id: UUID, producer_id: UUID | None) -> Producer:
    """Return the producer that a run is started for.

    A bearer's own may be left out (None) and no other is found; a person names one. NotFound.
    """
    agent = access_agent(actor, agent_id)
    wanted = producer_id
    if isinstance(actor, TokenActor):
        wanted = actor.producer_id if producer_id in {None, actor.producer_id} else None
    producer = Producer.objects.filter(agent=agent, id=wanted).first() if wanted else None
    if producer is None:
        raise NotFound(NOTHING)
    return producer


def access_run(actor: Actor, run_id: UUID) -> Run:
    """Return a run that the actor may finish.

    A run token its own run, a producer's token the runs of its producer, a person those of their
    agents. NotFound.
    """
    runs = Run.objects.filter(id=run_id, agent__in=agents_for(actor))
    if isinstance(actor, TokenActor):
        runs = runs.filter(producer_id=actor.producer_id)
        if actor.run is not None:
            runs = runs.filter(id=actor.run.id)
    run = runs.first()
    if run is None:
        raise NotFound(NOTHING)
    return run
