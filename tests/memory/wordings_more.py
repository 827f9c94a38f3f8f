"""More trading insights in several words each (SPEC M9).

`TUNED` were looked at while the lexicon was widened; `KEPT_BACK` were written at the same time and
only measured, so that their share says what is found of wordings that nothing was made for. Each
text of an idea says the same as its others, and something else than any text of another idea.
"""

TUNED: dict[str, tuple[str, ...]] = {
    "range fade": (
        "In a sideways market, selling the top of the range works better than buying it.",
        "When the market is ranging, it is better to short range highs than to buy them.",
        "Shorting the range top beats going long there as long as price moves sideways.",
        "In consolidation, shorts at the top of the range outperform longs.",
    ),
    "sweep reclaim": (
        "Longs after a sweep of the prior day's low that is quickly reclaimed are profitable.",
        "Buying works once yesterday's low was swept and price reclaimed it quickly.",
        "A fast reclaim after sweeping the previous day's low was a winning long.",
        "If price takes out the prior day low and rapidly gets back above it, longs pay off.",
    ),
    "half at one r": (
        "Taking half off at 1R and moving the stop to breakeven improved results.",
        "It helps to close half of the position at 1 R and bring the stop to entry.",
        "Scale out 50% at 1R, then move SL to BE: that worked well.",
        "Results got better by exiting half at 1R and shifting the stop loss to break-even.",
    ),
    "low liquidity": (
        "Avoid trading when liquidity is thin.",
        "Do not trade in thin liquidity.",
        "Stay out of the market whenever liquidity is low.",
        "No trades during illiquid conditions.",
    ),
    "three losses": (
        "After three losing trades in a row, stop trading for the rest of the day.",
        "Quit for the day once 3 trades in a row have lost.",
        "Stop for the day after 3 consecutive losses.",
        "When you lose three times in succession, you should be done trading for the day.",
    ),
    "chasing": (
        "Chasing extended moves without a pullback lost money.",
        "Do not chase: entries into overextended moves with no pullback fail.",
        "Entering stretched moves late without waiting for a retracement is a loser.",
        "It was unprofitable to chase an extended move that had not pulled back.",
    ),
    "close beyond": (
        "Wait for a 1h close above resistance before going long.",
        "Only buy after the hourly candle closes above resistance.",
        "Longs need a close over resistance on the 1h before entry.",
        "Don't enter long until a 1h bar has closed above resistance.",
    ),
    "vol contraction": (
        "Breakouts after low volatility run further.",
        "Breakouts following a period of low volatility tend to go further.",
        "Breaks out of quiet markets travel farther.",
        "When volatility has been low, breakouts usually move further.",
    ),
    "htf align": (
        "Take longs only when the 4h trend is up.",
        "Only go long if the 4h is in an uptrend.",
        "Longs should be taken solely in a 4h uptrend.",
        "Restrict longs to times when the 4h trend points up.",
    ),
    "funding extreme": (
        "Extremely negative funding precedes short squeezes, so longs work.",
        "Longs work when funding is deeply negative, because a short squeeze follows.",
        "Very negative funding leads to a short squeeze: buying was profitable.",
        "After very negative funding shorts get squeezed and long entries pay.",
    ),
    "news": (
        "Flatten positions before major news.",
        "Close all positions ahead of high-impact news.",
        "Be flat going into big news events.",
        "Don't hold positions through major news releases.",
    ),
    "size by vol": (
        "Cut position size in half when volatility is high.",
        "Halve the size in high volatility.",
        "Trade half size whenever volatility is elevated.",
        "Use 50 % of the normal size if vol is high.",
    ),
    "stop too tight": (
        "Stops tighter than 1 ATR get hit by noise.",
        "A stop of less than 1 ATR is stopped out by noise.",
        "Noise takes out stops placed closer than 1 ATR.",
        "With a stop below 1 ATR you get stopped out by random noise.",
    ),
    "london breakout": (
        "The London open breakout of the Asian range is profitable.",
        "Trading the break of the Asia range at the London open works.",
        "Asian range breakouts at LDN open made money.",
        "It pays to trade breakouts of the Asia session's range when London opens.",
    ),
    "gap fill": (
        "Weekend gaps usually get filled by Monday.",
        "Gaps from the weekend tend to fill on Monday.",
        "Most weekend gaps close on Monday.",
        "The weekend gap is mostly filled by Monday.",
    ),
    "divergence": (
        "RSI divergence alone is not a reason to enter.",
        "Do not enter on RSI divergence by itself.",
        "RSI divergences are not enough for an entry on their own.",
        "Never take a trade purely because of RSI divergence.",
    ),
    "volume dry": (
        "Pullbacks on declining volume resolve in the direction of the trend.",
        "When volume drops on a pullback, the trend usually resumes.",
        "Low volume pullbacks lead to trend continuation.",
        "A retracement with falling volume tends to continue the trend.",
    ),
    "btc leads": (
        "Don't long alts while BTC is falling.",
        "Avoid altcoin longs when Bitcoin drops.",
        "Skip long alt trades whenever BTC is going down.",
        "Buying alts is a bad idea as long as bitcoin declines.",
    ),
    "time exit": (
        "Close trades that have not moved after 10 bars.",
        "Exit a position if it has gone nowhere after 10 candles.",
        "If there is no progress within 10 bars, get out.",
        "Trades without movement for 10 bars should be exited.",
    ),
    "oversold bounce": (
        "Oversold RSI bounces fail in strong downtrends.",
        "In a strong downtrend, buying oversold RSI does not work.",
        "Buying an oversold RSI loses money when the downtrend is strong.",
        "Oversold RSI longs are losers during strong down trends.",
    ),
    "vwap reclaim": (
        "Longs on 15m work after price reclaims VWAP with volume above 1.5x average.",
        "On 15m, buying a VWAP reclaim pays when volume is over 1.5 times its average.",
        "Once price regains VWAP on volume over 1.5x the mean, going long on 15m is profitable.",
        "A reclaim of VWAP backed by more than 1.5x average volume is a good long on 15m.",
    ),
    "donchian stop": (
        "Donchian breakouts on 4h do better with a stop of 2 ATR than with 1 ATR.",
        "On 4h, a 2 ATR stop beats a 1 ATR stop for Donchian channel breakouts.",
        "For 4h Donchian breaks, stops at 2 ATR outperform stops at 1 ATR.",
        "A stop 2 ATR away works better than one at 1 ATR on 4h Donchian breakouts.",
    ),
    "lunch": (
        "Avoid scalping during the New York lunch hour.",
        "Don't scalp in NY lunch hours.",
        "Scalps fail during the NY lunch hour.",
        "Scalping at New York lunchtime loses money.",
    ),
    "max hold": (
        "Mean reversion trades should be closed after at most 20 bars.",
        "Hold mean reversion positions for no more than 20 bars.",
        "Close mean-reversion trades within 20 candles.",
        "Don't keep a mean reversion trade longer than 20 bars.",
    ),
    "oi drop": (
        "Falling open interest during a rally signals a weak move.",
        "A rally on declining open interest is weak.",
        "When OI drops while price rallies, the move is weak.",
        "Rallies with decreasing OI are weak.",
    ),
    "leverage cap": (
        "Never use more than 5x leverage on altcoins.",
        "Keep leverage on alts at 5x or lower.",
        "Leverage on altcoins should not exceed 5x.",
        "Cap leverage at 5x for alts.",
    ),
    "ema slope": (
        "Shorts below the 200 EMA are profitable on 1h when ADX is above 25.",
        "On 1h, shorting under the EMA 200 pays if ADX exceeds 25.",
        "With ADX over 25, short entries beneath the 200 EMA make money on the hourly chart.",
        "Selling below EMA200 on 1h worked as long as the ADX was higher than 25.",
    ),
    "squeeze volume": (
        "Squeeze breakouts without rising volume fail on 1h.",
        "On 1h, breakouts from a squeeze fail unless volume rises.",
        "A 1h squeeze breakout fails when volume does not increase.",
        "Without an increase in volume, 1h squeeze breakouts lose.",
    ),
    "monday": (
        "Mondays are bad for breakout longs.",
        "Long breakouts lose on Mondays.",
        "Buying breakouts on Monday is a losing strategy.",
        "On Mondays, breakout longs do not pay.",
    ),
    "funding flip": (
        "Shorting works when funding turns positive above 0.05 %.",
        "Shorts pay once funding goes over 0.05 %.",
        "Going short with funding above 0.05% was profitable.",
        "When funding is higher than 0.05 %, short entries win.",
    ),
    "partial": (
        "Taking partial profits at 2 R reduces drawdown.",
        "Partial profit taking at 2R lowers the drawdown.",
        "Drawdowns shrink when partial profits are taken at 2 R.",
        "Scaling out at 2 R cuts drawdown.",
    ),
    "confirmation candle": (
        "Waiting for a confirmation candle after the breakout avoids fakeouts.",
        "Wait for a confirming close after a break to avoid false breakouts.",
        "False breakouts are avoided by waiting for a confirmation bar following the breakout.",
        "A confirmation candle after the breakout helps avoid fake breakouts.",
    ),
    "rsi range": (
        "Buying RSI below 30 only works in ranges with ADX under 20.",
        "RSI under 30 is a long only in a range where ADX is below 20.",
        "In ranging markets with ADX less than 20, buying an RSI below 30 pays.",
        "Longs at RSI < 30 are profitable in a range, provided ADX < 20.",
    ),
    "trend pullback stop": (
        "Place the stop below the pullback low in trend trades.",
        "In trend trades, put the stop under the low of the pullback.",
        "Stops belong beneath the pullback's low when trading a trend.",
        "For trend following, set stops below the pullback low.",
    ),
    "overtrading": (
        "Limit yourself to 3 trades per day.",
        "Take no more than 3 trades a day.",
        "At most three trades each day.",
        "Do not take more than 3 trades daily.",
    ),
    "slow market": (
        "Momentum entries fail when the market is quiet.",
        "In quiet markets, momentum trades do not work.",
        "Momentum doesn't work during quiet conditions.",
        "Momentum setups lose money in a calm market.",
    ),
}

