"""All block types, by the place they may stand in. The registry is the unions themselves."""

from typing import Annotated, Any, get_args

from pydantic import Field

from autopilot.strategy import exits as ex
from autopilot.strategy import filters as fi
from autopilot.strategy import foundations as fo
from autopilot.strategy.base import Block

FoundationBlock = Annotated[
    fo.EmaCross
    | fo.MacdCross
    | fo.RocMomentum
    | fo.DonchianBreak
    | fo.SqueezeBreak
    | fo.RetestLevel
    | fo.RsiReversal
    | fo.BandReversal
    | fo.VolumeSpike,
    Field(discriminator="type"),
]
FilterBlock = Annotated[
    fi.TrendMa | fi.HtfTrend | fi.Adx | fi.Natr | fi.RelVolume | fi.Session | fi.Funding,
    Field(discriminator="type"),
]
StopBlock = Annotated[ex.StopPct | ex.StopAtr | ex.StopSwing, Field(discriminator="type")]
TargetBlock = Annotated[ex.TpR | ex.TpPct | ex.TpAtr, Field(discriminator="type")]
ManageBlock = Annotated[
    ex.TrailAtr | ex.Breakeven | ex.TimeExit,
    Field(discriminator="type"),
]


def _members(union: Any) -> dict[str, type[Block]]:
    members = get_args(get_args(union)[0])
    return {member.model_fields["type"].default: member for member in members}


FOUNDATIONS = _members(FoundationBlock)
FILTERS = _members(FilterBlock)
STOPS = _members(StopBlock)
TARGETS = _members(TargetBlock)
MANAGE = _members(ManageBlock)
BLOCKS: dict[str, type[Block]] = {**FOUNDATIONS, **FILTERS, **STOPS, **TARGETS, **MANAGE}
"""Type → class, of all types in the order of the unions."""
