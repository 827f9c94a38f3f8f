"""The things and measures that trading insights speak of, each under one name (SPEC M9).

Name → its forms: plural, short and other words for it. A word that somebody could use as the
opposite of another, or for a narrower thing, has a name of its own: `spot` and `perp`, `maker` and
`taker`, a sweep and a break. What may be meant in two ways, as `vol` and `liq`, is in no class.
"""

THINGS = {
    # Sessions and days
    "asia": "asia asian tokyo",
    "london": "london ldn",
    "newyork": "newyork ny nyc",
    "weekend": "weekend weekends wknd wknds",
    "weekday": "weekday weekdays",
    **{
        day: f"{day} {day}s {day[:3]}"
        for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    },
    "session": "session sessions",
    "lunch": "lunch",
    "news": "news headline headlines",
    # What is measured
    "volume": "volume volumes turnover",
    "volatility": "volatility",
    "liquidity": "liquidity",
    "ma": "ma mas",
    "average": "average averages mean avg",
    "ema": "ema emas",
    "rsi": "rsi",
    "adx": "adx",
    "atr": "atr natr",
    "macd": "macd",
    "vwap": "vwap",
    "funding": "funding",
    "pnl": "pnl",
    "return": "return returns",
    "oi": "oi",
    "spread": "spread spreads",
    "correlation": "correlation correlations correlated",
    "slippage": "slippage",
    "fee": "fee fees commission commissions",
    "drawdown": "drawdown drawdowns",
    "imbalance": "imbalance imbalances",
    "delta": "delta deltas",
    # What a chart shows
    "false": "false fake faked falsely",
    "band": "band bands bollinger",
    "channel": "channel channels",
    "donchian": "donchian",
    "keltner": "keltner",
    "squeeze": "squeeze squeezes squeezed compression",
    "cross": "cross crosses crossed crossing crossover crossovers",
    "trend": "trend trends trending trended",
    "range": "range ranges ranging rangebound sideways consolidation consolidations consolidate"
    " consolidates consolidating",
    "chop": "chop chops choppy choppiness whipsaw whipsaws whipsawed",
    "retest": "retest retests retested retesting",
    "pullback": "pullback pullbacks retracement retracements dip dips retrace retraces retraced"
    " retracing",
    "gap": "gap gaps",
    "wick": "wick wicks",
    "divergence": "divergence divergences diverge diverges diverging",
    "triangle": "triangle triangles",
    "flag": "flag flags",
    "wedge": "wedge wedges",
    "swing": "swing swings",
    "level": "level levels",
    "noise": "noise",
    "structure": "structure structures",
    # Orders and what is held
    "stop": "stop stops stoploss sl",
    "target": "target targets takeprofit tp tps",
    "stopout": "stopout stopouts",
    "trail": "trail trails trailed trailing",
    "breakeven": "breakeven",
    "stoptobreakeven": "stoptobreakeven",
    "leverage": "leverage leveraged",
    "risk": "risk risks risked risking",
    "riskreward": "riskreward rr",
    "liquidation": "liquidation liquidations liquidated",
    "order": "order orders",
    "size": "size sizes sized sizing",
    "account": "account accounts equity capital balance",
    "streak": "streak streaks",
    "scalp": "scalp scalps scalping scalped scalper scalpers",
    "partial": "partial partials partially",
    # Markets
    "alt": "alt alts altcoin altcoins",
    "perp": "perp perps perpetual perpetuals",
    "spot": "spot",
    "riskoff": "riskoff",
    "riskon": "riskon",
    "htf": "htf",
    "ltf": "ltf",
    "meanreversion": "meanreversion",
    "wait": "wait waits waited waiting",
}
