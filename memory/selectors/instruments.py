"""Which instruments there are, and what a name that is none of theirs may have meant."""

import difflib

from memory.errors import ValidationFailed
from memory.models import Instrument


def alike(name: str) -> str:
    """Return a hint: active instruments that are spelled alike, or where instruments come from."""
    known = list(Instrument.objects.filter(is_active=True).values_list("id", flat=True))
    if not known:
        return "; there are none yet: manage.py sync_instruments, or sync_candles --sample"
    spelled = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), spelled, n=3)
    found = ", ".join(spelled[one] for one in near)
    return f"; did you mean {found}?" if found else "; manage.py sync_instruments brings more"


def refuse_unknown(name: str, *, place: str) -> None:
    """Refuse what is the name of no instrument, delisted ones among them (ValidationFailed).

    Nothing is about it, nor ever was: an empty list would hide a slip of the pen.
    """
    if not Instrument.objects.filter(id=name).exists():
        raise ValidationFailed({place: [f"{name} is no known instrument{alike(name)}"]})
