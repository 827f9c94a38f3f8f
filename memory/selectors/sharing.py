"""What is shared, as its author is answered (SPEC M8)."""

from memory.models import Agent, SharedMemory
from memory.schemas.community import EvidenceOut, SharedOut, SharingOut, etag_of_sharing


def etag_of(agent: Agent) -> str:
    """Return the entity tag of an agent's sharing."""
    return etag_of_sharing(
        id=agent.id, enabled=agent.share_community_memories, revision=agent.sharing_revision
    )


def sharing_answer(agent: Agent) -> SharingOut:
    """Return whether an agent shares, as it is answered."""
    return SharingOut(
        enabled=agent.share_community_memories,
        source_node_uuid=agent.node_uuid,
        etag=etag_of(agent),
    )


def shared_answer(copy: SharedMemory) -> SharedOut:
    """Return a copy as its author is answered."""
    return SharedOut(
        shared_id=copy.id,
        memory_id=copy.source_id,
        source_node_uuid=copy.source_node_uuid,
        type=copy.type,
        symbol=copy.symbol_id,
        strategy_type=copy.strategy_type,
        outcome=copy.outcome,
        tags=list(copy.tags),
        content=copy.content,
        confidence=copy.confidence,
        validated_count=copy.validated_count,
        community_confirmations=copy.community_confirmations,
        evidence=EvidenceOut(**copy.evidence),
        shared_at=copy.shared_at,
        expires_at=copy.expires_at,
    )
