"""Phrases of trading insights that count as one word of `lexicon`: in this order (SPEC M9)."""

import re

PHRASES = [
    (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])"), f" {to} ")
    for pattern, to in (
        ((r"(?:maximum|max|peak|average|median|mean|total|net|annual)"
         r"(?=[- ](?:drawdown|pnl|returns?|win[- ]?rate|calmar|sharpe|profit factor))"), ""),
        (r"(?:at )?(?:the )?(?:maximum|max)(?=\s*[.,;]|$)", "orbelow"),
        (r"(?:at )?(?:the )?(?:minimum|min)(?=\s*[.,;]|$)", "orabove"),
        (r"(?:no|not) (?:less|lower|fewer) than|at least|(?:a )?minimum(?: of)?", "above"),
        (r"(?:no|not) (?:more|higher|greater) than|at most|up to|(?:a )?maximum(?: of)?", "below"),
        ((r"(?:rise|climb|move|push|go)(?:s|es)? (?:above|over|past)|rose (?:above|over)"
         r"|tops?(?= \d)|clears?(?= \d)|past(?= \d)"), "above"),
        ((r"(?:drop|fall|dip|slip|sink|move|go)(?:s|es)? (?:below|under|beneath)"
         r"|fell (?:below|under)"), "below"),
        (r"(?:over|across)(?= \d+ (?:\w+ )?trades?)", "at"),
        ((r"(?:over|above|across)(?= (?:the )?(?:weekends?|weekdays?|night|time|last|past|years?"
         r"|months?|course))"), "at"),
        (r"(?:greater|higher|more|larger|bigger) than|in excess of|north of", "above"),
        (r"(?:less|lower|fewer|smaller) than|short of|south of|shy of", "below"),
        (r"(?:or|and) (?:more|higher|above|greater|better)", "orabove"),
        (r"(?:or|and) (?:less|lower|below|fewer)", "orbelow"),
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
        (r"break(?:s|ing)? (?:out|down)|broke(?:n)? (?:out|down)|break-(?:out|down)s?", "break"),
        ((r"stay(?:s|ed|ing)? (?:out|away|aside|off)|keep out|stand aside|steer clear"
         r"|leave (?:out|alone)|pass on"), "not"),
        (r"(?:higher|larger|bigger)[- ]timeframes?", "htf"),
        (r"(?:two ?fold|twice|double[ds]?)", "2x"),
        (r"(?:three ?fold|triple[ds]?)", "3x"),
        (r"get(?:s|ting)? out|got out|cut the position|close the (?:trade|position)", "exit"),
        ((r"(?:pays?|paid|paying) off|holds? up|held up|did well|does well|do well|doing well"
         r"|makes? money|made money|making money|in the black|good results?"), "works"),
        ((r"loses? money|lost money|losing money|does badly|did badly|in the red|poor results?"
         r"|falls? apart|fell apart|breaks? down badly"), "fails"),
        ((r"(?:bounces?|bounced|bouncing) (?:off|from)|turns? (?:away|back) (?:from|at)|turned away"
         r" (?:from|at)"), "reject"),
        (r"works? out|worked out|working out", "works"),
        ((r"(?:should|must|ought to|are|is|were|was|to|best) (?:be )?(?:best )?"
         r"(?:avoided|skipped|ignored|excluded|left out)"), "notback"),
        ((r"not ((?:enter|buy|sell|short|go|take|trade|open|act)\w* [\w .-]{0,60}?)"
         r" (?:until|before)"), r"\1 wait"),
        ((r"wait(?:s|ed|ing)? (?:for|until|till)|hold(?:s|ing)? (?:off|out|back)? ?"
         r"(?:for|until|till)"
         r"|only (?:after|once)|not (?:before|until)|patience|patient"), "wait"),
        (r"win[- ]?rates?|hit[- ]?rates?|strike[- ]?rates?", "winrate"),
        (r"profit[- ]factors?", "profitfactor"),
        (r"p&l|p/l|p and l", "pnl"),
        (r"in[- ]sample", "insample"),
        (r"mean[- ]revers(?:ion|ions|ting)|mean reverts?", "meanreversion"),
        (r"pull[- ]?backs?", "pullback"),
        (r"re[- ]tests?", "retest"),
        (r"cross[- ]?overs?", "cross"),
        (r"(up|down)[- ]?trend(?:s|ing)?", r"\1 trend"),
        (r"trail(?:s|ing|ed)?[- ](?:the |a |your )?stops?|stops? trail(?:s|ing|ed)?", "trail"),
        (r"mean[- ]revert(?:s|ing|ed)?", "meanreversion"),
        (r"trend[- ]following|following the trend|follow the trend|with the trend", "trend"),
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
