"""Bodies of strategy memory: a record of a tier with what is thought of it (SPEC M1, M2)."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, StrictInt, StrictStr, model_validator

from memory.policies.text import depth, flaws
from memory.policies.vocabulary import OUTCOMES, STRATEGY_TYPES, TIERS, VISIBILITIES
from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid, InstrumentName, plain_text
from memory.schemas.runs import zoned

JSON_DEPTH = 32
COUNT_LIMIT = 1_000_000


def bounded_json(value: dict[str, Any]) -> dict[str, Any]:
    """Refuse what is too deep or cannot be stored, naming the place."""
    if depth(value) > JSON_DEPTH:
        raise ValueError(f"is nested more than {JSON_DEPTH} levels deep")
    for place, problem in flaws(value, path=""):
        raise ValueError(f"{place.lstrip('.')} {problem}")
    return value


Share = Annotated[Decimal, Field(ge=0, le=1, allow_inf_nan=False)]
Json = Annotated[dict[StrictStr, Any], AfterValidator(bounded_json)]
Symbol = Annotated[InstrumentName, AfterValidator(plain_text)]
StrategyType = Literal[*STRATEGY_TYPES]  # type: ignore[valid-type]  # one list serves all layers
Outcome = Literal[*OUTCOMES]  # type: ignore[valid-type]  # as above
Moment = Annotated[datetime, BeforeValidator(zoned)]
Tier = Literal[*TIERS]  # type: ignore[valid-type]  # as above


class StandingDraft(Body):
    """What is thought of a strategy record at first; what is left out follows its tier's terms.

    `symbol` is a canonical name. A rule is cross-asset: it has none.
    """

    symbol: Symbol | None = None
    strategy_type: StrategyType | None = None
    outcome: Outcome | None = None
    confidence: Share | None = None
    validated_count: StrictInt = Field(default=1, ge=-COUNT_LIMIT, le=COUNT_LIMIT)
    config: Json | None = None
    metrics: Json = Field(default_factory=dict)

    def problem_as(self, type_: str) -> tuple[str, str] | None:
        """Return (place, problem) of a draft that does not fit a record of that type."""
        if type_ == "rule" and self.symbol is not None:
            return "symbol", "must be left out: a rule is cross-asset"
        return None


class Tiered(StandingDraft):
    """A standing that names its record's type."""

    type: Tier

    @model_validator(mode="after")
    def fits_its_type(self) -> Self:
        """Hold the standing against the type."""
        if problem := self.problem_as(self.type):
            raise ValueError(" ".join(problem))
        return self


class ImportedStrategy(Tiered):
    """One line of an import: a record of a tier as it stands elsewhere.

    Without `expires_at` its life is its tier's, from `created_at`; null is permanent.
    """

    id: ExactUuid
    content: StrictStr
    tags: list[StrictStr] = Field(default_factory=list)
    created_at: Moment
    expires_at: Moment | None = None
    relevance_score: Share | None = None
    visibility: Literal[*VISIBILITIES] = "private"  # type: ignore[valid-type]  # as above
    source_node_uuid: ExactUuid | None = None
    community_confirmations: StrictInt = Field(default=0, ge=0, le=COUNT_LIMIT)

    @property
    def body(self) -> dict[str, Any]:
        """The body of its record, to be parsed as any other."""
        about = [] if self.symbol is None else [self.symbol]
        return {
            "type": self.type,
            "scope": "instruments" if about else "agent",
            "instruments": about,
            "content": self.content,
            "tags": self.tags,
        }
