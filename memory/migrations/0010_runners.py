"""Who runs a producer, and until when a run may stay open (SPEC A12, J1)."""

from django.db import migrations, models

TIMEFRAMES = ["1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "8h", "12h", "1d", "3d", "1w"]

# Of earlier runs, those of sessions are ended by their sessions, which are not known here.
DEADLINES = """
UPDATE memory_run r SET deadline_at = r.started_at + interval '6 hours'
FROM memory_producer p
WHERE p.agent_id = r.agent_id AND p.id = r.producer_id AND p.role <> 'autopilot'
  AND r.status = 'running';
"""

FROZEN = """
CREATE OR REPLACE FUNCTION memory_run_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'running' OR
       (NEW.id, NEW.agent_id, NEW.producer_id, NEW.schedule, NEW.evidence_boundary,
        NEW.started_at, NEW.implicit, NEW.bound_token_id{more_new}) IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.producer_id, OLD.schedule, OLD.evidence_boundary,
        OLD.started_at, OLD.implicit, OLD.bound_token_id{more_old})
    THEN
        RAISE EXCEPTION 'a run keeps what it began with, and ends once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'run_frozen';
    END IF;
    RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_record_changes")]

    operations = [
        migrations.AddField("producer", "built_in_since", models.DateTimeField(blank=True, editable=False, null=True)),
        migrations.AddField(
            "producer",
            "lens",
            models.CharField(blank=True, choices=[("trend", "trend"), ("reversion", "reversion")], help_text="How the built-in analyst looks at a market.", max_length=16, null=True),
        ),
        migrations.AddField(
            "producer",
            "runner",
            models.CharField(choices=[("caller", "caller"), ("built_in", "built-in")], db_default="caller", help_text="Who runs it: callers with its tokens, or the built-in analyst on schedule.", max_length=8),
        ),
        migrations.AddField(
            "producer",
            "timeframe",
            models.CharField(blank=True, choices=[(t, t) for t in TIMEFRAMES], help_text="The bars that the built-in analyst reads. Empty: those of the schedule.", max_length=4, null=True),
        ),
        migrations.AddField("run", "built_in", models.BooleanField(db_default=False, verbose_name="built-in")),
        migrations.AddField("run", "deadline_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddIndex(
            "run",
            models.Index(models.F("deadline_at"), condition=models.Q(("deadline_at__isnull", False), ("status", "running")), name="run_overdue"),
        ),
        migrations.AddConstraint(
            "producer",
            models.CheckConstraint(
                condition=models.Q(
                    models.Q(("built_in_since__isnull", True), ("lens__isnull", True), ("runner", "caller"), ("timeframe__isnull", True)),
                    models.Q(
                        models.Q(("timeframe__isnull", True), ("timeframe__in", TIMEFRAMES), _connector="OR"),
                        ("built_in_since__isnull", False),
                        ("lens__in", ["trend", "reversion"]),
                        ("lens__isnull", False),
                        ("role", "analysis"),
                        ("runner", "built_in"),
                        ("schedule__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="producer_runner_whole",
            ),
        ),
        migrations.AddConstraint(
            "run",
            models.UniqueConstraint(condition=models.Q(("built_in", True)), fields=("agent", "producer", "evidence_boundary"), name="run_built_in_once"),
        ),
        migrations.AddConstraint(
            "run",
            models.CheckConstraint(
                condition=models.Q(
                    ("built_in", False),
                    models.Q(("bound_token__isnull", True), ("evidence_boundary__isnull", False), ("implicit", False)),
                    _connector="OR",
                ),
                name="run_built_in_scheduled",
            ),
        ),
        migrations.RunSQL(DEADLINES, migrations.RunSQL.noop),
        migrations.RunSQL(
            FROZEN.format(
                more_new=", NEW.built_in, NEW.deadline_at", more_old=", OLD.built_in, OLD.deadline_at"
            ),
            FROZEN.format(more_new="", more_old=""),
        ),
    ]
