"""Who is calling is asked again while an answer goes on (SPEC X2, R5)."""

from datetime import datetime, timedelta

import pytest

from memory.errors import InvalidToken, RunFinished
from memory.models import Token
from memory.policies.ownership import TokenActor, UserActor
from memory.services import runs, tokens
from tests.desk import Desk

MINUTE = timedelta(minutes=1)


@pytest.mark.spec("X2")
def test_a_good_token_is_the_same_bearer_and_was_used(desk: Desk, now: datetime) -> None:
    actor = desk.actor("review", now=now)
    assert tokens.reauthenticate(actor, now=now + MINUTE) == actor
    used = Token.objects.get(producer=desk.producers["review"])
    assert used.last_used_at == now + MINUTE


@pytest.mark.spec("X2")
def test_a_token_that_was_revoked_or_has_expired_is_refused(desk: Desk, now: datetime) -> None:
    producer = desk.producers["review"]
    for ending in ("revoked_at", "expires_at"):
        token, clear = tokens.issue_token(producer=producer, now=now)
        actor = tokens.authenticate(clear, now=now)
        Token.objects.filter(id=token.id).update(**{ending: now + MINUTE})
        with pytest.raises(InvalidToken):
            tokens.reauthenticate(actor, now=now + MINUTE)


@pytest.mark.spec("R5")
def test_a_run_token_is_good_for_its_run(desk: Desk, now: datetime) -> None:
    run, _, clear = runs.start_run_with_token(
        producer=desk.producers["autopilot"], now=now, life=timedelta(hours=1)
    )
    actor = tokens.authenticate(clear, now=now)
    assert tokens.reauthenticate(actor, now=now) == actor
    runs.finish_run(run=run, status="succeeded", error="", now=now)
    with pytest.raises(RunFinished):
        tokens.reauthenticate(actor, now=now)


@pytest.mark.spec("X1")
def test_a_person_is_what_they_are_by_now(desk: Desk, now: datetime) -> None:
    desk.user.is_staff = True
    desk.user.save()
    actor = UserActor(user_id=desk.user.pk, is_staff=True)
    assert tokens.reauthenticate(actor, now=now) == actor
    desk.user.is_staff = False
    desk.user.save()
    again = tokens.reauthenticate(actor, now=now)
    assert again == UserActor(user_id=desk.user.pk, is_staff=False)
    desk.user.is_active = False
    desk.user.save()
    with pytest.raises(InvalidToken):
        tokens.reauthenticate(actor, now=now)


@pytest.mark.spec("X2")
def test_a_job_of_the_server_has_no_token_to_show(desk: Desk, now: datetime) -> None:
    producer = desk.producers["autopilot"]
    run = runs.start_run(producer=producer, now=now)
    actor: TokenActor = tokens.built_in_writer(agent=desk.agent, producer=producer, run=run)
    with pytest.raises(InvalidToken):
        tokens.reauthenticate(actor, now=now)
