"""Which agents an agent may read, for its owner and staff (SPEC M10)."""

from uuid import UUID

from django.db.models import QuerySet

from memory.errors import NotFound, NotThisRole
from memory.models import Agent, Grant
from memory.policies.ownership import Actor, UserActor
from memory.schemas.grants import GrantOut
from memory.selectors.access import LOGIN, NOTHING, access_agent, agents_for

NOT_READING = f"grants are read by the agent's owner, or by staff: {LOGIN}"
NOT_GRANTING = f"grants are given and revoked by the agent's owner, or by staff: {LOGIN}"


def grants_of(reader_id: UUID) -> QuerySet[Grant]:
    """Return the grants that an agent reads by, with those that were revoked."""
    return Grant.objects.filter(reader_id=reader_id).select_related("source")


def access_reader(actor: Actor, reader_id: UUID) -> tuple[Agent, UserActor]:
    """Return the agent that reads, and the person who may say what (NotFound; NotThisRole)."""
    reader = access_agent(actor, reader_id)
    if not isinstance(actor, UserActor):
        raise NotThisRole(NOT_GRANTING)
    return reader, actor


def access_grants(actor: Actor, reader_id: UUID) -> Agent:
    """Return the agent whose grants the actor may look through (NotFound; NotThisRole)."""
    reader = access_agent(actor, reader_id)
    if not isinstance(actor, UserActor):
        raise NotThisRole(NOT_READING)
    return reader


def access_source(person: UserActor, source_id: UUID) -> Agent:
    """Return an agent that the person may let be read (NotFound)."""
    source = agents_for(person).filter(id=source_id).first()
    if source is None:
        raise NotFound(NOTHING)
    return source


def access_grant(reader: Agent, grant_id: UUID) -> Grant:
    """Return a grant that an agent of `access_reader` reads by (NotFound)."""
    found = grants_of(reader.id).filter(id=grant_id).first()
    if found is None:
        raise NotFound(NOTHING)
    return found


def grant_answer(grant: Grant) -> GrantOut:
    """Return a grant as it is answered."""
    return GrantOut(
        id=grant.id,
        source=grant.source_id,
        source_name=grant.source.name,
        granted_at=grant.granted_at,
        revoked_at=grant.revoked_at,
    )