KEPT_BACK: dict[str, tuple[str, ...]] = {
    "limit entries": (
        "Limit orders at the retest get better fills than market orders on the breakout.",
        "Using limits on the retest gives a better fill than market entries at the break.",
        "Fills are better with a limit order on the retest than a market order on the breakout.",
        "A limit at the retest fills better than buying the breakout at market.",
    ),
    "first pullback": (
        "The first pullback after a breakout is the best entry.",
        "The best entry is the first dip following a breakout.",
        "Enter on the first retracement after the break; that works best.",
        "After a breakout, the first pullback offers the best entry.",
    ),
    "ema support": (
        "Longs at the 50 EMA work in an uptrend.",
        "In uptrends, buying at the 50 EMA is profitable.",
        "Buying the EMA 50 makes money when the market is in an uptrend.",
        "During an uptrend long entries at EMA50 pay.",
    ),
    "trail runner": (
        "Trailing the stop behind swing lows kept winners running.",
        "Let winners run by trailing the stop below swing lows.",
        "A stop trailed under the swing lows lets winning trades run.",
        "Winners run longer if the stop is trailed beneath swing lows.",
    ),
    "weekend chop": (
        "Weekends are choppy, so breakouts fail.",
        "Breakouts fail on weekends because price is choppy.",
        "Weekend breakouts don't work due to chop.",
        "Because of choppy price action at the weekend, breakouts lose.",
    ),
    "volume first": (
        "Skip breakouts that lack volume.",
        "Avoid breakouts without volume.",
        "Do not take a breakout if there is no volume behind it.",
        "Breakouts with no volume should be skipped.",
    ),
    "short fast": (
        "Shorts must be closed faster than longs.",
        "Take profits on shorts quicker than on longs.",
        "Exit short positions sooner than long positions.",
        "Short trades should be exited faster than long ones.",
    ),
    "ny reversal": (
        "The New York open often reverses the London move.",
        "NY open tends to reverse London's move.",
        "London moves frequently reverse at the New York open.",
        "Moves made in London are often reversed when NY opens.",
    ),
    "risk small": (
        "Never risk more than 1 % of equity per trade.",
        "Risk at most 1% of the account on each trade.",
        "Keep the risk of every trade to no more than 1 % of equity.",
        "Per trade, don't risk over 1 % of your capital.",
    ),
    "adx chop": (
        "Skip trend trades when ADX is below 20.",
        "No trend following with ADX under 20.",
        "Avoid trading the trend if ADX is less than 20.",
        "Trend entries should be avoided while ADX sits beneath 20.",
    ),
}
