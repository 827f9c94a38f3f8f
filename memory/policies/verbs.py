"""What is done in trading insights, and how, each under one name (SPEC M9).

Name → its forms: tense, number, agent, and other words for it. Where one says more than the other
(`touch` and `break`, `fall` and `plunge`), or could stand for its opposite, each has its own name.
"""

DOINGS = {
    "confirm": "confirm confirms confirmed confirming confirmation confirmations validate validates"
    " validated validation",
    "spike": "spike spikes spiked spiking surge surges surged surging burst bursts jump jumps",
    "price": "price prices",
    "then": "then afterward",
    "momentum": "momentum impulse",
    "hold": "hold holds held holding",
    "reach": "reach reaches reached reaching hit hits hitting",
    "filter": "filter filters filtered filtering",
    # What price does at a level
    "reclaim": "reclaim reclaims reclaimed reclaiming regain regains regained regaining retake"
    " retakes retook retaken",
    "sweep": "sweep sweeps swept sweeping",
    "touch": "touch touches touched touching tag tags tagged tagging",
    "fill": "fill fills filled filling",
    "bounce": "bounce bounces bounced bouncing rebound rebounds rebounded rebounding",
    "stall": "stall stalls stalled stalling",
    "extended": "extended overextended stretched overstretched",
    "further": "further farther",
    # What a trader does
    "chase": "chase chases chased chasing",
    "add": "add adds added adding",
    "reduce": "reduce reduces reduced reducing reduction trim trims trimmed trimming",
    "raise": "raise raises raised raising",
    "keep": "keep keeps kept keeping maintain maintains maintained maintaining",
    "remove": "remove removes removed removing",
    "move": "move moves moved moving shift shifts shifted shifting",
    "quit": "quit quits quitting cease ceases",
    "ignore": "ignore ignores ignored ignoring",
    "prefer": "prefer prefers preferred preferring favor favors favored favoring favour favours"
    " favoured favouring",
    "require": "require requires required requiring",
    "allow": "allow allows allowed allowing permit permits permitted permitting",
    "limit": "limit limits limited limiting restrict restricts restricted restricting",
    "attempt": "attempt attempts attempted try tries tried",
    "show": "show shows showed shown showing display displays displayed indicate indicates"
    " indicated indicating",
    "cause": "cause causes caused causing trigger triggers triggered triggering",
    "outperform": "outperform outperforms outperformed outperforming beat beats beating",
    "underperform": "underperform underperforms underperformed underperforming",
    "run": "run runs ran running",
    "align": "align aligns aligned aligning alignment agree agrees agreed agreement",
    # When, how often and how much
    "until": "until till til",
    "because": "because",
    "only": "only solely exclusively purely merely",
    "per": "per each every",
    "very": "very extremely highly deeply hugely extreme",
    "consecutive": "consecutive successive consecutively",
    "immediately": "immediately instantly",
    "enough": "enough sufficient sufficiently",
    "previous": "previous preceding",
    "half": "half halves",
    "major": "major",
    "clear": "clear clearly",
    "gradually": "gradually",
    "random": "random randomly",
    "same": "same identical",
    "different": "different differently",
}
