"""Tables of what agents share, and of who may read whom (SPEC M8, M10)."""

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# As `memory_term`: the key covers what BM25 reads, and compares bytes.
POSTINGS = """
CREATE TABLE memory_shared_term (
    lexeme text COLLATE "C" NOT NULL,
    shared_id uuid NOT NULL CONSTRAINT shared_term_copy_fk
        REFERENCES memory_shared (id) ON DELETE CASCADE,
    tf smallint NOT NULL CONSTRAINT shared_term_frequency_positive CHECK (tf > 0),
    len integer NOT NULL CONSTRAINT shared_term_length_covers_frequency CHECK (len >= tf),
    CONSTRAINT shared_term_key PRIMARY KEY (lexeme, shared_id) INCLUDE (tf, len))
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0016_purge_indexes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Grant',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('granted_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(null=True)),
                ('reader', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memory.agent')),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memory.agent')),
                ('granted_by', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('revoked_by', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'memory_grant',
            },
        ),
        migrations.CreateModel(
            name='SharedMemory',
            fields=[
                ('id', models.UUIDField(editable=False, primary_key=True, serialize=False)),
                ('source_node_uuid', models.UUIDField()),
                ('type', models.CharField(choices=[('rule', 'rule'), ('strategy_insight', 'strategy_insight')], max_length=64)),
                ('strategy_type', models.CharField(choices=[('breakout', 'breakout'), ('mean_reversion', 'mean_reversion'), ('trend_following', 'trend_following'), ('scalping', 'scalping'), ('momentum', 'momentum')], max_length=20, null=True)),
                ('outcome', models.CharField(choices=[('success', 'success'), ('failure', 'failure')], max_length=7, null=True)),
                ('tags', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list)),
                ('content', models.TextField()),
                ('confidence', models.DecimalField(decimal_places=4, max_digits=5)),
                ('validated_count', models.IntegerField()),
                ('relevance_score', models.DecimalField(decimal_places=4, max_digits=5)),
                ('community_confirmations', models.IntegerField(default=0)),
                ('evidence', models.JSONField()),
                ('windows', models.JSONField(default=list)),
                ('shared_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(null=True)),
                ('revision', models.IntegerField(default=1)),
                ('agent', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memory.agent')),
                ('source', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='copy', to='memory.standing')),
                ('symbol', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='memory.instrument')),
            ],
            options={
                'db_table': 'memory_shared',
                'verbose_name_plural': 'shared memories',
            },
        ),
        migrations.CreateModel(
            name='SharedChange',
            fields=[
                ('pk', models.CompositePrimaryKey('shared_id', 'revision', blank=True, editable=False, primary_key=True, serialize=False)),
                ('revision', models.IntegerField()),
                ('event', models.CharField(choices=[('shared', 'shared'), ('confirmed', 'confirmed'), ('contradicted', 'contradicted'), ('deprecated', 'deprecated')], max_length=12)),
                ('backtest_id', models.UUIDField(null=True)),
                ('before', models.JSONField(null=True)),
                ('after', models.JSONField()),
                ('at', models.DateTimeField()),
                ('window', models.JSONField(null=True)),
                ('shared', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='changes', to='memory.sharedmemory')),
                ('agent', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.agent')),
            ],
            options={
                'db_table': 'memory_shared_change',
            },
        ),
        migrations.CreateModel(
            name='SharedTail',
            fields=[
                ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('text_records', models.BigIntegerField()),
                ('text_length', models.BigIntegerField()),
            ],
            options={
                'db_table': 'memory_shared_tail',
            },
        ),
        migrations.AddField(
            model_name='agent',
            name='node_uuid',
            field=models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID(), editable=False, help_text="The author's name on shared memories. Random: it tells of no id and of nobody.", unique=True),
        ),
        migrations.AddField(
            model_name='agent',
            name='share_community_memories',
            field=models.BooleanField(db_default=False, help_text='Whether the agent reads what others share, and may share what it learned.'),
        ),
        migrations.AddField(
            model_name='agent',
            name='sharing_revision',
            field=models.IntegerField(db_default=1, editable=False),
        ),
        migrations.AddConstraint(
            model_name='agent',
            constraint=models.CheckConstraint(condition=models.Q(('sharing_revision__gte', 1)), name='agent_sharing_counted_from_one'),
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(POSTINGS, "DROP TABLE memory_shared_term"),
            ],
            state_operations=[
                migrations.CreateModel(
                    name='SharedPosting',
                    fields=[
                        ('pk', models.CompositePrimaryKey('lexeme', 'shared_id', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('lexeme', models.TextField(db_collation='C')),
                        ('tf', models.SmallIntegerField()),
                        ('len', models.IntegerField()),
                        ('shared', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.sharedmemory')),
                    ],
                    options={
                        'db_table': 'memory_shared_term',
                    },
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name='sharedtail',
            constraint=models.CheckConstraint(condition=models.Q(('id', 1)), name='shared_tail_is_one_row'),
        ),
        migrations.AddConstraint(
            model_name='sharedtail',
            constraint=models.CheckConstraint(condition=models.Q(('text_length__gte', 0), ('text_records__gte', 0)), name='shared_tail_not_negative'),
        ),
        migrations.AddIndex(
            model_name='grant',
            index=models.Index(fields=['reader', 'granted_at'], name='grant_by_reader'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.CheckConstraint(condition=models.Q(('reader', models.F('source')), _negated=True), name='grant_to_another'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('revoked_at__isnull', True), ('revoked_by__isnull', True)), models.Q(('revoked_at__gte', models.F('granted_at')), ('revoked_at__isnull', False), ('revoked_by__isnull', False)), _connector='OR'), name='grant_revoked_by_somebody'),
        ),
        migrations.AddConstraint(
            model_name='grant',
            constraint=models.UniqueConstraint(condition=models.Q(('revoked_at__isnull', True)), fields=('reader', 'source'), name='grant_open_once'),
        ),
        migrations.AddIndex(
            model_name='sharedmemory',
            index=models.Index(fields=['agent', 'shared_at'], name='shared_by_author'),
        ),
        migrations.AddConstraint(
            model_name='sharedmemory',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('symbol__isnull', True), ('type', 'rule')), models.Q(('outcome', 'success'), ('outcome__isnull', False), ('type', 'strategy_insight')), _connector='OR'), name='shared_is_rule_or_success'),
        ),
        migrations.AddConstraint(
            model_name='sharedmemory',
            constraint=models.CheckConstraint(condition=models.Q(('strategy_type__isnull', True), ('strategy_type__in', ['breakout', 'mean_reversion', 'trend_following', 'scalping', 'momentum']), _connector='OR'), name='shared_strategy_type_known'),
        ),
        migrations.AddConstraint(
            model_name='sharedmemory',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__isnull', True), ('outcome__in', ['success', 'failure']), _connector='OR'), name='shared_outcome_known'),
        ),
        migrations.AddConstraint(
            model_name='sharedmemory',
            constraint=models.CheckConstraint(condition=models.Q(('confidence__gte', 0), ('confidence__lte', 1), ('relevance_score__gte', 0), ('relevance_score__lte', 1)), name='shared_shares_in_range'),
        ),
        migrations.AddConstraint(
            model_name='sharedmemory',
            constraint=models.CheckConstraint(condition=models.Q(('community_confirmations__gte', 0), ('revision__gte', 1)), name='shared_counts_not_negative'),
        ),
        migrations.AddConstraint(
            model_name='sharedmemory',
            constraint=models.CheckConstraint(condition=models.Q(('tags__contains', ['']), _negated=True), name='shared_tags_not_empty'),
        ),
        migrations.AddConstraint(
            model_name='sharedmemory',
            constraint=models.CheckConstraint(condition=models.Q(('content', ''), _negated=True), name='shared_content_not_empty'),
        ),
        migrations.AddIndex(
            model_name='sharedchange',
            index=models.Index(fields=['at'], name='shared_change_by_time'),
        ),
        migrations.AddConstraint(
            model_name='sharedchange',
            constraint=models.CheckConstraint(condition=models.Q(('event__in', ['shared', 'confirmed', 'contradicted', 'deprecated'])), name='shared_change_named'),
        ),
        migrations.AddConstraint(
            model_name='sharedchange',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('agent__isnull', True), ('backtest_id__isnull', True), ('before__isnull', True), ('event', 'shared'), ('revision', 1)), models.Q(models.Q(('event', 'shared'), _negated=True), ('agent__isnull', False), ('backtest_id__isnull', False), ('before__isnull', False), ('revision__gt', 1)), _connector='OR'), name='shared_change_has_a_judge'),
        ),
        migrations.AddConstraint(
            model_name='sharedchange',
            constraint=models.UniqueConstraint(condition=models.Q(('backtest_id__isnull', False)), fields=('shared', 'agent', 'backtest_id'), name='shared_judged_once'),
        ),
        migrations.AddIndex(
            model_name='sharedposting',
            index=models.Index(fields=['shared'], name='shared_term_of_copy'),
        ),
    ]
