"""The body of what is done to a record after the write (SPEC R15)."""

from pydantic import Field, StrictStr

from memory.schemas.parsing import Body


class Reason(Body):
    """Why it is done: the record's ledger keeps it."""

    reason: StrictStr = Field(description="Why, for the ledger: 1 to 500 characters.")
