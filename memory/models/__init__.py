"""Tables of the store. Every agent's row is keyed by its agent first (DESIGN "keys")."""

from memory.models.agents import Agent, AgentTail
from memory.models.changes import RecordChange, Withdrawal
from memory.models.community import SharedChange, SharedMemory, SharedPosting, SharedTail
from memory.models.grants import Grant
from memory.models.heads import CorrectionHead, Head
from memory.models.idempotency import IdempotencyKey
from memory.models.instruments import Instrument, Selection
from memory.models.jobs import Cluster, JobRun, QueueClaim, WriteFault
from memory.models.producers import Producer, ProducerEnablement, Run
from memory.models.rates import OpenStream, RateCount
from memory.models.records import Record, RecordLink, RecordTag, RecordTarget
from memory.models.standings import Posting, Standing, StandingChange, Tag
from memory.models.tokens import Token

__all__ = [
    "Agent",
    "AgentTail",
    "Cluster",
    "CorrectionHead",
    "Grant",
    "Head",
    "IdempotencyKey",
    "Instrument",
    "JobRun",
    "OpenStream",
    "Posting",
    "Producer",
    "ProducerEnablement",
    "QueueClaim",
    "RateCount",
    "Record",
    "RecordChange",
    "RecordLink",
    "RecordTag",
    "RecordTarget",
    "Run",
    "Selection",
    "SharedChange",
    "SharedMemory",
    "SharedPosting",
    "SharedTail",
    "Standing",
    "StandingChange",
    "Tag",
    "Token",
    "Withdrawal",
    "WriteFault",
]
