"""The owner of memory, and the narrow row that gives its records their sequence."""

from django.conf import settings
from django.contrib.postgres.functions import RandomUUID
from django.db import models

from memory.ids import new_id
from memory.policies.vocabulary import PLANS


class Agent(models.Model):
    """The owner of memory. It belongs to one user; nothing crosses to another agent.

    But what it shares on purpose, and what a grant lets another agent of its owner read (SPEC M8,
    M10). `sharing_revision` counts the changes of `share_community_memories`; a trigger sees to it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="agents"
    )
    name = models.CharField(max_length=80)
    expiry_policy = models.CharField(
        max_length=40,
        default="analysis_schedule_v2",
        help_text="The rule that stamps deadlines on new analysis records. Stored deadlines stay.",
    )
    trading_may_search = models.BooleanField(
        db_default=False,
        help_text="Whether the trading role may search strategy memory. "
        "Else it reads context and learnings alone.",
    )
    plan = models.CharField(
        max_length=4,
        db_default="free",
        choices=[(plan, plan) for plan in PLANS],
        help_text="Which strategy blocks the autopilot may use: some need the plan pro.",
    )
    share_community_memories = models.BooleanField(
        db_default=False,
        help_text="Whether the agent reads what others share, and may share what it learned.",
    )
    sharing_revision = models.IntegerField(db_default=1, editable=False)
    node_uuid = models.UUIDField(
        unique=True,
        db_default=RandomUUID(),
        editable=False,
        help_text="The author's name on shared memories. Random: it tells of no id and of nobody.",
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("owner", "name", name="agent_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="agent_name_not_empty"),
            models.CheckConstraint(
                condition=models.Q(
                    expiry_policy__in=["analysis_schedule_v2", "analysis_schedule_v3"]
                ),
                name="agent_policy_stampable",
            ),
            models.CheckConstraint(
                condition=models.Q(plan__in=list(PLANS)), name="agent_plan_known"
            ),
            models.CheckConstraint(
                condition=models.Q(sharing_revision__gte=1), name="agent_sharing_counted_from_one"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AgentTail(models.Model):
    """One row per agent, made by a trigger with the agent and locked by each publish.

    It is apart from Agent, so that a publish is one HOT update of a narrow row and nobody who
    edits the agent waits for it. `last_seq` is gap-free and in commit order. `text_records` and
    `text_length` count the records in the search postings and the sum of their lengths.
    """

    agent = models.OneToOneField(
        Agent, on_delete=models.DO_NOTHING, primary_key=True, related_name="tail"
    )
    last_seq = models.BigIntegerField(db_default=0)
    erasures = models.BigIntegerField(db_default=0)
    text_records = models.BigIntegerField(db_default=0)
    text_length = models.BigIntegerField(db_default=0)

    class Meta:
        db_table = "memory_agent_tail"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(last_seq__gte=0, erasures__gte=0), name="agent_tail_not_negative"
            ),
            models.CheckConstraint(
                condition=models.Q(text_records__gte=0, text_length__gte=0),
                name="agent_tail_text_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} at {self.last_seq}"
