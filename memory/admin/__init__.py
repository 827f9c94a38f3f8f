"""Staff admin of the store: one module per subject, as in models."""

from memory.admin.agents import AgentAdmin
from memory.admin.community import SharedMemoryAdmin
from memory.admin.grants import GrantAdmin
from memory.admin.instruments import InstrumentAdmin, SelectionAdmin
from memory.admin.jobs import ClusterAdmin, JobRunAdmin
from memory.admin.producers import ProducerAdmin, RunAdmin
from memory.admin.records import RecordAdmin
from memory.admin.standings import StandingAdmin
from memory.admin.tokens import TokenAdmin

__all__ = [
    "AgentAdmin",
    "ClusterAdmin",
    "GrantAdmin",
    "InstrumentAdmin",
    "JobRunAdmin",
    "ProducerAdmin",
    "RecordAdmin",
    "RunAdmin",
    "SelectionAdmin",
    "SharedMemoryAdmin",
    "StandingAdmin",
    "TokenAdmin",
]
