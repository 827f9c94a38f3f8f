"""The tables of strategy memory and of search: standings, ledger, tags, postings."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# The key covers what BM25 reads, and compares bytes; Django's composite keys can say neither.
POSTINGS = """
CREATE TABLE memory_term (
    agent_id uuid NOT NULL, lexeme text COLLATE "C" NOT NULL, record_id uuid NOT NULL,
    tf smallint NOT NULL CONSTRAINT term_frequency_positive CHECK (tf > 0),
    len integer NOT NULL CONSTRAINT term_length_covers_frequency CHECK (len >= tf),
    CONSTRAINT term_key PRIMARY KEY (agent_id, lexeme, record_id) INCLUDE (tf, len))
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0003_write_once'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(POSTINGS, "DROP TABLE memory_term")],
            state_operations=[
                migrations.CreateModel(
                    name='Posting',
                    fields=[
                        ('pk', models.CompositePrimaryKey('agent_id', 'lexeme', 'record_id', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('agent_id', models.UUIDField()),
                        ('lexeme', models.TextField(db_collation='C')),
                        ('record_id', models.UUIDField()),
                        ('tf', models.SmallIntegerField()),
                        ('len', models.IntegerField()),
                    ],
                    options={
                        'db_table': 'memory_term',
                    },
                ),
            ],
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('record', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='standing', serialize=False, to='memory.record')),
                ('type', models.CharField(choices=[('rule', 'rule'), ('strategy_insight', 'strategy_insight'), ('optimization', 'optimization')], max_length=64)),
                ('strategy_type', models.CharField(blank=True, choices=[('breakout', 'breakout'), ('mean_reversion', 'mean_reversion'), ('trend_following', 'trend_following'), ('scalping', 'scalping'), ('momentum', 'momentum')], max_length=20, null=True)),
                ('outcome', models.CharField(blank=True, choices=[('success', 'success'), ('failure', 'failure')], max_length=7, null=True)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), blank=True, default=list)),
                ('confidence', models.DecimalField(decimal_places=4, max_digits=5)),
                ('validated_count', models.IntegerField()),
                ('relevance_score', models.DecimalField(decimal_places=4, max_digits=5)),
                ('config', models.JSONField(blank=True, null=True)),
                ('config_hash', models.BinaryField(max_length=32, null=True)),
                ('metrics', models.JSONField(blank=True, default=dict)),
                ('visibility', models.CharField(choices=[('private', 'private'), ('community', 'community')], max_length=9)),
                ('source_node_uuid', models.UUIDField(blank=True, null=True)),
                ('community_confirmations', models.IntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('revision', models.IntegerField(default=1)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='memory.agent')),
                ('author', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('merged_into', models.ForeignKey(blank=True, db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='absorbed', to='memory.standing')),
                ('symbol', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memory.instrument')),
            ],
        ),
        migrations.CreateModel(
            name='StandingChange',
            fields=[
                ('pk', models.CompositePrimaryKey('agent_id', 'record_id', 'revision', blank=True, editable=False, primary_key=True, serialize=False)),
                ('revision', models.IntegerField()),
                ('event', models.CharField(max_length=32)),
                ('before', models.JSONField(null=True)),
                ('after', models.JSONField(null=True)),
                ('cause_kind', models.CharField(max_length=32)),
                ('cause_id', models.CharField(blank=True, max_length=64)),
                ('detail', models.JSONField(blank=True, default=dict)),
                ('at', models.DateTimeField()),
                ('agent', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.agent')),
                ('record', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='standing_changes', to='memory.record')),
            ],
            options={
                'db_table': 'memory_standing_change',
            },
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('pk', models.CompositePrimaryKey('agent_id', 'record_id', 'tag', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tag', models.TextField()),
                ('type', models.CharField(max_length=64)),
                ('symbol', models.CharField(max_length=64)),
                ('strategy_type', models.CharField(max_length=20)),
                ('relevance', models.DecimalField(decimal_places=4, max_digits=5)),
                ('confidence', models.DecimalField(decimal_places=4, max_digits=5)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('agent', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.agent')),
                ('record', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.record')),
            ],
            options={
                'db_table': 'memory_tag',
            },
        ),
        migrations.AddField(
            model_name='agent',
            name='trading_may_search',
            field=models.BooleanField(db_default=False, help_text='Whether the trading role may search strategy memory. Else it reads context and learnings alone.'),
        ),
        migrations.AddField(
            model_name='agenttail',
            name='text_length',
            field=models.BigIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name='agenttail',
            name='text_records',
            field=models.BigIntegerField(db_default=0),
        ),
        migrations.AddConstraint(
            model_name='agenttail',
            constraint=models.CheckConstraint(condition=models.Q(('text_length__gte', 0), ('text_records__gte', 0)), name='agent_tail_text_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.UniqueConstraint(models.F('agent'), models.F('record'), name='standing_agent_record'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ['rule', 'strategy_insight', 'optimization'])), name='standing_type_is_a_tier'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('type', 'rule'), _negated=True), ('symbol__isnull', True), _connector='OR'), name='standing_rule_is_cross_asset'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('strategy_type__isnull', True), ('strategy_type__in', ['breakout', 'mean_reversion', 'trend_following', 'scalping', 'momentum']), _connector='OR'), name='standing_strategy_type_known'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__isnull', True), ('outcome__in', ['success', 'failure']), _connector='OR'), name='standing_outcome_known'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__gte', 0), ('confidence__lte', 1)), name='standing_confidence_in_range'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('relevance_score__gte', 0), ('relevance_score__lte', 1)), name='standing_relevance_in_range'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('config__isnull', True), ('config_hash__isnull', True)), models.Q(('config__isnull', False), ('config_hash__isnull', False), ('config_hash__length', 32)), _connector='OR'), name='standing_config_has_its_hash'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('visibility__in', ['private', 'community'])), name='standing_visibility_known'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('community_confirmations__gte', 0), ('revision__gte', 1)), name='standing_counts_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('tags__contains', ['']), _negated=True), name='standing_tags_not_empty'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), models.Q(('merged_into', models.F('record')), _negated=True), _connector='OR'), name='standing_not_merged_into_itself'),
        ),
        migrations.AddConstraint(
            model_name='standingchange',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('before__isnull', True), ('revision', 1)), models.Q(('before__isnull', False), ('revision__gt', 1)), _connector='OR'), name='standing_change_begins_with_nothing'),
        ),
        migrations.AddConstraint(
            model_name='standingchange',
            constraint=models.CheckConstraint(condition=models.Q(('cause_kind__regex', '^[a-z][a-z_]{0,31}$'), ('event__regex', '^[a-z][a-z_]{0,31}$')), name='standing_change_named'),
        ),
        migrations.AddConstraint(
            model_name='standingchange',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('after__isnull', True), ('event', 'purged')), models.Q(models.Q(('event', 'purged'), _negated=True), ('after__isnull', False)), _connector='OR'), name='standing_change_ends_when_purged'),
        ),
        migrations.AddIndex(
            model_name='tag',
            index=models.Index(fields=['agent', 'type', 'tag', 'symbol', 'expires_at'], include=('relevance', 'confidence', 'created_at', 'record'), name='tag_by_symbol'),
        ),
        migrations.AddIndex(
            model_name='tag',
            index=models.Index(fields=['agent', 'type', 'tag', 'strategy_type', 'expires_at'], include=('symbol', 'relevance', 'confidence', 'created_at', 'record'), name='tag_by_strategy'),
        ),
    ]
