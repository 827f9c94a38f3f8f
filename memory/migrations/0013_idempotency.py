"""Keys by which a write is known again."""

import django.db.models.deletion
from django.db import migrations, models

KEYS = """
ALTER TABLE memory_idempotency_key ADD CONSTRAINT idempotency_producer_fk
    FOREIGN KEY (agent_id, producer_id) REFERENCES memory_producer (agent_id, id);
-- Deferred: the key comes first, so that a second writer waits at it before it takes any lock.
ALTER TABLE memory_idempotency_key ADD CONSTRAINT idempotency_record_fk
    FOREIGN KEY (agent_id, record_id) REFERENCES memory_record (agent_id, id)
    DEFERRABLE INITIALLY DEFERRED;
"""
UNDO_KEYS = """
ALTER TABLE memory_idempotency_key DROP CONSTRAINT idempotency_producer_fk;
ALTER TABLE memory_idempotency_key DROP CONSTRAINT idempotency_record_fk;
"""

FUNCTIONS = """
-- A key stands for one body and one record. Old ones may go, none is changed.
CREATE FUNCTION memory_idempotency_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a key stands for one write'
        USING ERRCODE = 'restrict_violation', CONSTRAINT = 'idempotency_immutable';
END $$;
CREATE TRIGGER idempotency_immutable BEFORE UPDATE ON memory_idempotency_key
    FOR EACH ROW EXECUTE FUNCTION memory_idempotency_immutable();
"""
UNDO_FUNCTIONS = "DROP FUNCTION memory_idempotency_immutable() CASCADE"


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_rates")]

    operations = [
        migrations.CreateModel(
            name="IdempotencyKey",
            fields=[
                ("pk", models.CompositePrimaryKey("agent_id", "producer_id", "key", blank=True, editable=False, primary_key=True, serialize=False)),
                ("key", models.UUIDField()),
                ("body_sha256", models.BinaryField(max_length=32)),
                ("created_at", models.DateTimeField()),
                ("agent", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.agent")),
                ("producer", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.producer")),
                ("record", models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="memory.record")),
            ],
            options={
                "db_table": "memory_idempotency_key",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("body_sha256__length", 32)), name="idempotency_body_is_sha256"),
                ],
            },
        ),
        migrations.RunSQL(KEYS, UNDO_KEYS),
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
    ]
