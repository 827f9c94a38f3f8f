"""Rules that wait for a person: a table of proposals, and a claim that may wait with one."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

FUNCTIONS = """
-- A settled evidence set is history, but for one whose rule people decide on: it keeps all but what
-- it came to. An open one may be taken over and settled, and keeps its set.
CREATE OR REPLACE FUNCTION autopilot_synthesis_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.status NOT IN ('claimed', 'proposed') OR
       (NEW.agent_id, NEW.strategy_type, NEW.evidence_hash, NEW.evidence) IS DISTINCT FROM
       (OLD.agent_id, OLD.strategy_type, OLD.evidence_hash, OLD.evidence) OR
       (OLD.status = 'proposed' AND (NEW.status NOT IN ('proposed', 'made', 'refused') OR
        (NEW.session_id, NEW.claim, NEW.support, NEW.claimed_at, NEW.settled_at) IS DISTINCT FROM
        (OLD.session_id, OLD.claim, OLD.support, OLD.claimed_at, OLD.settled_at)))
    THEN
        RAISE EXCEPTION 'an evidence set stays, and is settled once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'synthesis_frozen';
    END IF;
    RETURN NEW;
END $$;

-- What was proposed stays, but that an approved text is the rule's alone; a decision is one.
CREATE FUNCTION autopilot_proposal_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.status <> 'pending' OR
       (NEW.id, NEW.agent_id, NEW.strategy_type, NEW.evidence_hash, NEW.tags, NEW.windows,
        NEW.proposed_at) IS DISTINCT FROM
       (OLD.id, OLD.agent_id, OLD.strategy_type, OLD.evidence_hash, OLD.tags, OLD.windows,
        OLD.proposed_at) OR
       (NEW.status <> 'approved' AND
        (NEW.content, NEW.metadata) IS DISTINCT FROM (OLD.content, OLD.metadata))
    THEN
        RAISE EXCEPTION 'a proposal stays, and is decided once'
            USING ERRCODE = 'restrict_violation', CONSTRAINT = 'proposal_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER proposal_frozen BEFORE UPDATE OR DELETE ON autopilot_rule_proposal
    FOR EACH ROW EXECUTE FUNCTION autopilot_proposal_frozen();

-- By the end of a transaction a proposal and the claim of its evidence set say the same.
CREATE FUNCTION autopilot_proposal_told() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    claim record;
    proposal record;
BEGIN
    SELECT c.status, c.rule_id INTO claim FROM autopilot_synthesis_claim c
    WHERE (c.agent_id, c.strategy_type, c.evidence_hash) =
        (NEW.agent_id, NEW.strategy_type, NEW.evidence_hash);
    SELECT p.status, p.rule_id INTO proposal FROM autopilot_rule_proposal p
    WHERE (p.agent_id, p.strategy_type, p.evidence_hash) =
        (NEW.agent_id, NEW.strategy_type, NEW.evidence_hash);
    IF proposal.status IS NULL AND claim.status IS DISTINCT FROM 'proposed' THEN
        RETURN NULL;
    END IF;
    IF ((proposal.status, claim.status) IN
            (('pending', 'proposed'), ('approved', 'made'), ('rejected', 'refused'))
            AND proposal.rule_id IS NOT DISTINCT FROM claim.rule_id) IS NOT TRUE THEN
        RAISE EXCEPTION 'a proposal and the claim of its evidence do not say the same'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'proposal_matches_claim';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER proposal_matches_claim AFTER INSERT OR UPDATE ON autopilot_rule_proposal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION autopilot_proposal_told();
CREATE CONSTRAINT TRIGGER claim_matches_proposal AFTER INSERT OR UPDATE OF status, rule_id
    ON autopilot_synthesis_claim
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION autopilot_proposal_told();
"""
# The claims' own function stays: nothing is `proposed` then.
UNDO_FUNCTIONS = """
DROP FUNCTION autopilot_proposal_told() CASCADE;
DROP FUNCTION autopilot_proposal_frozen() CASCADE;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('autopilot', '0005_history'),
        ('memory', '0020_merged_once'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='RuleProposal',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('strategy_type', models.CharField(choices=[('breakout', 'breakout'), ('mean_reversion', 'mean_reversion'), ('trend_following', 'trend_following'), ('scalping', 'scalping'), ('momentum', 'momentum')], max_length=20)),
                ('evidence_hash', models.BinaryField(max_length=32)),
                ('content', models.TextField()),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list)),
                ('metadata', models.JSONField(default=dict)),
                ('windows', models.JSONField(default=list, help_text='The bars that it was learned on.')),
                ('status', models.CharField(choices=[('pending', 'pending'), ('approved', 'approved'), ('rejected', 'rejected')], max_length=8)),
                ('proposed_at', models.DateTimeField()),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('reason', models.TextField(blank=True)),
                ('rule_id', models.UUIDField(blank=True, null=True)),
            ],
            options={
                'db_table': 'autopilot_rule_proposal',
            },
        ),
        migrations.RemoveConstraint(
            model_name='synthesisclaim',
            name='synthesis_status_known',
        ),
        migrations.AlterField(
            model_name='synthesisclaim',
            name='status',
            field=models.CharField(choices=[('claimed', 'claimed'), ('proposed', 'proposed'), ('made', 'made'), ('duplicate', 'duplicate'), ('refused', 'refused')], max_length=9),
        ),
        migrations.AddConstraint(
            model_name='synthesisclaim',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['claimed', 'proposed', 'made', 'duplicate', 'refused'])), name='synthesis_status_known'),
        ),
        migrations.AddField(
            model_name='ruleproposal',
            name='agent',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memory.agent'),
        ),
        migrations.AddField(
            model_name='ruleproposal',
            name='decided_by',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='ruleproposal',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['agent', 'strategy_type'], name='proposal_pending'),
        ),
        migrations.AddConstraint(
            model_name='ruleproposal',
            constraint=models.UniqueConstraint(fields=('agent', 'strategy_type', 'evidence_hash'), name='proposal_once_per_evidence'),
        ),
        migrations.AddConstraint(
            model_name='ruleproposal',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'approved', 'rejected'])), name='proposal_status_known'),
        ),
        migrations.AddConstraint(
            model_name='ruleproposal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', True), ('decided_by__isnull', True), ('reason', ''), ('status', 'pending')), models.Q(models.Q(('status', 'pending'), _negated=True), ('decided_at__isnull', False), ('decided_by__isnull', False), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='proposal_decided_by_somebody'),
        ),
        migrations.AddConstraint(
            model_name='ruleproposal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('rule_id__isnull', False), ('status', 'approved')), models.Q(models.Q(('status', 'approved'), _negated=True), ('rule_id__isnull', True)), _connector='OR'), name='proposal_approved_names_rule'),
        ),
        migrations.AddConstraint(
            model_name='ruleproposal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('content', ''), ('status', 'approved')), models.Q(models.Q(('status', 'approved'), _negated=True), models.Q(('content', ''), _negated=True)), _connector='OR'), name='proposal_says_something'),
        ),
        migrations.RunSQL(FUNCTIONS, UNDO_FUNCTIONS),
    ]
