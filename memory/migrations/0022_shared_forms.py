"""What readers take apart of a copy has the form that they expect."""

from django.db import migrations

FORMS = """
ALTER TABLE memory_shared
    ADD CONSTRAINT shared_evidence_is_told CHECK (jsonb_typeof(evidence) = 'object'),
    ADD CONSTRAINT shared_windows_are_a_list CHECK (jsonb_typeof(windows) = 'array');
ALTER TABLE memory_shared_change
    ADD CONSTRAINT shared_change_window_is_told CHECK (jsonb_typeof("window") = 'object');
"""
UNDO_FORMS = """
ALTER TABLE memory_shared
    DROP CONSTRAINT shared_evidence_is_told, DROP CONSTRAINT shared_windows_are_a_list;
ALTER TABLE memory_shared_change DROP CONSTRAINT shared_change_window_is_told;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0021_histories_follow")]

    operations = [migrations.RunSQL(FORMS, UNDO_FORMS)]
