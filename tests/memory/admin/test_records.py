"""A record's page: everything of it, escaped, with what it is linked to."""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils.html import escape

from memory.admin.base import visible
from memory.models import Agent, Producer, Record, Run, Standing
from memory.services import setup
from tests.desk import Desk
from tests.memory.admin.conftest import page
from tests.strategies import remember

ATTACK = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>"


def shown(client: Client, row: Record | Producer | Run | Agent | Standing) -> str:
    """Return a row's page."""
    response = client.get(page(row, "change"))
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.spec("X3", "O5")
def test_what_a_record_says_is_escaped(staff: Client, desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, content=ATTACK, metadata={ATTACK: ATTACK}, tags=["<b>bold</b>"])
    html = shown(staff, Record.objects.get(id=written.id))
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)" in html
    for part in ("<script>alert", "<img src=x", "<b>bold"):
        assert part not in html


@pytest.mark.spec("X3")
def test_names_are_escaped_in_lists(staff: Client, desk: Desk, now: datetime) -> None:
    agent = setup.create_agent(owner=desk.user, name="<script>alert(3)</script>", now=now)
    setup.create_producer(agent=agent, role="review", name="<i>me</i>", schedule=None, now=now)
    for model in (Agent, Producer):
        html = staff.get(page(model)).content.decode()
        assert "<script>alert" not in html
        assert "<i>me" not in html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, Grüße, 漢字 and\n\ttabs", "plain, Grüße, 漢字 and\n\ttabs"),
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("zero\u200bwidth\ufeff", "zero⟦U+200B⟧width⟦U+FEFF⟧"),
        ("isolate\u2066x\u2069", "isolate⟦U+2066⟧x⟦U+2069⟧"),
        ("return\rbell\x07", "return⟦U+000D⟧bell⟦U+0007⟧"),
        ("tag\U000e0041", "tag⟦U+E0041⟧"),
        ("", ""),
    ],
)
@pytest.mark.spec("X3")
def test_characters_that_hide_or_reorder_are_shown_as_codes(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.spec("X3")
def test_a_record_page_shows_hidden_characters(staff: Client, desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, content="buy\u202ellor", metadata={"a": "\u200b"})
    html = shown(staff, Record.objects.get(id=written.id))
    assert "buy⟦U+202E⟧llor" in html
    assert "\u202e" not in html
    assert "⟦U+200B⟧" in html


@pytest.mark.spec("O5")
def test_a_record_shows_its_targets_and_links_both_ways(
    staff: Client, desk: Desk, now: datetime
) -> None:
    first = desk.write(now=now, instruments=["ETH", "BTC"])
    link = {"target_memory_id": str(first.id), "link_type": "supports"}
    second = desk.write(now=now, links=[link])
    older, newer = Record.objects.get(id=first.id), Record.objects.get(id=second.id)
    html = shown(staff, older)
    assert "ETH, BTC" in html
    assert f'href="{page(newer, "change")}"' in html
    assert f'href="{page(older, "change")}"' in shown(staff, newer)
    assert "supports" in html


@pytest.mark.spec("O5", "C3")
def test_a_record_shows_the_status_that_a_reader_would_see(
    staff: Client, desk: Desk, now: datetime
) -> None:
    late = desk.write(now=now - timedelta(hours=1), type="late")
    good = desk.write(now=now, type="good")
    rows = {record.id: record for record in Record.objects.all()}
    assert ">stale<" in shown(staff, rows[late.id])
    assert ">fresh<" in shown(staff, rows[good.id])
    setup.disable_producer(producer=desk.producers["analysis"], now=now)
    assert ">disabled<" in shown(staff, rows[good.id])


@pytest.mark.spec("O5")
def test_an_erased_record_and_one_without_its_run_still_have_a_page(
    staff: Client, desk: Desk, now: datetime
) -> None:
    written = desk.write(now=now)
    desk.erase(written.id, now=now)
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM memory_run WHERE id = %s", [written.run.id if written.run else None]
        )
    html = shown(staff, Record.objects.get(id=written.id))
    assert ">erased<" in html
    assert "(gone)" in html
    assert "erased" in staff.get(page(Record)).content.decode()


@pytest.mark.spec("O5", "C1")
def test_a_producer_shows_its_intervals_and_newest_records(
    staff: Client, desk: Desk, now: datetime
) -> None:
    producer = desk.producers["analysis"]
    written = desk.write(now=now, instruments=["ETH"])
    setup.disable_producer(producer=producer, now=now)
    html = shown(staff, producer)
    assert "2026-08-31 12:01:07" in html
    assert "2026-09-30 12:01:07" in html
    assert f'href="{page(Record.objects.get(id=written.id), "change")}"' in html


@pytest.mark.spec("X2", "X6")
def test_no_page_shows_what_is_kept_of_a_secret(staff: Client, desk: Desk) -> None:
    for token in desk.agent.tokens.all():
        html = staff.get(page(token, "change")).content.decode()
        html += staff.get(page(type(token))).content.decode()
        digest = bytes(token.secret_sha256)
        assert token.key in html
        for form in (digest.hex(), str(digest), "secret_sha256", "sha256"):
            assert form not in html


@pytest.mark.spec("H2", "O5")
def test_what_is_odd_in_a_handoff_is_told_on_its_page(
    staff: Client, desk: Desk, now: datetime
) -> None:
    odd = {"handoff_version": 1, "sources": [{"bar_index": -1, "closed_at": "never"}]}
    written = desk.write(now=now, metadata=odd)
    assert written.handoff_warnings
    html = shown(staff, Record.objects.get(id=written.id))
    for warning in written.handoff_warnings:
        assert escape(warning) in html
    plain = desk.write(now=now)
    assert "Odd in its handoff" in html
    assert "Odd in its handoff" not in shown(staff, Record.objects.get(id=plain.id))


@pytest.mark.spec("O5", "M3")
def test_a_standings_page_shows_what_its_record_says(
    staff: Client, desk: Desk, now: datetime
) -> None:
    told = "wait for the <b>close</b> " * 9
    standing = Standing.objects.get(record_id=remember(desk, told, now=now))
    assert escape(told.strip()) in shown(staff, standing)
