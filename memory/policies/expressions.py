"""Expressions of several words, by what they mean in the words of `lexicon` (SPEC M9).

Each is looked for as it stands, after short forms and before the phrases of `phrases`. Where an
expression is only safe beside other words, those are part of it.
"""

import re

SHORT_FORMS = {
    "BE": "breakeven", "SL": "stop", "TP": "target", "LDN": "london", "NYC": "newyork",
    "HTF": "htf", "LTF": "ltf", "PDH": "previous day high", "PDL": "previous day low",
    "R:R": "riskreward", "R/R": "riskreward", "RRR": "riskreward", "BTFD": "buy the dip",
    "w/o": "without", "W/O": "without", "w/": "with", "BO": "breakout", "S/L": "stop",
    "T/P": "target",
}  # fmt: skip
"""By their case: `BE` is no `be`."""
GLUED = re.compile(r"(?<!\w)(EMA|SMA|RSI|ADX|ATR|MA)(?=\d)|(?<=\w)'s(?!\w)")
"""A measure that its period is written to; and what says whose something is."""
SHORT = re.compile(
    r"(?<![\w/:-])(?:" + "|".join(map(re.escape, sorted(SHORT_FORMS, key=len, reverse=True)))
    + r")(?![\w-])"
)  # fmt: skip

_MEASURED = r"(?:volume|volatility|liquidity|turnover|oi|open interest|atr|participation)"
_IS = r"(?:is|was|are|were|stays|remains|has been|gets|runs)"
_N = r"(\d+|two|three|four|five|six|seven|eight|nine|ten)"
_OWN = r"(?:(?:the|your|my|our|a|an|all|any|every|each|open|existing|of) )*"
_HELD = r"(?:trades?|positions?)"
_NOW = r"(?:should |must |to |is |are |gets? |best )"
_DAYS = r"(?:prior|previous|preceding)[ -]days?(?:'s|')?|yesterday(?:'s)?"
_VERDICT = (
    r"(?:longs?|shorts?|buys?|sells?|entr\w+|trades?|trading|setups?|strateg\w+|approach\w*|ideas?"
    r"|ways?|results?|performance|times?|places?|when|if|while|where|whenever|once|as|in|on|at|for"
    r"|with|without|to|than|and|but|or|during|after|before|because|by|from|is|was|are|were|the|a|an"
    r"|\d+[mhdw]|only|since|until|unless|not|over|under|above|below|near|here|there)(?!\w)"
)
"""What a word of praise or blame stands before where it is of the insight, and of no thing."""
_ACT = r"(?:go|going|be|get|buy|sell|enter|short|long|trade)"

