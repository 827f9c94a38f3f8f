"""How often callers called lately, and the streams they follow (SPEC E5)."""

import django.contrib.postgres.fields
from django.db import migrations, models

# What is lost in a crash is not worth the log. Counts change in place: there is room for the next
# version of each row beside it, and no index on what changes.
STORAGE = """
ALTER TABLE memory_rate SET UNLOGGED;
ALTER TABLE memory_rate SET (fillfactor = 40);
ALTER TABLE memory_stream SET UNLOGGED;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_tag_index")]

    operations = [
        migrations.CreateModel(
            name="RateCount",
            fields=[
                ("pk", models.CompositePrimaryKey("subject", "kind", blank=True, editable=False, primary_key=True, serialize=False)),
                ("subject", models.CharField(help_text="A token, a producer or a user.", max_length=50)),
                ("kind", models.CharField(choices=[("read", "read"), ("write", "write"), ("search", "search"), ("session", "session")], max_length=7)),
                ("tick", models.BigIntegerField()),
                ("counts", django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ("used_at", models.DateTimeField()),
            ],
            options={"db_table": "memory_rate"},
        ),
        migrations.CreateModel(
            name="OpenStream",
            fields=[
                ("pk", models.CompositePrimaryKey("subject", "stream", blank=True, editable=False, primary_key=True, serialize=False)),
                ("subject", models.CharField(max_length=50)),
                ("stream", models.UUIDField()),
                ("until", models.DateTimeField(help_text="It counts no longer unless it says so again.")),
            ],
            options={"db_table": "memory_stream"},
        ),
        migrations.RunSQL(STORAGE, migrations.RunSQL.noop),
    ]
