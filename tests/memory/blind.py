"""Pairs by somebody who had read nothing of the project, before anything ran (SPEC M9).

Two lines are a pair. Of the 200 pairs of different advice 3 merged as the comparison then was, of
the 60 that say the same 38; the three are apart since.
"""


def pairs_of(lines: str) -> tuple[tuple[str, str], ...]:
    """Return each two lines as a pair."""
    told = lines.strip().splitlines()
    return tuple(zip(told[::2], told[1::2], strict=True))


DIFFERENT = pairs_of("""
Longs opened when RSI drops under 30 on the 1h chart tend to recover within six candles.
Shorts opened when RSI drops under 30 on the 1h chart tend to recover within six candles.
Breakouts above the daily range high with volume over 2x average usually continue for at least 1.5 ATR.
Breakouts below the daily range high with volume over 2x average usually continue for at least 1.5 ATR.
A bullish MACD crossover in a ranging market gave mostly losing trades over the last month.
A bearish MACD crossover in a ranging market gave mostly losing trades over the last month.
Buy the retest of the broken level rather than chasing the first impulse candle.
Sell the retest of the broken level rather than chasing the first impulse candle.
When funding turns strongly positive, fade the move with a small short position.
When funding turns strongly negative, fade the move with a small short position.
Price closing over the 200 EMA on the 4h chart favours long breakouts for the next two days.
Price closing under the 200 EMA on the 4h chart favours long breakouts for the next two days.
Rising open interest with rising price confirmed the trend in most of the winning trades.
Falling open interest with rising price confirmed the trend in most of the winning trades.
Long liquidations of more than 50M within an hour marked a local turning point in ETH.
Short liquidations of more than 50M within an hour marked a local turning point in ETH.
ETH tends to drift higher during the first two hours of the US session.
ETH tends to drift lower during the first two hours of the US session.
After a gap up on the CME open, the gap was filled in 70% of cases within three days.
After a gap down on the CME open, the gap was filled in 70% of cases within three days.
Upside breakouts out of a triangle failed twice as often as downside breakouts.
Downside breakouts out of a triangle failed twice as often as upside breakouts.
Wicks beneath support that close back inside are a reliable entry signal.
Wicks above support that close back inside are a reliable entry signal.
Take breakouts only if ADX is above 25, since weaker trends reverse quickly.
Take breakouts only if ADX is below 25, since weaker trends reverse quickly.
Use at most 3x leverage on breakout trades during the weekend.
Use at least 3x leverage on breakout trades during the weekend.
Positions held for longer than eight hours lost money on average.
Positions held for less than eight hours lost money on average.
Skip the trade if the spread is wider than 5 basis points at entry.
Skip the trade if the spread is narrower than 5 basis points at entry.
Volume of no more than 1.5 times the 20-bar mean is required for a valid breakout.
Volume of no less than 1.5 times the 20-bar mean is required for a valid breakout.
Risk up to 1% of equity per trade when volatility is normal.
Risk over 1% of equity per trade when volatility is normal.
Trades with a reward to risk ratio under 2 have a negative expectancy after fees.
Trades with a reward to risk ratio over 2 have a negative expectancy after fees.
Keep the maximum holding time at 12 hours for breakout setups.
Keep the minimum holding time at 12 hours for breakout setups.
Set the stop within 1 ATR of entry on ETH breakouts.
Set the stop beyond 1 ATR of entry on ETH breakouts.
Breakouts with RSI exceeding 70 continued more often than those without.
Breakouts with RSI not exceeding 70 continued more often than those without.
Correlation with BTC higher than 0.8 means the ETH signal adds little.
Correlation with BTC lower than 0.8 means the ETH signal adds little.
Wait until at least three candles close above resistance before entering.
Wait until at most three candles close above resistance before entering.
Place the stop 1.5 ATR below the entry for long breakouts.
Place the stop 2.5 ATR below the entry for long breakouts.
Breakout entries with volume of 2x the average won 62% of the time.
Breakout entries with volume of 2x the average won 26% of the time.
Cut position size to 50% when the 7-day realised volatility doubles.
Cut position size to 5% when the 7-day realised volatility doubles.
RSI under 30 on ETH was a good long entry in the last quarter.
RSI under 20 on ETH was a good long entry in the last quarter.
Take partial profits at 1R and move the stop to breakeven.
Take partial profits at 3R and move the stop to breakeven.
Fees consumed 0.1% per round trip, so targets must be at least 0.5% away.
Fees consumed 0.1% per round trip, so targets must be at least 5% away.
Limit leverage to 2x whenever funding exceeds 0.05% per eight hours.
Limit leverage to 2x whenever funding exceeds 0.01% per eight hours.
Close the trade after two hours if price has not moved in favour.
Close the trade after ten hours if price has not moved in favour.
The 50 EMA acted as dynamic support during the whole uptrend.
The 20 EMA acted as dynamic support during the whole uptrend.
Three losing trades in a row should trigger a pause for the day.
Five losing trades in a row should trigger a pause for the day.
MACD histogram turning positive for two bars is enough to confirm the breakout.
MACD histogram turning positive for six bars is enough to confirm the breakout.
Targets should be half of the measured move in choppy regimes.
Targets should be twice the measured move in choppy regimes.
Avoid opening trades between 21:00 and 23:00 UTC because of thin liquidity.
Avoid opening trades between 01:00 and 03:00 UTC because of thin liquidity.
One in four breakouts during Asia hours reached the first target.
Three in four breakouts during Asia hours reached the first target.
Trailing the stop by 0.8% captured most of the move.
Trailing the stop by 8% captured most of the move.
A first target at 1.2R and a second at 2.4R gave the best results.
A first target at 2.4R and a second at 1.2R gave the best results.
The MACD cross on the 4h chart filtered out most false breakouts.
The MACD cross on the 15m chart filtered out most false breakouts.
Breakouts of the daily high are more reliable when volume expands.
Breakouts of the hourly high are more reliable when volume expands.
RSI divergence on the 1h timeframe preceded the reversal.
RSI divergence on the 1d timeframe preceded the reversal.
Review the trend on the weekly chart before taking a breakout entry.
Review the trend on the monthly chart before taking a breakout entry.
Enter on the five minute close above resistance, not on the wick.
Enter on the five hour close above resistance, not on the wick.
Holding trades for 6 hours gave the best expectancy on breakouts.
Holding trades for 6 days gave the best expectancy on breakouts.
London session breakouts follow through better than others.
Asian session breakouts follow through better than others.
Monday breakouts of the weekend range tend to fail.
Friday breakouts of the weekend range tend to fail.
Weekend trades should be sized at half the normal risk.
Weekday trades should be sized at half the normal risk.
Funding averaged over the last 24h is a better filter than the spot reading.
Funding averaged over the last 24 weeks is a better filter than the spot reading.
Breakouts early in the session had better follow-through than average.
Breakouts late in the session had better follow-through than average.
Use short-term moving averages to judge the regime before a breakout.
Use long-term moving averages to judge the regime before a breakout.
Require RSI to confirm the breakout before adding to the position.
Require MACD to confirm the breakout before adding to the position.
A breakout with the EMA sloping up has a higher win rate.
A breakout with the VWAP sloping up has a higher win rate.
High volume at the break is the most useful filter for ETH.
High volatility at the break is the most useful filter for ETH.
Place the stop behind the last swing low in trending markets.
Place the target behind the last swing low in trending markets.
Open interest rising before the break predicted continuation.
Funding rising before the break predicted continuation.
Bollinger band squeezes led to the best breakout trades in March.
Keltner channel squeezes led to the best breakout trades in March.
Correlation with BTC decides whether an ETH breakout holds.
Correlation with SPX decides whether an ETH breakout holds.
The MACD histogram is a better exit trigger than a fixed target.
The MACD signal line is a better exit trigger than a fixed target.
Size the position by ATR so that each loss is the same.
Size the position by ADX so that each loss is the same.
Spot volume leading the move is a sign of a healthy breakout.
Perp volume leading the move is a sign of a healthy breakout.
Use market orders for entries because breakouts seldom come back.
Use limit orders for entries because breakouts seldom come back.
Maker fees have to be included when testing short holding times.
Taker fees have to be included when testing short holding times.
Breakouts on low volume are worth trading in this regime.
Breakouts on low volume are not worth trading in this regime.
Move the stop to breakeven after the first target is hit.
Do not move the stop to breakeven after the first target is hit.
RSI overbought readings should stop you from taking a breakout long.
RSI overbought readings shouldn't stop you from taking a breakout long.
MACD confirmation improved the results of breakout trades on ETH.
MACD confirmation hardly improved the results of breakout trades on ETH.
Trade ETH breakouts with BTC in an uptrend.
Trade ETH breakouts without BTC in an uptrend.
The trend filter makes a difference when funding is elevated.
The trend filter makes no difference when funding is elevated.
Adding to winners after the second retest paid off.
Adding to winners after the second retest never paid off.
News releases are a reason to close open breakout positions.
News releases are no reason to close open breakout positions.
A tight stop is sufficient when the range is compressed.
A tight stop is insufficient when the range is compressed.
There is evidence that ETH breakouts depend on the US session.
There is little evidence that ETH breakouts depend on the US session.
Leverage above 5x can be justified for high-conviction breakouts.
Leverage above 5x can't be justified for high-conviction breakouts.
The signal is reliable in sideways markets with low volume.
The signal is unreliable in sideways markets with low volume.
Breakouts confirmed by volume are profitable after fees.
Breakouts unconfirmed by volume are profitable after fees.
Neither RSI nor MACD gave an edge on breakouts in this regime.
Both RSI and MACD gave an edge on breakouts in this regime.
Refrain from widening the stop once the trade is open.
Consider widening the stop once the trade is open.
Holding through funding payments failed to hurt the overall result.
Holding through funding payments managed to hurt the overall result.
Take breakouts if funding is negative.
Take breakouts unless funding is negative.
Enter on the breakout only when volume is above average.
Enter on the breakout except when volume is above average.
Hold the position overnight provided that BTC is trending.
Hold the position overnight unless BTC is trending.
Tighten the stop when RSI crosses 70 on the hourly chart.
Tighten the stop even when RSI crosses 70 on the hourly chart.
Breakouts work well in high volatility regimes, including weekends.
Breakouts work well in high volatility regimes, excluding weekends.
The EMA filter helps because the market is trending.
The EMA filter helps although the market is trending.
Reduce leverage if the news calendar is busy.
Reduce leverage even if the news calendar is busy.
Use the full target in case of strong volume.
Use the full target regardless of strong volume.
Short the failed breakout as long as open interest is falling.
Short the failed breakout until open interest is falling.
Skip ETH trades whenever BTC moves more than 3% in an hour.
Skip ETH trades unless BTC moves more than 3% in an hour.
With the 4h trend up, take every long breakout.
Despite the 4h trend up, take every long breakout.
Trade the Asian session, and outside it stay flat.
Trade outside the Asian session, and in it stay flat.
Enter before the candle closes above resistance to get a better price.
Enter after the candle closes above resistance to get a better price.
Close breakout positions before the CPI release.
Close breakout positions after the CPI release.
Volume tends to dry up before a successful breakout.
Volume tends to dry up after a successful breakout.
Wait for the retest prior to entering the trade.
Wait for the retest following entering the trade.
Take profit ahead of the funding timestamp.
Take profit past the funding timestamp.
The RSI peak comes before the price peak in most reversals.
The price peak comes before the RSI peak in most reversals.
Raise the stop until the first target is reached.
Raise the stop once the first target is reached.
Check the funding rate first and then the volume profile.
Check the volume profile first and then the funding rate.
Breakouts since the regime change in May have been profitable.
Breakouts until the regime change in May have been profitable.
BTC leads ETH by several minutes during breakouts.
BTC lags ETH by several minutes during breakouts.
Rising volume caused the volatility expansion seen in the breakouts.
The volatility expansion seen in the breakouts caused rising volume.
High funding leads to long liquidations on ETH.
Long liquidations on ETH lead to high funding.
Losses came from tight stops, not from bad entries.
Losses came from bad entries, not from tight stops.
Slippage is due to thin books rather than to position size.
Slippage is due to position size rather than to thin books.
Breakouts fail because volume is low in the Asian session.
Volume is low because breakouts fail in the Asian session.
A drop in BTC triggers falling ETH open interest.
Falling ETH open interest triggers a drop in BTC.
The trend drives the MACD, so wait for price.
The MACD drives the trend, so wait for price.
Large drawdowns result in overtrading the following day.
Large drawdowns result from overtrading the following day.
Raise the volume threshold from 1.5x to 2x for breakout entries.
Change the volume threshold from 2x to 1.5x for breakout entries.
Move the stop from 2 ATR to 1 ATR when the trade is in profit.
Move the stop from 1 ATR to 2 ATR when the trade is in profit.
Switching from the 1h to the 4h chart improved the win rate.
Switching from the 4h to the 1h chart improved the win rate.
Rotating out of ETH into BTC when correlation breaks worked well.
Rotating out of BTC into ETH when correlation breaks worked well.
The win rate went from 40% to 55% with the EMA filter on.
The win rate went from 55% to 40% with the EMA filter on.
Replace the MACD filter with an RSI filter for breakouts.
Replace the RSI filter with a MACD filter for breakouts.
Shift risk from weekends to weekdays to lower the drawdown.
Shift risk from weekdays to weekends to lower the drawdown.
The regime changed from trending to ranging, so use smaller targets.
The regime changed from ranging to trending, so use smaller targets.
Increase position size after a losing streak in breakouts.
Reduce position size after a losing streak in breakouts.
Widen stops when volatility picks up ahead of the US open.
Tighten stops when volatility picks up ahead of the US open.
Scale in as price moves toward the target.
Scale out as price moves toward the target.
Lengthen the holding time in strongly trending regimes.
Shorten the holding time in strongly trending regimes.
Lower the RSI threshold for longs in a bull regime.
Raise the RSI threshold for longs in a bull regime.
Add to the position on the first pullback to the 20 EMA.
Trim the position on the first pullback to the 20 EMA.
Using more filters on the breakout improved the net result.
Using fewer filters on the breakout improved the net result.
Double the size when RSI and MACD agree.
Halve the size when RSI and MACD agree.
Expanding volume into resistance is a warning sign for longs.
Contracting volume into resistance is a warning sign for longs.
Larger targets paid better than the default in the current regime.
Smaller targets paid better than the default in the current regime.
Trade more often when funding is flat and spreads are tight.
Trade less often when funding is flat and spreads are tight.
Loosen the trailing stop once price is 2R in profit.
Tighten the trailing stop once price is 2R in profit.
Enter when the MACD line crosses its signal on the 1h chart.
Exit when the MACD line crosses its signal on the 1h chart.
Open a position as price closes outside the Bollinger band.
Close a position as price closes outside the Bollinger band.
Stay in the trade while price is under the 20 EMA.
Stay out of the trade while price is under the 20 EMA.
Use the VWAP touch for entries on breakout trades.
Use the VWAP touch for exits on breakout trades.
Hold through the funding window if the trend is strong.
Close through the funding window if the trend is strong.
Get into breakouts early during the New York session.
Get out of breakouts early during the New York session.
Let the winner run when volume stays elevated.
Cut the winner when volume stays elevated.
Join the move after a news spike on ETH.
Fade the move after a news spike on ETH.
Chase the breakout if momentum is strong.
Avoid the breakout if momentum is strong.
RSI divergence works on ETH in ranging conditions.
RSI divergence fails on ETH in ranging conditions.
Volume-confirmed breakouts outperform plain breakouts in quiet regimes.
Volume-confirmed breakouts underperform plain breakouts in quiet regimes.
A 20/50 EMA cross is a strong filter for long breakouts.
A 20/50 EMA cross is a weak filter for long breakouts.
The trailing stop helped the breakout strategy in trending weeks.
The trailing stop hurt the breakout strategy in trending weeks.
Trading during news gave profits on ETH breakouts.
Trading during news gave losses on ETH breakouts.
Breakouts after a squeeze usually continue for several hours.
Breakouts after a squeeze usually reverse for several hours.
Higher leverage improved the risk-adjusted return of the strategy.
Higher leverage worsened the risk-adjusted return of the strategy.
The 4h trend filter is safe to drop on weekends.
The 4h trend filter is risky to drop on weekends.
Most real breakouts show a spike in open interest.
Most fake breakouts show a spike in open interest.
Profitable trades had an average holding time of five hours.
Unprofitable trades had an average holding time of five hours.
Resistance held on the second test with heavy volume.
Resistance broke on the second test with heavy volume.
Waiting for the retest is better than entering on the break.
Waiting for the retest is worse than entering on the break.
Only use RSI as a filter in ranging markets.
Always use RSI as a filter in ranging markets.
Breakouts sometimes fail when BTC is flat.
Breakouts always fail when BTC is flat.
Rarely hold a breakout trade overnight.
Usually hold a breakout trade overnight.
Volume matters only for long breakouts.
Volume matters also for long breakouts.
A volume spike is necessary for a good breakout.
A volume spike is sufficient for a good breakout.
Funding might be the reason for the poor breakout results.
Funding must be the reason for the poor breakout results.
Only ETH breakouts need volume confirmation in the US session.
ETH breakouts only need volume confirmation in the US session.
Leverage should occasionally exceed 3x in strong trends.
Leverage should regularly exceed 3x in strong trends.
All breakouts in the low-volatility regime failed to reach the target.
Some breakouts in the low-volatility regime failed to reach the target.
Most of the losses came from trades held over the weekend.
Few of the losses came from trades held over the weekend.
Every losing trade had RSI above 75 at entry.
Not every losing trade had RSI above 75 at entry.
Close the whole position at the first target.
Close part of the position at the first target.
None of the breakouts with negative funding failed.
Many of the breakouts with negative funding failed.
Both conditions, volume and trend, have to be met before entry.
Either condition, volume or trend, has to be met before entry.
Use RSI and MACD confirmation on every breakout.
Use RSI or MACD confirmation on every breakout.
A majority of breakouts in Asia hours reverted to the range.
A minority of breakouts in Asia hours reverted to the range.
Any of the three filters is enough to take the trade.
All of the three filters are needed to take the trade.
ETH follows BTC in breakouts, so watch BTC for the trigger.
BTC follows ETH in breakouts, so watch BTC for the trigger.
RSI is a better filter than MACD for breakout entries.
MACD is a better filter than RSI for breakout entries.
Longs outperform shorts when the 50 EMA is above the 200 EMA.
Shorts outperform longs when the 50 EMA is above the 200 EMA.
Go long when the 20 EMA crosses above the 50 EMA on high volume.
Go long when the 50 EMA crosses above the 20 EMA on high volume.
Prefer limit entries over market entries in thin sessions.
Prefer market entries over limit entries in thin sessions.
Volume matters more than funding when judging a breakout.
Funding matters more than volume when judging a breakout.
Use wide stops with small size instead of tight stops with large size.
Use tight stops with large size instead of wide stops with small size.
Long breakouts need high volume, while short breakouts work on low volume.
Short breakouts need high volume, while long breakouts work on low volume.
Spot buying absorbed perp selling at the range low, which preceded the breakout.
Perp buying absorbed spot selling at the range low, which preceded the breakout.
Price crossing MACD zero matters in trends and RSI 50 matters in ranges.
Price crossing MACD zero matters in ranges and RSI 50 matters in trends.
Trade breakouts in London and mean reversion in Asia.
Trade mean reversion in London and breakouts in Asia.
In high volatility use 1x leverage, in low volatility use 3x leverage.
In high volatility use 3x leverage, in low volatility use 1x leverage.
Price above VWAP with RSI below 60 is the best long setup.
Price below VWAP with RSI above 60 is the best long setup.
Stop at 2% and target at 4% is the best setting for ETH.
Stop at 4% and target at 2% is the best setting for ETH.
A high volume candle followed by a low volume pullback is a good entry.
A low volume candle followed by a high volume pullback is a good entry.
Not entering on volume spikes helped, trailing stops hurt.
Entering on volume spikes helped, not trailing stops hurt.
First scale out at 1R, then trail the rest.
First trail at 1R, then scale out the rest.
Breakouts that retest and then spike do better than average.
Breakouts that spike and then retest do better than average.
Stops should be hard, targets should be soft.
Stops should be soft, targets should be hard.
RSI rising while price is falling signals a reversal on the 1h chart.
RSI falling while price is rising signals a reversal on the 1h chart.
The breakout is confirmed by a close, not by a wick.
The breakout is confirmed by a wick, not by a close.
Volume confirmation cost more trades than it saved.
Volume confirmation saved more trades than it cost.
It is too late to enter once price is 1 ATR past the level.
It is not too late to enter once price is 1 ATR past the level.
Ignore RSI and trust the breakout when volume is high.
Trust RSI and ignore the breakout when volume is high.
The stop was too tight for ETH in this volatility regime.
The stop was too wide for ETH in this volatility regime.
Trade with the 4h trend on breakouts of the range.
Trade against the 4h trend on breakouts of the range.
Positive correlation with BTC made breakout trades safer.
Negative correlation with BTC made breakout trades safer.
Overtrading was the main cause of losses in the ranging regime.
Undertrading was the main cause of losses in the ranging regime.
Pay the taker fee to get filled on strong breakouts.
Pass on the taker fee to get filled on strong breakouts.
An overbought RSI at the break is a good sign for momentum.
An oversold RSI at the break is a good sign for momentum.
Breakout longs without a retest did well, whereas those with a retest did poorly.
Breakout longs with a retest did well, whereas those without a retest did poorly.
Set the stop at the high of the breakout candle when trading the retest.
Set the stop at the low of the breakout candle when trading the retest.
""")  # noqa: E501 - as they were written

