"""Held-out wordings of trading insights: what should merge, and what never may.

Written without a look at how likeness is judged or at the texts it was tuned on. It only
measures: tune anything on it, and it says nothing any more.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Idea:
    """One insight in three wordings, and two texts that say something else.

    `near` is `first` with one fact turned. `far` turns another one and is worded unlike `second`.
    """

    name: str
    first: str
    second: str
    third: str
    near: str
    far: str

    @property
    def wordings(self) -> tuple[str, str, str]:
        return self.first, self.second, self.third


@dataclass(frozen=True)
class Opposite:
    """Two texts that differ in one fact and must stay apart."""

    idea: str
    text: str
    other: str
    reworded: bool


PARAPHRASES: tuple[Idea, ...] = (
    Idea(
        "opening range break",
        "Buying a break of the first 30-minute high on ETH made money before noon.",
        "Before noon, longs taken when ETH broke its first 30-minute high were profitable.",
        "ETH: going long as the high of the first 30 minutes gives way earned money before noon.",
        "Buying a break of the first 30-minute high on ETH made money after noon.",
        "It was profitable before noon to buy ETH when it broke its last 30-minute high.",
    ),
    Idea(
        "lower band reversion",
        "Buying SOL after a 1h close below the lower Bollinger band works in quiet markets.",
        "In calm markets, buying SOL on the 1h after a close under the lower Bollinger band works.",
        "A 1h close beneath the lower Bollinger band is a good SOL buy while the market is quiet.",
        "Buying SOL after a 1h close below the lower Bollinger band works in wild markets.",
        "SOL is a good 4h buy after a close under the lower Bollinger band if markets are calm.",
    ),
    Idea(
        "pullback or new high",
        "In an uptrend, buying pullbacks to the 20 EMA beats chasing new highs.",
        "Chasing new highs does worse than buying dips to the 20 EMA when the trend is up.",
        "Uptrends: long entries on a retracement to the 20 EMA outperform entries at fresh highs.",
        "In an uptrend, chasing new highs beats buying pullbacks to the 20 EMA.",
        "When the trend is up, dips to the 50 EMA make better buys than fresh highs.",
    ),
    Idea(
        "scalps and fees",
        "Scalping DOGE on 1m loses after fees although the raw edge is positive.",
        "The gross edge of 1m DOGE scalps is positive, but fees turn it into a loss.",
        "Before fees the 1m DOGE scalps are profitable; net of fees they lose.",
        "Scalping DOGE on 5m loses after fees although the raw edge is positive.",
        "Even with fees deducted, 1m DOGE scalping earns; its gross edge is positive.",
    ),
    Idea(
        "three days up",
        "After three green days in a row BTC tends to keep rising on the fourth.",
        "BTC usually goes on climbing on day four once three up days have come in a row.",
        "Three consecutive green daily candles in BTC mostly lead to a further rise the next day.",
        "After three green days in a row ETH tends to keep rising on the fourth.",
        "Once three up days have come in a row, BTC mostly gives some back on day four.",
    ),
    Idea(
        "high funding",
        "Shorting BTC when funding is above 0.05 % pays off within eight hours.",
        "BTC shorts opened with funding over 0.05% are profitable inside 8 hours.",
        "If the funding rate exceeds 0.05 %, selling BTC short makes money within 8h.",
        "Shorting BTC when funding is below 0.05 % pays off within eight hours.",
        "With funding over 0.05 %, selling BTC short makes money within eight days.",
    ),
    Idea(
        "liquidation cascade",
        "Cascades of long liquidations on ETH mark the low; buying right after them worked.",
        "Buying ETH just after a cascade of long liquidations worked, since the low was in.",
        "It worked to buy ETH straight after longs got liquidated en masse: that was the bottom.",
        "Cascades of long liquidations on ETH mark the low; buying right before them worked.",
        "It worked to buy ETH straight after shorts got liquidated en masse: the low was in.",
    ),
    Idea(
        "book imbalance",
        "Bid-heavy books on SOL predict the next minute's move; ask-heavy ones don't.",
        "A SOL book heavy on the bid foretells the next minute, one heavy on the ask does not.",
        "The next minute in SOL can be predicted from a bid-heavy book but not an ask-heavy one.",
        "Ask-heavy books on SOL predict the next minute's move; bid-heavy ones don't.",
        "The next hour of SOL can be predicted from a bid-heavy book but not an ask-heavy one.",
    ),
    Idea(
        "London or New York",
        "The London open gives cleaner breakouts in EURUSD than the New York open.",
        "EURUSD breakouts are cleaner at the London open than at the New York one.",
        "Compared with New York's, London's opening brings tidier EURUSD breakouts.",
        "The London open gives cleaner breakouts in EURUSD than the Tokyo open.",
        "Compared with New York's, London's opening brings messier EURUSD breakouts.",
    ),
    Idea(
        "weekend liquidity",
        "Weekend breakouts in BTC fail more often than weekday ones because liquidity is thin.",
        "Thin liquidity makes BTC breakouts fail more often at weekends than on weekdays.",
        "At weekends liquidity is low, so BTC breakouts fail more frequently than in the week.",
        "Weekend breakouts in BTC fail less often than weekday ones because liquidity is thin.",
        "Liquidity is low because BTC breakouts fail more often at weekends than in the week.",
    ),
    Idea(
        "low volatility",
        "Trend signals on the 4h should be skipped when ATR is in its lowest quartile.",
        "Skip 4h trend signals while ATR sits in the bottom quartile.",
        "With the ATR in its lowest quarter, no trend signal on the 4h should be taken.",
        "Trend signals on the 4h should be skipped when ATR is in its highest quartile.",
        "With the ATR in its lowest quarter, every trend signal on the 4h should be taken.",
    ),
    Idea(
        "trailing exit",
        "A trailing stop of 2 ATR kept more of the profit than a fixed target of 3R.",
        "More of the gain was kept by trailing the stop 2 ATR behind than by a fixed 3R target.",
        "Trailing the stop by 2 ATR retained more profit than getting out at a fixed 3R.",
        "A trailing stop of 2 ATR kept less of the profit than a fixed target of 3R.",
        "A stop trailed 1 ATR behind retained more profit than getting out at a fixed 3R.",
    ),
    Idea(
        "size after losses",
        "Halving the position after two losses in a row cut drawdown without hurting returns.",
        "Drawdown shrank and returns didn't suffer when size was halved after two straight losses.",
        "Going to half size after two consecutive losers lowered drawdown at no cost in return.",
        "Doubling the position after two losses in a row cut drawdown without hurting returns.",
        "Going to half size after two consecutive winners lowered drawdown at no cost in return.",
    ),
    Idea(
        "leader and follower",
        "When BTC drops, SOL follows about ten minutes later.",
        "SOL falls some ten minutes after a BTC drop.",
        "A decline in BTC is followed by one in SOL with a lag of roughly 10 minutes.",
        "When SOL drops, BTC follows about ten minutes later.",
        "A jump in BTC is followed by one in SOL with a lag of roughly 10 minutes.",
    ),
    Idea(
        "inflation figures",
        "Don't hold positions through CPI releases; spreads widen and stops slip.",
        "Be flat when CPI comes out, as stops slip and spreads get wider.",
        "No position should be kept over a CPI print because of wider spreads and slipping stops.",
        "Don't hold positions through FOMC releases; spreads widen and stops slip.",
        "No position should be kept over a CPI print given narrower spreads and slipping stops.",
    ),
    Idea(
        "range day",
        "On range days, fading both ends of the value area beats breakout trading.",
        "Breakout trading does worse than fading either end of the value area on range days.",
        "If it's a range day, fades at the value area's two edges are better than breakout trades.",
        "On trend days, fading both ends of the value area beats breakout trading.",
        "If it's a range day, breakout trades are better than fades at the value area's two edges.",
    ),
    Idea(
        "gap fill",
        "Gaps up of less than 1 % fill the same day in most cases.",
        "Most upward gaps smaller than 1 % are closed on the day they occur.",
        "A gap up under 1% usually gets filled before the day is over.",
        "Gaps down of less than 1 % fill the same day in most cases.",
        "A gap up under 1% usually stays open until the day is over.",
    ),
    Idea(
        "expiry pin",
        "In the hour before options expiry BTC gets pinned to the biggest strike.",
        "BTC sticks to the largest strike during the hour ahead of option expiration.",
        "The hour leading up to options expiry sees BTC pinned at the biggest strike.",
        "In the hour after options expiry BTC gets pinned to the biggest strike.",
        "The hour leading up to options expiry sees BTC driven away from the biggest strike.",
    ),
    Idea(
        "swing low stop",
        "Stops just below the swing low get hunted; one ATR lower they survive.",
        "Placed right under the swing low, stops get hunted, but an ATR further down they survive.",
        "A stop right beneath the swing low is run, while one placed 1 ATR lower makes it through.",
        "Stops just below the swing low get hunted; half an ATR lower they survive.",
        "A stop right beneath the swing low makes it through, while one placed 1 ATR lower is run.",
    ),
    Idea(
        "adding to winners",
        "Adding to winners at each new high raised the return but doubled the drawdown.",
        "Return went up and drawdown doubled when winners were added to on every new high.",
        "Pyramiding into winners at each fresh high brought more return at twice the drawdown.",
        "Adding to winners at each pullback raised the return but doubled the drawdown.",
        "Pyramiding into winners at each fresh high brought more return at half the drawdown.",
    ),
    Idea(
        "daily trend filter",
        "Taking 15m longs only when the daily trend is up improved the win rate.",
        "The win rate rose when 15m longs were restricted to daily uptrends.",
        "Limiting 15m long entries to times of a rising daily trend gave a better hit rate.",
        "Taking 15m longs only when the daily trend is down improved the win rate.",
        "Limiting 15m long entries to times of a rising weekly trend gave a better hit rate.",
    ),
    Idea(
        "divergence in a trend",
        "Bearish RSI divergence on the 4h was useless as a short signal in strong uptrends.",
        "In a strong uptrend, shorting on 4h bearish RSI divergence did not work.",
        "Short signals from bearish 4h RSI divergences were no good while the uptrend was strong.",
        "Bearish RSI divergence on the 4h was useless as a short signal in weak uptrends.",
        "Short signals from bearish 4h RSI divergences were helpful while the uptrend was strong.",
    ),
    Idea(
        "late crossover",
        "The 50/200 crossover on daily ETH enters too late and gives back half of the move.",
        "On the ETH daily the 50/200 cross fires too late, and half the move is given back.",
        "Daily ETH 50/200 crosses come in too late and surrender 50 % of the move.",
        "The 50/200 crossover on daily ETH enters too early and gives back half of the move.",
        "Daily ETH 20/200 crosses come in too late and surrender half of the move.",
    ),
    Idea(
        "limit orders",
        "Limit orders at the bid saved 4 bps per trade over market orders without missing fills.",
        "Limits at the bid, not market orders, saved 4 bps on each trade; no fill was missed.",
        "No fill was missed, and limits at the bid were 4 bps a trade cheaper than market orders.",
        "Limit orders at the bid saved 4 bps per trade over market orders despite missing fills.",
        "No fill was missed, but limits at the bid were 4 bps a trade dearer than market orders.",
    ),
    Idea(
        "grid bot hours",
        "Between 02:00 and 05:00 UTC the grid bot earns steadily; outside those hours it bleeds.",
        "The grid bot makes steady money from 02:00 to 05:00 UTC and bleeds at all other times.",
        "Outside 02:00-05:00 UTC the grid bot bleeds; within that window it earns steadily.",
        "Between 02:00 and 08:00 UTC the grid bot earns steadily; outside those hours it bleeds.",
        "Outside 02:00-05:00 UTC the grid bot earns steadily; within that window it bleeds.",
    ),
    Idea(
        "averaging down",
        "Averaging down on altcoins wiped out a month of gains in one crash.",
        "One crash erased a month's profits because altcoin losers were averaged down.",
        "A month of gains was lost in a single crash by averaging down on alts.",
        "Averaging up on altcoins wiped out a month of gains in one crash.",
        "A year of gains was lost in a single crash by averaging down on alts.",
    ),
    Idea(
        "second retest",
        "Buying the second retest of support has a better hit rate than buying the first.",
        "The hit rate is higher for buys at the second retest of support than at the first.",
        "Longs at support win more often on its second retest than on the first one.",
        "Buying the second retest of resistance has a better hit rate than buying the first.",
        "Longs at support win more often on its first retest than on the second one.",
    ),
    Idea(
        "failed breakdown",
        "A failed breakdown below yesterday's low is the best long in ES futures.",
        "The best long in ES futures comes from a break below yesterday's low that fails.",
        "In ES futures no long setup beats a failed break of the previous day's low.",
        "A failed breakdown below yesterday's low is the best long in ES futures if VIX is low.",
        "In ES futures no long setup is worse than a failed break of the previous day's low.",
    ),
    Idea(
        "half off",
        "Taking half off at 1R smooths the equity curve but lowers the total return.",
        "The equity curve gets smoother, yet total return falls, when half is closed at 1R.",
        "Closing 50 % of the position at 1R means a smoother equity curve and less overall return.",
        "Taking half off at 2R smooths the equity curve but lowers the total return.",
        "Closing half of the position at 1R means a rougher equity curve and less overall return.",
    ),
    Idea(
        "rips in a bear market",
        "Selling rips into the 200 SMA worked all through ADA's bear market.",
        "All through the ADA bear market, shorting rallies up to the 200 SMA paid.",
        "Short entries on bounces to the 200 SMA were winners throughout ADA's bear market.",
        "Buying dips into the 200 SMA worked all through ADA's bear market.",
        "Short entries on bounces to the 200 SMA were losers throughout ADA's bear market.",
    ),
    Idea(
        "squeeze",
        "Rising price with falling open interest is a short squeeze and fades within a day.",
        "If open interest falls while price rises, it is a short squeeze that dies within a day.",
        "A rally on shrinking open interest is a squeeze of shorts and is gone inside 24 hours.",
        "Rising price with rising open interest is a short squeeze and fades within a day.",
        "A rally on shrinking open interest is a squeeze of shorts and goes on beyond 24 hours.",
    ),
    Idea(
        "below VWAP",
        "Shorts below VWAP lose in the first hour and win after lunch.",
        "Shorting under the VWAP costs money in the first hour but makes money after lunch.",
        "After lunch it is profitable to short beneath VWAP, in the first hour it loses.",
        "Shorts above VWAP lose in the first hour and win after lunch.",
        "In the first hour it is profitable to short beneath VWAP, after lunch it loses.",
    ),
    Idea(
        "more leverage",
        "Going from 3x to 5x leverage added no return but brought a margin call.",
        "Leverage of 5x instead of 3x led to a margin call and no extra return.",
        "We got a margin call and not one bit more return by raising leverage from 3x to 5x.",
        "Going from 3x to 10x leverage added no return but brought a margin call.",
        "We got no margin call and not one bit more return by raising leverage from 3x to 5x.",
    ),
    Idea(
        "out of sample",
        "The parameters tuned on 2021 data broke down out of sample in 2022.",
        "Out of sample, in 2022, the parameters optimised on 2021 fell apart.",
        "Parameters fitted to 2021 did not hold up on unseen 2022 data.",
        "The parameters tuned on 2021 data broke down out of sample in 2023.",
        "Parameters fitted to 2021 held up well on unseen 2022 data.",
    ),
    Idea(
        "spread reversion",
        "The ETH/BTC spread reverts within two days once stretched past 2 standard deviations.",
        "Stretched beyond 2 sigma, the ETH/BTC spread comes back within 48 hours.",
        "Once over two standard deviations, the ETH/BTC spread needs at most 2 days to revert.",
        "The SOL/BTC spread reverts within two days once stretched past 2 standard deviations.",
        "Once over two standard deviations, the ETH/BTC spread goes on widening for 2 days.",
    ),
    Idea(
        "time stop",
        "Trades not in profit after 12 bars should be closed; they rarely recover.",
        "Close any trade that shows no profit after 12 bars, as it seldom comes back.",
        "Few trades recover if they aren't in profit after 12 bars, so get out of them then.",
        "Trades not in profit after 20 bars should be closed; they rarely recover.",
        "Few trades recover if they aren't in profit after 12 hours, so get out of them then.",
    ),
    Idea(
        "tight stops",
        "Tighter stops hurt the trend system: it gets shaken out before the move.",
        "With tighter stops the trend system does worse, being shaken out ahead of the move.",
        "The trend system suffers from tighter stops because they throw it out before the move.",
        "Wider stops hurt the trend system: it gets shaken out before the move.",
        "The mean reversion system suffers from tighter stops, which throw it out before the move.",
    ),
    Idea(
        "against the daily trend",
        "Trading against the daily trend on GBPUSD cost us 6 % in March.",
        "In March we lost 6 % on GBPUSD by going against the daily trend.",
        "Our GBPUSD trades counter to the daily trend were down 6% in March.",
        "Trading with the daily trend on GBPUSD cost us 6 % in March.",
        "Our GBPUSD trades counter to the daily trend were up 6% in March.",
    ),
    Idea(
        "days of the week",
        "NQ tends to make its low of the week on Monday and its high on Friday.",
        "Monday usually brings the weekly low in NQ and Friday the weekly high.",
        "The week's high in NQ is mostly set on Friday, the week's low on Monday.",
        "NQ tends to make its high of the week on Monday and its low on Friday.",
        "The week's high in NQ is mostly set on Friday, the week's low on Tuesday.",
    ),
    Idea(
        "inside bar",
        "Inside bar breaks on daily gold continue in the direction of the previous trend.",
        "After an inside bar, daily gold breaks out the way the prior trend was going.",
        "Daily gold breaks out of an inside bar in the direction of the trend before it.",
        "On Mondays inside bar breaks on daily gold continue in the previous trend's direction.",
        "Daily gold breaks out of an inside bar against the direction of the trend before it.",
    ),
)

# Half of the pairs differ in the turned fact alone, half in the rest of the wording too.
OPPOSITES: tuple[Opposite, ...] = tuple(
    pair
    for idea in PARAPHRASES
    for pair in (
        Opposite(idea.name, idea.first, idea.near, reworded=False),
        Opposite(idea.name, idea.second, idea.far, reworded=True),
    )
)
