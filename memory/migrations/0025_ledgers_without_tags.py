"""The ledger of a forgotten memory keeps its tags no more than its record does (SPEC M3)."""

from django.db import migrations

RULES = """
CREATE OR REPLACE FUNCTION memory_standing_change_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The tags of what is forgotten are taken out of its lines, and nothing else ever changes.
    IF TG_OP = 'UPDATE' AND (to_jsonb(NEW) - '{before,after}'::text[])
                = (to_jsonb(OLD) - '{before,after}'::text[])
            AND NEW.before IS NOT DISTINCT FROM jsonb_set(OLD.before, '{tags}', '[]')
            AND NEW.after IS NOT DISTINCT FROM jsonb_set(OLD.after, '{tags}', '[]')
            AND EXISTS (SELECT 1 FROM memory_record r WHERE r.agent_id = OLD.agent_id
                AND r.id = OLD.record_id AND r.purged_at IS NOT NULL) THEN
        RETURN NEW;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'a ledger never changes'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_change_immutable';
    END IF;
    IF NEW.revision > 1 AND NOT EXISTS (
            SELECT 1 FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision - 1
            AND c.after = NEW.before) THEN
        RAISE EXCEPTION 'a line of a ledger begins where the one before ended'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_change_follows';
    END IF;
    RETURN NEW;
END $$;
"""
BEFORE = """
CREATE OR REPLACE FUNCTION memory_standing_change_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'a ledger never changes'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'standing_change_immutable';
    END IF;
    IF NEW.revision > 1 AND NOT EXISTS (
            SELECT 1 FROM memory_standing_change c WHERE c.agent_id = NEW.agent_id
            AND c.record_id = NEW.record_id AND c.revision = NEW.revision - 1
            AND c.after = NEW.before) THEN
        RAISE EXCEPTION 'a line of a ledger begins where the one before ended'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'standing_change_follows';
    END IF;
    RETURN NEW;
END $$;
"""
# Of what was forgotten before this release.
UNTAG = """
UPDATE memory_standing_change c SET before = jsonb_set(c.before, '{tags}', '[]'),
    after = jsonb_set(c.after, '{tags}', '[]')
FROM memory_record r
WHERE r.agent_id = c.agent_id AND r.id = c.record_id AND r.purged_at IS NOT NULL
    AND r.type IN ('rule', 'strategy_insight', 'optimization');
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0024_renewed_copies")]

    operations = [
        migrations.RunSQL(RULES, BEFORE),
        migrations.RunSQL(UNTAG, migrations.RunSQL.noop),
    ]