SAME = pairs_of("""
Breakouts with volume above 2x average tend to continue.
Breakouts tend to continue with volume above 2x average.
Avoid long entries when RSI is above 70.
Avoid long entries when the RSI is over 70.
Place the stop 1.5 ATR below entry on long breakouts.
Put the stop 1.5 ATR below the entry on long breakouts.
Low volume breakouts usually fail.
Breakouts on low volume usually fail.
Reduce leverage when volatility is high.
Lower leverage when volatility is high.
Take partial profit at 1R and trail the rest.
Take partial profits at 1R, then trail the remainder.
Weekend breakouts often fail because liquidity is thin.
Breakouts on weekends often fail due to thin liquidity.
Funding above 0.05% means longs are crowded.
When funding exceeds 0.05%, longs are crowded.
The 4h EMA trend filter improved the win rate of breakouts.
The win rate of breakouts improved with the 4h EMA trend filter.
Wait for a candle close above resistance before entering.
Before entering, wait for a candle to close above resistance.
MACD confirmation filters out false breakouts.
MACD confirmation filters out fake breakouts.
Close trades after 6 hours if they have not reached the target.
Exit trades after six hours if they haven't reached the target.
Risk at most 1% of equity per trade.
Risk no more than 1% of equity per trade.
London session breakouts have better follow-through.
Breakouts in the London session have better follow-through.
Avoid trading right before major news.
Avoid trading just before big news.
ETH breakouts fail when BTC is falling.
ETH breakouts fail if BTC is falling.
Tight stops get hit too often in volatile regimes.
In volatile regimes tight stops are hit too often.
Fees eat most of the profit on short holding times.
On short holding times, fees eat most of the profits.
Move the stop to breakeven after the first target.
After the first target, move stop to break-even.
Don't chase breakouts after a 3% move.
Do not chase breakouts after a 3 percent move.
RSI divergence on the 1h chart is a useful exit signal.
RSI divergence on the 1-hour chart is a useful exit signal.
Breakouts of the daily high work best in trending markets.
Daily high breakouts work best in trending markets.
Position size should be halved after three losses in a row.
Halve the position size after 3 consecutive losses.
Long trades above the 200 EMA have a higher win rate.
Longs above the 200 EMA have a higher win rate.
Rising open interest confirms the breakout.
A breakout is confirmed by rising open interest.
Retest entries have less drawdown than immediate entries.
Entries on the retest have less drawdown than immediate entries.
In ranging regimes use smaller targets.
Use smaller targets in ranging regimes.
Volume confirmation is required for ETH breakouts.
ETH breakouts require volume confirmation.
High correlation with BTC reduces diversification.
High BTC correlation reduces diversification.
Stops under 1 ATR were hit by noise.
Stops below 1 ATR got hit by noise.
Entering during Asian hours led to more false breakouts.
Entering in the Asian session led to more false breakouts.
A reward-to-risk ratio of 2:1 is the minimum for breakouts.
The minimum reward/risk ratio for breakouts is 2:1.
Bollinger squeezes often precede strong breakouts.
Strong breakouts are often preceded by Bollinger squeezes.
Skip the trade when the spread is above 5 bps.
Skip trades when the spread is above 5 basis points.
Breakout trades held longer than 12h lost money.
Breakout trades held for more than 12 hours lost money.
Using 3x leverage or less kept drawdowns small.
Drawdowns stayed small using 3x leverage or less.
Breakouts with ADX above 25 performed better.
Breakouts performed better when ADX was above 25.
Negative funding supports long breakouts.
Long breakouts are supported by negative funding.
Enter only if volume is at least 1.5x the average.
Only enter if volume is at least 1.5 times average.
False breakouts are common in low volatility.
False breakouts are common in low-volatility conditions.
The trailing stop captured more profit than a fixed target.
A trailing stop captured more profits than fixed targets.
Shorts work better when price is below the 50 EMA.
When price is below the 50 EMA, shorts work better.
Breakouts near the US open show high slippage.
Slippage is high on breakouts near the US open.
Limit orders save fees on retest entries.
On retest entries, limit orders save on fees.
Avoid adding to losing positions.
Avoid adding to losing trades.
Large long liquidations often mark a local bottom.
Large long liquidations often mark local bottoms.
Check the higher timeframe trend before entering a breakout.
Before entering a breakout, check the trend on the higher timeframe.
RSI between 50 and 70 at entry gave the best results.
The best results came with RSI between 50 and 70 at entry.
Profit targets at 2 ATR were reached in 60% of trades.
Targets at 2 ATR were hit in 60% of trades.
Volume spikes without a price move signal absorption.
A volume spike without price movement signals absorption.
Stop trading for the day after a 3% loss.
After a 3% loss, stop trading for the day.
Breakouts from long consolidations run further.
Breakouts from longer consolidations run farther.
MACD crossovers lag in fast markets.
MACD crosses lag in fast markets.
Early entries before the close are often trapped.
Entries made early, before the close, often get trapped.
Correlated positions should share one risk budget.
One risk budget should be shared by correlated positions.
Exit when the price closes back inside the range.
Exit once price closes back inside the range.
Strong trends make RSI overbought signals unreliable.
RSI overbought signals are unreliable in strong trends.
Scale position size inversely with volatility.
Position size should scale inversely with volatility.
Breakouts during the first hour of New York are the most reliable.
The most reliable breakouts are during the first hour of New York.
Breakouts on 15m charts are noisier than on 4h charts.
Breakouts on the 15 min chart are noisier than on the 4 hour chart.
""")
