"""Phrases of trading insights that count as one word of `lexicon`: in this order (SPEC M9)."""

import re

from memory.policies.expressions import EXPRESSIONS
from memory.policies.senses import SENSES

PHRASES = [
    (re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w-])"), f" {to} ")
    for pattern, to in (
        *SENSES,
        *EXPRESSIONS,
        (r"(ema|sma|rsi|adx|atr|ma)(\d+)", r"\1 \2"),
        (r"(?<!ema )(?<!sma )(?<!ma )(\d+)[- ](?:period )?(ema|sma|ma)(?! \d)", r"\2 \1"),
        (r"(?:at )?(?:the )?(?:maximum|max)(?=\s*[.,;]|$)", "oratmost"),
        (r"(?:at )?(?:the )?(?:minimum|min)(?=\s*[.,;]|$)", "oratleast"),
        (r"(?:no|not) (?:less|lower|fewer) than|at least|(?:a )?minimum(?: of)?", "atleast"),
        (r"(?:no|not) (?:more|higher|greater|longer) than|at most|up to|(?:a )?maximum(?: of)?",
         "atmost"),
        ((r"(?:rise|climb|move|push|go)(?:s|es)? (?:above|over|past)|rose (?:above|over)"
         r"|tops?(?= \d)|clears?(?= \d)|past(?= \d)"), "above"),
        ((r"(?:drop|fall|dip|slip|sink|move|go)(?:s|es)? (?:below|under|beneath)"
         r"|fell (?:below|under)"), "below"),
        (r"(?:over|across)(?= the (?:weekends?|night)(?!\w))", "at"),
        (r"(?:greater|higher|more|larger|bigger) than|in excess of|north of", "above"),
        (r"(?:less|lower|fewer|smaller) than|short of|south of|shy of", "below"),
        (r"(?<=[\w%] )(?:or|and) (?:more|higher|above|greater|better)(?=\s*[.,;]|$)", "oratleast"),
        (r"(?<=[\w%] )(?:or|and) (?:less|lower|below|fewer)(?=\s*[.,;]|$)", "oratmost"),
        (r"relative[- ]strength[- ]index", "rsi"),
        (r"average[- ]directional[- ](?:movement[- ])?index|trend[- ]strength index", "adx"),
        (r"average[- ]true[- ]range", "atr"),
        (r"exponential moving[- ]averages?", "ema"),
        (r"(?:simple )?moving[- ]averages?|sma", "ma"),
        (r"open[- ]interest", "oi"),
        (r"new[- ]york", "newyork"),
        (r"(?:the )?us session", "newyork"),
        (r"stop[- ]?loss(?:es)?", "stop"),
        (r"take[- ]?profits?|profit[- ]targets?", "target"),
        (r"break[- ]?even", "breakeven"),
        (r"break(?:s|ing)? out|broke(?:n)? out|break-outs?", "break"),
        (r"break(?:s|ing)? down|broke(?:n)? down|break-?downs?", "breakdown"),
        (r"once(?=\W*$|\s*[.,;]| (?:per|an?|every|each|perday)(?!\w))", "onetime"),
        (r"price(?= (?:is |gets )?reject| (?:is in a )?rang)", ""),
        (r"rejects the price", "rejects"),
        (r"risk is right", "risk"),
        (r"as long as", "while"),
        (r"(?:set|place|put)s?(?: the)?\s+stop(?:[- ]?loss)?(?: to| at)?", "stop"),
        (r"is what|that way|are the way to go|be patient:|are common", ""),
        (r"needs? in order to|produces?(?= false)|expect(?= (?:false|fake))|gave(?= winning)", ""),
        (r"trades? off(?= macd)|gets?(?= confirmation)", ""),
        (r"near(?= (?:resistance|support))|that touch(?= the)", "at"),
        (r"worth (buying|shorting|selling)", r"\1"),
        (r"fading touches of the upper", "short upper"),
        (r"points? (up|down)", r"\1"),
        (r"(\d[\d.]*)[- ](?:standard )?(?:deviations?|sigmas?)", r"\1 sd"),
        (r"(rsi|adx|an rsi) (?:values?|readings?)", r"\1"),
        ((r"(?:runs?|sits?|stays?|gets?)"
          r"(?=\s+(?:above|below|over|under|higher|lower|at \d|rejected))"), ""),
        (r"(longs?|shorts?) (?:are )?(?:opened|taken)", r"\1"),
        (r"after(?: an?| the)?(?=\s+(?:reject|ema \d+ cross))", "when"),
        (r"atr (?:away|behind)", "atr"),
        (r"letting the stop trail", "trail"),
        (r"(?:once|starting at) (\d[\d.]* r)(?: is reached)?", r"from \1"),
        (r"(\d[\d.]* r) on", r"\1"),
        (r"from(?=\s+[+-]?[\d.])", "fromnumber"),
        (r"on the (long|short) side", r"\1"),
        (r"finds support", "holds"),
        (r"until the (?:close|candle|bar) (?:confirms|has closed|is closed)", "until the close"),
        (r"(?:per|each|on every) trade|(?<=[\d ]% )a trade", "pertrade"),
        (r"keep(?: the)? risk at", "risk"),
        (r"cuts? (scalps?|losers?|losses)", r"exit \1"),
        (r"leaves? ([a-z]{1,20}) (?:alone|out)", r"not \1"),
        (r"(?:within |during |in )?the (?:first )?(\d+ \w+)(?= (?:after|following))",
         r"firstspan \1"),
        (r"(ranging|trending) (\d+\w )?markets?", r"\1 \2"),
        (r"(asian?|tokyo|london|newyork|ny) (?:session|hours|window|open hours)s?(?:'s)?", r"\1"),
        ((r"stay(?:s|ed|ing)? (?:out|away|aside|off)|keep out|stand aside|steer clear"
         r"|leave (?:out|alone)|pass on"), "not"),
        (r"(?:higher|larger|bigger)[- ]timeframes?", "htf"),
        (r"(?:two ?fold|twice|double[ds]?)", "2x"),
        (r"(?:three ?fold|triple[ds]?)", "3x"),
        ((r"get(?:s|ting)? out|got out|cut the position(?! (?:to|by|in)(?!\w))"
          r"|close the (?:trade|position)"), "exit"),
        ((r"(?:pays?|paid|paying) off|did well|does well|do well|doing well"
         r"|makes? money|made money|making money|in the black|good results?"), "works"),
        (r"loses? money|lost money|losing money|does badly|did badly|in the red|poor results?",
         "fails"),
        ((r"(?:bounces?|bounced|bouncing) (?:off|from)|turns? (?:away|back) (?:from|at)|turned away"
         r" (?:from|at)"), "reject"),
        (r"works? out|worked out|working out", "works"),
        ((r"(?:should|must|ought to|are|is|were|was|to|best) (?:be )?(?:best )?"
         r"(?:avoided|skipped|excluded|left out)"), "notback"),
        ((r"not ((?:enter|buy|sell|short|go|take|trade|open|act)\w* [\w .-]{0,60}?)"
         r" (?:until|before)"), r"\1 wait"),
        ((r"wait(?:s|ed|ing)? (?:for|until|till)|hold(?:s|ing)? (?:off|back)\s*"
         r"(?:for|until|till)"
         r"|only (?:after|once)|not (?:before|until)|patience|patient"), "wait"),
        (r"win[- ]?rates?|hit[- ]?rates?|strike[- ]?rates?", "winrate"),
        (r"profit[- ]factors?", "profitfactor"),
        (r"p&l|p/l|p and l", "pnl"),
        (r"in[- ]sample", "insample"),
        (r"mean[- ]revers(?:ion|ions|ting)|mean reverts?", "meanreversion"),
        (r"pull[- ]?backs?", "pullback"),
        (r"re[- ]tests?", "retest"),
        (r"cross-?overs?|cross overs", "cross"),
        (r"(up|down)[- ]?trend(?:s|ing)?", r"\1 trend"),
        (r"trail(?:s|ing|ed)?[- ](?:the |a |your )?stops?|stops? trail(?:s|ing|ed)?", "trail"),
        (r"mean[- ]revert(?:s|ing|ed)?", "meanreversion"),
        ((r"trend[- ]following|following the trend|follow the trend"
          r"|(?:with|along) the trends?"), "trend"),
        (r"bollinger[- ]bands?", "band"),
        (r"risk[- ]off", "riskoff"),
        (r"risk[- ]on", "riskon"),
        (r"(?:should |must |to |is |are )be closed|closed? out", "exit"),
        (r"grow(?:s|ing|n)?|grew", "up"),
        (r"hourly", "1h"),
        (r"daily", "1d"),
        (r"weekly", "1w"),
    )
]  # fmt: skip
"""What a phrase looks like, in lower case, and the word that it is read as."""
