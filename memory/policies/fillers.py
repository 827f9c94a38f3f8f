"""Words that say nothing (SPEC M9): each other word that one of two texts has parts them.

Articles, auxiliaries, pronouns; what every insight is about (a trade, a bar, an entry); hedges of
frequency that all mean "as a rule". No word here bounds or conditions: `only`, `also`, `again`,
`most`, `may`, `one`, `too`, `just` and the like are read, as is what makes a thing rare
(`sometimes`, `rarely`, `hardly`) or a word stronger (`very`).
"""

_FILLERS = """
a an the this that these those which who it its itself they their them there here he she his her
we our you your yourself i my me is are was were be been being am do does did done doing has have
had having of in on at to from by for as shall should must need needs needed
into during upon onto via
get gets got getting gotten become becomes became becoming let lets letting
seem seems seemed seemingly tend tends tended tending ought
go goes going gone went come comes came coming make makes made making give gives gave given giving
take takes took taken taking
trade trades traded trading trader traders setup setups strategy strategies approach approaches
idea ideas signal signals entry entries enter enters entered entering
position positions candle candles bar bars chart charts timeframe timeframes
opportunity opportunities environment environments condition conditions circumstances
regime regimes phase phases situation situations scenario scenarios
usually typically generally normally mostly often frequently commonly consistently
really actually basically simply overall please
any such use uses using ones
occur occurs occurred occurring happen happens happened happening appear appears appeared appearing
form forms formed forming place places placed placing sit sits sitting set sets setting
"""
SAYING_NOTHING = frozenset(_FILLERS.split())