EXPRESSIONS: tuple[tuple[str, str], ...] = (
    # What speaks of the insight itself
    ((r"(?:the )?(?:rule|lesson|takeaway|insight|observation|conclusion|finding|note|tip|idea)"
     r"(?: learned| here)?(?: is(?: that| to)?|:)"), ""),
    ((r"(?:we|i) (?:have )?(?:found|learned|observed|noticed|saw|see|find|notice)(?: out)?"
     r"(?: that)?"), ""),
    ((r"(?:it (?:turn(?:s|ed) out|seems|appears|is clear|was found|has been found)"
     r"|the data (?:shows?|suggests?|says?)|backtests? (?:shows?|showed|suggests?)"
     r"|results (?:shows?|showed|suggests?)|experience (?:shows|suggests))(?: that)?"), ""),
    (r"(?:keep in mind|make sure|be sure|remember|note|bear in mind)(?: that| to)?", ""),
    (r"it (?:is|was|'s) (?:best|better|wise|wiser|advisable|smart|preferable|a good idea) to",
     ""),
    ((r"(?:you|we|one|i) (?:are |is |'re )?(?:should|must|had better|needs? to|ha(?:ve|s) to"
     r"|ought to)"), ""),
    (r"(?:as a (?:general )?rule|in general|on average(?=\s*(?:[,.]|$))|by and large),?", ""),
    (r"tend(?:s|ed|ing)? (?:to be|to)", ""),
    (r"when it comes to|in the case of|in terms of", ""),
    (r"entry points?|points? of entry|place to enter|time to enter", "entry"),
    # How it went
    ((r"(?:is|are|was|were|be|been|proved|proves|prove|proven)(?: to be)? (?:a )?"
     r"(?:clear |consistent |big |real |reliable )?"
     r"(?:winners?|winning (?:trades?|ones?|plays?|proposition|strategy|(?=longs?|shorts?)))"
     r"(?= (?:on|in|at|when|if|during|for)|\W*$|[.,;]|(?<= )(?:longs?|shorts?))"), "works"),
    ((r"(?:is|are|was|were|be|been|proved|proves|prove|proven)(?: to be)? (?:a )?"
     r"(?:clear |consistent |big |real )?"
     r"(?:losers?|losing (?:trades?|ones?|plays?|proposition|strategy)|bad ideas?|mistakes?)"
     r"(?= (?:on|in|at|when|if|as|while|whenever|during|for)|\W*$|[.,;])"), "fails"),
    ((r"(?:has|have|had|gives?|gave|offers?|offered|shows?|showed|holds?|carr(?:y|ies)) "
     r"(?:a |an )?(?:(?:clear|real|good|positive|strong) )?(?:edge|positive expectancy)"), "works"),
    ((r"(?:has|have|had|gives?|gave|offers?|offered|shows?|showed) (?:no (?:real )?edge"
     r"|(?:a )?negative expectancy|(?:a )?negative edge)|(?:lacks?|lacked) (?:an )?edge"), "fails"),
    ((r"(?:results|performance|outcomes?) (?:get|gets|got|was|were|is|are|became) better"
     r"|(?:get|gets|got|gave|gives?|give|led to|leads? to|yields?|yielded|produces?|produced"
     r"|brings?) (?:much )?(?:better|good|positive) (?:results|performance|outcomes?|returns)"
     r"|(?:improve|improves|improved|help|helps|helped) (?:the )?(?:results|performance|outcomes?)"
     r"|perform(?:s|ed|ing)? (?:well|better|best)|work(?:s|ed|ing)? (?:well|best|nicely|fine)"
     r"|turn(?:s|ed)? (?:out )?(?:a profit|profitable)|pay(?:s|ing)? off|paid off"
     r"|(?:is|are|was|were) (?:worth (?:it|taking)|worthwhile|lucrative|rewarding|reliable"
     r"|effective)|earn(?:s|ed)? money"), "works"),
    ((r"perform(?:s|ed|ing)? (?:poorly|badly|worse)|cost(?:s)? money|(?:is|are|was|were) "
     r"(?:ineffective|not worth (?:it|taking)|money losers)|bleed(?:s|ing)? money"), "fails"),
    ((r"(?:do|does|did|work|works|worked|perform|performs|performed|is|are|was|were|pay|pays|paid)"
     r"(?: much)? better than|superior to"), "outperform"),
    ((r"(?:do|does|did|work|works|worked|perform|performs|performed|is|are|was|were|pay|pays|paid)"
     r"(?: much)? worse than|inferior to"), "underperform"),
    ((r"(?:do|does|work|works|worked|perform|performs|performed|is|are)(?: much)? better "
      r"((?:with|on|in|at|after|during) [\w .%]{1,40}?) than"), r"\1 outperform"),
    (r"(?:the )?best days? (?:for|to)", "works"),
    (r"winning (?:trades?|positions?|ones)", "winners"),
    (r"losing (?:trades?|positions?|ones)", "losers"),
    (r"winning (?:streaks?|runs?)", "winstreak"),
    (r"losing (?:streaks?|runs?)", "losestreak"),
    # What is said of a thing, and not of how the insight went
    (r"(a|an|each|every|any|per|last|first|big|straight|consecutive) wins?", r"\1 winner"),
    (r"(\d+) wins(?= (?:in a row|in succession|consecutive))", r"\1 winner"),
    ((rf"(good|better|best|great|fine|winning|profitable|successful|bad|poor|worse|worst)"
     rf"(?= (?!{_VERDICT})[a-z])"), r"thing\1"),
    (r"more(?= (?:profitable|successful|reliable|effective))", ""),
    # How often, how much
    (r"1st", "first"),
    (r"2nd", "second"),
    (r"3rd", "third"),
    (r"4th", "fourth"),
    (r"(?<!no )(?<!not )(?:tighter|closer|narrower|nearer|shorter) than(?= \d)", "below"),
    (r"(?<!no )(?<!not )(?:wider|looser|further|farther|longer) than(?= \d)", "above"),
    ((r"most(?: of)?(?: the)?(?= (?:\w+ )?(?:gaps|breakouts|breaks|pullbacks|moves|rallies|retests"
     r"|longs|shorts|trades|entries|fakeouts|sweeps|reversals|dips)(?!\w))"), ""),
    ((rf"{_N} (?:consecutive |successive |straight )"
     r"(?:losses|losers|lost trades|losing trades|lost)"), r"\1 losses consecutive"),
    ((rf"{_N} (?:losses|losers|lost trades"
     r"|losing trades) (?:in a row|in succession|back[- ]to[- ]back|running)"),
     r"\1 losses consecutive"),
    ((rf"{_N} trades (?:in a row|in succession) "
     r"(?:have |has |were |are )?(?:lost|lose|losers)"), r"\1 losses consecutive"),
    ((rf"(?:lose|lost|losing) {_N}"
     r"(?: times| trades)? (?:in a row|in succession)"), r"\1 losses consecutive"),
    (r"in a row|in succession|back[- ]to[- ]back|one after (?:another|the other)", "consecutive"),
    (r"(?:about|around|roughly|approximately|approx\.?|circa)(?= ?[\d.])", "~"),
    (r"right away|straight away|at once", "immediately"),
    (r"by (?:itself|themselves)|on (?:its|their) own|in isolation|standing alone", "alone"),
    ((r"(?:half|50 ?%|fifty percent) (?:of )?(?:the )?(?:usual|normal|regular|full|standard)?"
     r" ?(?:position )?sizes?(?!\w)|(?:cut|reduce|trim)s? (?:the |your )?(?:position )?sizes?"
     r" (?:by|in|to) (?:half|50 ?%)|halve(?:s|d)? (?:the |your )?(?:position )?sizes?"
     r"|sizes? (?:cut |reduced )?(?:by|in) half"), "halfsize"),
    (r"position siz(?:e|es|ing)", "size"),
    ((r"(?:cut|lower|shrink|scale down|dial down|lessen|decrease)(?:s|ting|ing)? "
     r"(?:the |your |position )*(size|risk|exposure|leverage)"), r"reduce \1"),
    (r"siz(?:e|es|ed|ing) up", "raise size"),
    (r"basis points?|bips", "bps"),
    (r"(?:rising|climbing|moving) (?:above|over)", "above"),
    ((r"(?:increas(?:e|es|ed|ing)|bump up|scale up|dial up) (?:the |your |position )*"
     r"(size|risk|exposure|leverage)"), r"raise \1"),
    (r"within(?= \d)", "atmost"),
    ((r"(?:cap|limit|restrict)(?:s|ped|ed)?(?: your| the)?"
     r"(?: (leverage|risk|size|losses|drawdown|yourself|trades|positions))?((?: on \w{1,20})?)"
     r" (?:at|to)(?= (?:\d|two|three|four|five|six|ten))"), r"\1\2 atmost"),
    ((r"keeps?(?: the| your)? (leverage|risk|size)"
     r"(?=[\w ]{0,30} (?:at|to|below|under|no more|no higher)(?!\w))"), r"\1"),
    (r"(?<=trades )(?:a day|daily)|(?:per|each|every) day", "perday"),
    (r"(?:lower|cut|shrink|decrease|reduce)(?:s|ting|ing)?(?: the| your)? drawdowns?",
     "reduce drawdown"),
    # High and low of what is measured
    (rf"(?:heavy|strong|elevated|large|big|above-average)(?= {_MEASURED}(?!\w))", "high"),
    (rf"(?:thin|light|weak|small|poor|subdued|below-average)(?= {_MEASURED}(?!\w))", "low"),
    (rf"(?<!ing )({_MEASURED}) ({_IS}) (?:heavy|strong|elevated|large|big)(?!\w)", r"\1 \2 high"),
    (rf"(?<!ing )({_MEASURED}) ({_IS}) (?:thin|light|weak|small|poor|subdued)(?!\w)", r"\1 \2 low"),
    (r"illiquid(?:ity)?", "low liquidity"),
    (r"(high|low|elevated|rising|falling|implied|realized|realised) vol", r"\1 volatility"),
    (r"elevated(?= volatility)", "high"),
    (r"vol (is|was|gets|stays|remains) (high|low|rising|falling)", r"volatility \1 \2"),
    (r"vol (is|was|gets|stays|remains) elevated", r"volatility \1 high"),
    (r"zero[- ]lines?", "zero"),
    (r"(is|are|was|turns|goes|gets|stays) (?:below|under) zero", r"\1 negative"),
    (r"(is|are|was|turns|goes|gets|stays) (?:above|over) zero", r"\1 positive"),
    (r"(volume|volatility|momentum|turnover) (?:pick|ramp)(?:s|ed|ing)? up", r"\1 up"),
    ((r"keeps? (?:on )?(?:falling|dropping|declining|sliding|going down)"
      r"|continues? (?:lower|down|downwards?|to fall|to drop|to decline|falling|dropping)"),
     "continue down"),
    ((r"keeps? (?:on )?(?:rising|climbing|advancing|going up)"
      r"|continues? (?:higher|up|upwards?|to rise|to climb|rising|climbing)"), "continue up"),
    # When
    (r"as soon as|the moment(?: that)?|the minute", "onwards_once"),
    ((r"in case(?! of)|in the event that|assuming(?: that)?|provided that|given that"
     r"|so long as|on condition that"), "if"),
    ((r"every time|each time|any ?time|at times (?:when|of)|in times (?:when|of)"
     r"|in periods (?:when|of)|(?:in|during|at) (?:a )?periods? of"), "when"),
    (r"(?:when|if|whenever|while|once) there(?: is| are|'s| was| were)", "when"),
    (r"ahead of|prior to|in advance of|leading up to|in the run-up to", "before"),
    (r"subsequent to|in the wake of", "after"),
    (_DAYS, "previous day"),
    (r"(?:prior|previous|preceding)(?= (?:session|week|swing|high|low|bar|candle|close|range))",
     "previous"),
    ((r"(?:for |on )?(?:the )?(?:rest|remainder) of (?:the|that) day"
     r"|for (?:the|that) day"), "forday"),
    ((r"(?:stop(?:s|ped)?|quit|cease|be done|finish|halt|done|pause) trading"
     r"|(?:stop|quit|be done|finish|halt)(?= forday)|call it a day"), "quit"),
    (r"due to|owing to|thanks to|on account of|because of|as a result of|in view of", "because"),
    (r"(?:lead|leads|led|leading) to|results? in|resulted in|give rise to", "cause"),
    (r"(?:going|heading|leading) into(?= (?:the |a |any |major |big |news|weekend))", "before"),
    ((r"(?:not|never) (?:hold|carry|keep)(?:ing)?(?: any| open)?(?: trades| positions)?"
      r" (?:through|into|across|over(?= (?:the )?(?:weekend|night|close|news)))"),
     "exit before"),
    (r"(?:big|high[- ]impact|important|large|key)(?= (?:news|data|economic|macro))", "major"),
    (r"news (?:events?|releases?|prints?|announcements?)", "news"),
    (r"pull(?:s|ed|ing) back", "pullback"),
    (r"(?:stay|stays|staying|keep|keeping) (?:out|away) (?:of|from) (?:the )?markets?", "avoid"),
    # What is done
    (r"go(?:es|ing)? flat|be flat|get flat|flatten(?:s|ed|ing)?(?: out)?", "exit"),
    ((r"stay(?:s|ing)? flat|sit(?:s|ting)? (?:it |this |that |them )?out|stand(?:ing)? down"
     r"|keep(?:ing)? away from|abstain(?:ing)? from|forgo(?:ing)?|shun(?:s|ned)?"), "avoid"),
    (rf"clos(?:e|es|ing) {_OWN}{_HELD}", "exit"),
    (rf"exit(?:s|ing)? {_OWN}{_HELD}", "exit"),
    ((rf"({_HELD}|longs?|shorts?) (?:should |must |need to |have to |are to )be "
     r"(?:closed|exited|cut|flattened)"), r"exit \1"),
    (r"clos(?:e|es|ing)(?= (?:longs?|shorts?|half|scalps?|winners|losers)(?!\w))", "exit"),
    ((r"(?:take|takes|taking|took) (?:half|50 ?%)(?: of)?(?: the| your)?(?: position| trade)? off"
     r"|(?:scale out|scaling out|sell|exit|exiting|bank) (?:of )?(?:half|50 ?%)(?: of)?"
     r"(?: the| your)?(?: position| trade)?"), "exit half"),
    (r"(?:stop|sl)(?: up)? to (?:breakeven|break[- ]even|entry)", "stoptobreakeven"),
    ((r"scal(?:e|es|ing) out(?: of)?|(?:(?:tak|book|bank)(?:e|es|ing|s)? )?partial profits?"
     r"(?: taking| are taken)?|(?:tak|book|bank)(?:e|es|ing|s)? partials|partial exits?"),
     "scaleout"),
    ((r"(?:set|place|put|keep)(?:s|ting|ing)?(?: the| your)? (?:stops|sl)(?!\w)"
     r"|stops? (?:should be |must be |is |are |was |were )?(?:placed|set|put|belongs?|goes)"),
     "stop"),
    (r"scal(?:e|es|ing) in(?:to)?", "scalein"),
    ((r"(?:move|moves|moving|moved|bring|brings|bringing|brought|shift|shifts|shifting|shifted|pull"
     r"|pulls) (?:the |your |its )?(?:stops?|stop[- ]?loss(?:es)?)(?: up)? to "
     r"(?:entry|breakeven|break[- ]even|the entry(?: price)?)"), "stoptobreakeven"),
    ((r"(?:get|gets|got|getting|be|been|is|are|was|were) stopped(?: out)?|stopped out"
     r"|stop(?:s)? (?:is |are |gets? |got )?(?:hit|taken out|triggered|run)(?!\w)"
     r"|tak(?:e|es|ing) out (?:the |your )?stops"), "stopout"),
    (r"random noise", "noise"),
    ((r"(?:gets?|got|getting|moves?|moved|climbs?|climbed|pops?|popped|trades?) back "
     r"(?:above|over)"), "reclaim"),
    (r"(run|go|move|travel)(?:s|ing)? (?:further|farther)", "run further"),
    ((r"gaps? (?:(?:usually|mostly|often) )?(?:get |gets |are |is |tend to )?(?:(?:usually|mostly|"
     r"often) )?(?:closed?|closes)(?!\w)"), "gap fill"),
    (r"fake-?outs?", "false break"),
    (r"(?:that |which )?lack(?:s|ing|ed)?(?: of)?", "without"),
    (r"(?:backed|supported|accompanied) by", "with"),
    (r"after(?=(?: price)? (?:reclaim|sweep|regain|break|cross|reject|retest)(?:s|es|ed)(?!\w))",
     "when"),
    (r"after(?=(?: a| the)? (?:\w+ )?(?:reclaim|sweep)(?!\w))", "when"),
    (r"(donchian|keltner) channels?", r"\1"),
    (r"lunch ?(?:time|hours?|break)", "lunch"),
    (r"with no|(?:when|if) there (?:is|are) no", "without"),
    (r"rather than|instead of|in place of|as opposed to", "insteadof"),
    (r"as well as|along with|together with", "and"),
    (r"regardless of|irrespective of|no matter", "regardless"),
    # Waiting
    (r"before (?:you )?(?:go|going|get|getting)(?: in)? (long|short)", r"before entering \1"),
    (r"before (buying|shorting|selling)", r"before entering \1"),
    (r"needs? (?:a |an |the )?([\w .]{1,60}?) before (?:entry|entering)",
     r"wait for \1 before entry"),
    (rf"only ({_ACT}(?: (?:long|short|longs|shorts|trades|it))?) (?:after|once)", r"\1 wait"),
    (r"only ((?:go|take|open|enter) (?:long|short|longs|shorts)|buy|enter|trade) (if|when)",
     r"\1 \2"),
    ((r"only ((?:trade|take|enter|go|buy|sell|short|long) (?:\w{1,20} ){0,2}?)(when|if)"),
     r"\1\2"),
    (r"(breakouts?|breaks?|entries|shorts?|longs?) out of", r"\1 from"),
    (r"(?:solely|exclusively|purely) (if|when|with)", r"only \1"),
    (r"restrict(?:s|ed)? (longs|shorts|entries|trades) to(?: times)?(?= when| if)", r"\1 only"),
    (r"(?:the )?(?:market|price)(?= (?:ranges|trends|consolidates|chops)(?!\w))", ""),
    (r"(first|second|third|fourth) tests?", r"\1 touch"),
    (r"g(?:ive|ives|iving|ave) way", "break"),
    (r"(?:in front of|ahead of)", "before"),
    # Orders
    (r"limit (?:orders?|entry|entries|buys?|sells?)", "limitorder"),
    (r"market (?:orders?|entry|entries|buys?|sells?)|at market", "marketorder"),
    (r"market[- ]makers?", "marketmaker"),
    (r"risk[- ](?:to[- ])?reward(?: ratio)?", "riskreward"),
    # Where
    (r"(support|resistance) (?:levels?|zones?|areas?)", r"\1"),
    (r"(?:lower|smaller)[- ]time ?frames?", "ltf"),
    (r"(?:higher|larger|bigger)[- ]time ?frames?", "htf"),
    ((r"(?:in|during) (?:a |an )?(?:sideways|ranging|range-?bound)(?: (?:market|price action))?s?"
     r"(?!\w)|(?:moves?|moving|goes|trades?|trading) sideways|range-bound"), "range"),
    ((r"(ranging|trending|choppy|sideways|quiet|volatile|calm|illiquid)"
     r" markets?"), r"\1"),
    ((r"(?:the )?market (?:is|was|gets|turns)"
     r"(?= (?:in (?:a |an )?(?:\w+ )?(?:range|trend|up|down)"
     r"|rang|trend|chop|side|quiet|volat|calm))"),
     ""),
    (r"(choppy|ranging|sideways|trending|quiet) price action", r"\1"),
    ((r"(?:the )?price(?= (?:is|was|gets|has been|stays|trades|moves|closes|closed|goes|remains) "
     r"(?:above|below|over|under|in|at|near|inside|outside|back|rang|chop|side|trend))"
     r"|(?:the )?price(?= (?:has |had )?(?:sweeps?|swept|reclaims?|reclaimed|regains?|regained"
     r"|pulls?|pulled|retests?|retested|breaks? (?:above|below|out|down|through))(?!\w))"), ""),
)  # fmt: skip
"""What it looks like, in lower case, and the words that it is read as: in this order."""
