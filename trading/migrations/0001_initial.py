"""Market data and indicator runs, with what Django cannot say of them in SQL."""

import django.db.models.deletion
import memory.ids
from django.db import migrations, models


REFUSE_CHANGE = """
CREATE FUNCTION trading_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows are evidence', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation', CONSTRAINT = 'indicator_run_immutable',
          TABLE = TG_TABLE_NAME;
END $$;
CREATE TRIGGER indicator_run_immutable BEFORE UPDATE OR DELETE ON trading_indicator_run
  FOR EACH ROW EXECUTE FUNCTION trading_refuse_change();
"""
ALLOW_CHANGE = """
DROP TRIGGER indicator_run_immutable ON trading_indicator_run;
DROP FUNCTION trading_refuse_change();
"""
# The agent is part of the key, so that a run of another agent cannot be named.
RUN_OF_THE_SAME_AGENT = """
ALTER TABLE trading_indicator_run ADD CONSTRAINT indicator_run_run_fk
  FOREIGN KEY (agent_id, run_id) REFERENCES memory_run (agent_id, id);
"""
RUN_OF_ANY_AGENT = "ALTER TABLE trading_indicator_run DROP CONSTRAINT indicator_run_run_fk;"


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('memory', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='SpotPair',
            fields=[
                ('instrument', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='spot_pair', serialize=False, to='memory.instrument')),
                ('base', models.CharField(max_length=64)),
                ('quote', models.CharField(max_length=64)),
            ],
            options={
                'db_table': 'trading_spot_pair',
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('base', ''), _negated=True), models.Q(('quote', ''), _negated=True)), name='spot_pair_tokens_named')],
            },
        ),
        migrations.CreateModel(
            name='Candle',
            fields=[
                ('pk', models.CompositePrimaryKey('instrument_id', 'timeframe', 'opened_at', blank=True, editable=False, primary_key=True, serialize=False)),
                ('timeframe', models.CharField(choices=[('1m', '1m'), ('3m', '3m'), ('5m', '5m'), ('15m', '15m'), ('30m', '30m'), ('1h', '1h'), ('2h', '2h'), ('4h', '4h'), ('8h', '8h'), ('12h', '12h'), ('1d', '1d'), ('3d', '3d'), ('1w', '1w')], max_length=4)),
                ('opened_at', models.DateTimeField()),
                ('open', models.FloatField()),
                ('high', models.FloatField()),
                ('low', models.FloatField()),
                ('close', models.FloatField()),
                ('volume', models.FloatField()),
                ('source', models.CharField(max_length=40)),
                ('imported_at', models.DateTimeField()),
                ('instrument', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='candles', to='memory.instrument')),
            ],
            options={
                'db_table': 'trading_candle',
                'constraints': [models.CheckConstraint(condition=models.Q(('timeframe__in', ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w'])), name='candle_timeframe_known'), models.CheckConstraint(condition=models.Q(('high__lt', float("inf"))), name='candle_high_finite'), models.CheckConstraint(condition=models.Q(('high__gte', models.F('open')), ('high__gte', models.F('close'))), name='candle_high_highest'), models.CheckConstraint(condition=models.Q(('low__lte', models.F('open')), ('low__lte', models.F('close'))), name='candle_low_lowest'), models.CheckConstraint(condition=models.Q(('low__gt', 0)), name='candle_price_positive'), models.CheckConstraint(condition=models.Q(('volume__gte', 0), ('volume__lt', float("inf"))), name='candle_volume_valid'), models.CheckConstraint(condition=models.Q(('source', ''), _negated=True), name='candle_source_named')],
            },
        ),
        migrations.CreateModel(
            name='FundingRate',
            fields=[
                ('pk', models.CompositePrimaryKey('instrument_id', 'at', blank=True, editable=False, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
                ('rate', models.FloatField()),
                ('instrument', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='funding_rates', to='memory.instrument')),
            ],
            options={
                'db_table': 'trading_funding_rate',
                'constraints': [models.CheckConstraint(condition=models.Q(('rate__gt', float("-inf")), ('rate__lt', float("inf"))), name='funding_rate_finite')],
            },
        ),
        migrations.CreateModel(
            name='IndicatorRun',
            fields=[
                ('id', models.UUIDField(default=memory.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('timeframe', models.CharField(choices=[('1m', '1m'), ('3m', '3m'), ('5m', '5m'), ('15m', '15m'), ('30m', '30m'), ('1h', '1h'), ('2h', '2h'), ('4h', '4h'), ('8h', '8h'), ('12h', '12h'), ('1d', '1d'), ('3d', '3d'), ('1w', '1w')], max_length=4)),
                ('computed_at', models.DateTimeField()),
                ('engine', models.CharField(help_text='Library and version, e.g. ta-lib 0.8.2.', max_length=40)),
                ('indicators', models.JSONField(help_text='A list of name, function and parameters.')),
                ('bars', models.JSONField(help_text='count, and bar_index, opened_at, closed_at of two bars.')),
                ('values', models.JSONField(help_text='Name to number, at the last bar.')),
                ('data_source', models.CharField(help_text='Where the bars came from.', max_length=120)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='indicator_runs', to='memory.agent')),
                ('instrument', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='indicator_runs', to='memory.instrument')),
                ('run', models.ForeignKey(blank=True, db_constraint=False, db_index=False, help_text="The producer's run that computed it.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='indicator_runs', to='memory.run')),
            ],
            options={
                'db_table': 'trading_indicator_run',
                'indexes': [models.Index(models.F('agent'), models.F('run'), name='indicator_run_of_run'), models.Index(models.F('agent'), models.F('instrument'), models.OrderBy(models.F('computed_at'), descending=True), name='indicator_run_recent')],
                'constraints': [models.UniqueConstraint(fields=('agent', 'id'), name='indicator_run_agent_id'), models.CheckConstraint(condition=models.Q(('timeframe__in', ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w'])), name='indicator_run_timeframe_known'), models.CheckConstraint(condition=models.Q(('engine', ''), _negated=True), name='indicator_run_engine_named')],
            },
        ),
        migrations.RunSQL(RUN_OF_THE_SAME_AGENT, RUN_OF_ANY_AGENT),
        migrations.RunSQL(REFUSE_CHANGE, ALLOW_CHANGE),
    ]
