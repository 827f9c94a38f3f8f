"""Opposites made out of the tables by somebody who read them: what stays apart (SPEC M9).

Two lines are a pair. Each says something else than the other, to a trader who follows it.
"""

from tests.memory.blind import pairs_of as _pairs

TURNED_SENSES: dict[str, tuple[tuple[str, str], ...]] = {
    "what fails on the chart": _pairs("""
Short failed breakouts above the Asia high on the 15m.
Shorting breakouts above the Asia high on the 15m fails.
Buy failed breakdowns below the prior day low.
Buying breakdowns below the prior day low fails.
Trade failed retests of the range high in London.
Retests of the range high in London fail.
Exit losing shorts at the EMA 20 before the news.
Exiting shorts at the EMA 20 before the news loses.
Hold losing longs overnight in an uptrend.
Holding longs overnight in an uptrend loses.
Add to losing longs at support in a range.
Adding to longs at support in a range loses.
A failed sweep of the low is a short in Asia.
A sweep of the low is a short that fails in Asia.
"""),
    "what is handled that has won": _pairs("""
Add to profitable longs at the 20 EMA in a trend.
Add to longs at the 20 EMA in a trend.
Trail winning longs by 2 ATR on the 1h.
Trail longs by 2 ATR on the 1h.
Hold profitable trades overnight when funding is low.
Hold trades overnight when funding is low.
Only hold profitable shorts through the London close.
Only hold shorts through the London close.
Scale out of winning shorts at the band.
Scale out of shorts at the band.
Take good entries at VWAP during the New York session.
Take entries at VWAP during the New York session.
Move the stop to breakeven on profitable trades after 10 bars.
Move the stop to breakeven on trades after 10 bars.
Copy what works in London to the Asia session.
Copy what is in London to the Asia session.
Exit well before funding is paid when long.
Exit before funding is paid when long.
Place stops well below the swing low on the 4h.
Place stops below the swing low on the 4h.
Take profit well above VWAP in an uptrend.
Take profit above VWAP in an uptrend.
Wait for better entries near the EMA 50 in London.
Wait for entries near the EMA 50 in London.
Pay the spread on breakouts of the Asia range.
Breakouts of the Asia range and the spread.
Longs that pay funding should be closed at the EMA 20.
Longs with funding should be closed at the EMA 20.
Shorts paying funding are held overnight on SOL.
Shorts with funding are held overnight on SOL.
Work orders at the bid in thin liquidity.
Orders at the bid in thin liquidity.
Fees paid by makers are higher on the perp.
Fees for makers are higher on the perp.
"""),
    "to and by": _pairs("""
Reduce the position size to 2 % when volatility rises.
Reduce the position size by 2 % when volatility rises.
Cut leverage to 2x when funding turns negative on ETH.
Cut leverage by 2x when funding turns negative on ETH.
Raise the stop to 1 ATR after the first target.
Raise the stop by 1 ATR after the first target.
Increase leverage to 3x once ADX is above 25.
Increase leverage by 3x once ADX is above 25.
Reduce risk to 0.5 % after two losses in a row.
Reduce risk by 0.5 % after two losses in a row.
Widen the stop to 3 ATR in volatile regimes.
Widen the stop by 3 ATR in volatile regimes.
Trim the position to 25 % at the upper band.
Trim the position by 25 % at the upper band.
Cut the position to 2 % when volatility rises.
Exit the position at 2 % when volatility rises.
Enter when funding falls to 0.01 % on the perp.
Enter when funding falls by 0.01 % on the perp.
Buy when RSI drops to 10 on the 4h.
Buy when RSI drops by 10 on the 4h.
Enter long when OI rises to 5 % before the open.
Enter long when OI rises by 5 % before the open.
"""),
    "from and to": _pairs("""
Shift risk to alts when BTC dominance falls.
Shift risk from alts when BTC dominance falls.
Rotate into alts when funding turns negative.
Rotate from alts when funding turns negative.
Switch to shorts when the 4h trend turns down.
Switch from shorts when the 4h trend turns down.
Move capital to perps when the spread is wide.
Move capital from perps when the spread is wide.
Move the stop to VWAP after the retest.
Move the stop from VWAP after the retest.
Buy when price moves to VWAP in London.
Buy when price moves from VWAP in London.
Switch to the 1h chart when ADX is low.
Switch from the 1h chart when ADX is low.
Exit in 3 bars if RSI stays above 70.
Exit if RSI stays above 70 for 3 bars.
Exit longs in 5 bars when volume falls.
Exit longs when volume falls for 5 bars.
Return to full size from half size after a win.
Return from full size to half size after a win.
Sell into the London open when RSI is high.
Sell from the London open when RSI is high.
Hold longs from the London close on Fridays.
Hold longs to the London close on Fridays.
Trade from the London open on trending days.
Trade to the London open on trending days.
Longs run from Monday on the 4h.
Longs run to Monday on the 4h.
Hold from the Asia session when funding is low.
Hold into the Asia session when funding is low.
Risk goes to SOL when BTC is weak.
Risk goes from SOL when BTC is weak.
"""),
    "questions": _pairs("""
Do longs above VWAP work in the London session?
Longs above VWAP work in the London session.
Should you buy dips when funding is negative?
You should buy dips when funding is negative.
Is a tight stop better in chop on the 5m?
A tight stop is better in chop on the 5m.
Will breakouts fail on low volume in Asia?
Breakouts will fail on low volume in Asia.
Breakouts are expected to work in the London session with volume.
Breakouts worked in the London session with volume.
"""),
    "a few and few": _pairs("""
A few filters help breakouts on the 1h chart.
Few filters help breakouts on the 1h chart.
A little leverage helps in a strong uptrend.
Little leverage helps in a strong uptrend.
A few breakouts fail when volume is high.
Few breakouts fail when volume is high.
Take longs with a little slippage in London.
Take longs with little slippage in London.
A few retests hold after the news.
Few retests hold after the news.
"""),
    "not always": _pairs("""
Breakouts do not consistently work in the Asia session.
Breakouts do not work in the Asia session.
Shorts do not often fail below the EMA 200.
Shorts do not fail below the EMA 200.
Volume does not usually confirm breakouts on weekends.
Volume does not confirm breakouts on weekends.
RSI divergences are not generally reliable on the 5m.
RSI divergences are not reliable on the 5m.
Stops are not typically hit in the first hour.
Stops are not hit in the first hour.
Gaps do not mostly fill on Mondays with high volume.
Gaps do not fill on Mondays with high volume.
Do not frequently add to longs in an uptrend.
Do not add to longs in an uptrend.
Longs are not commonly stopped out above VWAP.
Longs are not stopped out above VWAP.
Do not simply buy the dip when RSI is low.
Do not buy the dip when RSI is low.
Not really a breakout until volume confirms it.
Not a breakout until volume confirms it.
"""),
    "only when": _pairs("""
Do not use a stop only when volatility is high.
Do not use a stop when volatility is high.
Never trade only with RSI on the 5m chart.
Never trade with RSI on the 5m chart.
Avoid trading only with MACD signals in a range.
Avoid trading with MACD signals in a range.
Do not buy only if RSI is below 30.
Do not buy if RSI is below 30.
Don't cut size only when you lose in Asia.
Don't cut size when you lose in Asia.
Exit longs only when RSI is above 70 on the 4h.
Exit longs when RSI is above 70 on the 4h.
Longs fail only when volume is below average.
Longs fail when volume is below average.
Use a stop only if volatility is above 2 ATR.
Use a stop if volatility is above 2 ATR.
Reduce size only when the drawdown is above 10 %.
Reduce size when the drawdown is above 10 %.
Avoid longs only when funding is above 0.05 %.
Avoid longs when funding is above 0.05 %.
Pay attention to funding solely when leverage is high.
Pay attention to funding when leverage is high.
Don't rely only with volume on breakouts; add OI.
Don't rely with volume on breakouts; add OI.
"""),
    "left alone": _pairs("""
Leave stops alone when volatility rises on the 1h.
Avoid stops when volatility rises on the 1h.
Leave winners alone in a strong uptrend.
Avoid winners in a strong uptrend.
In a trend leave targets alone after 1R.
In a trend use no targets after 1R.
Leave longs alone until the target in an uptrend.
Avoid longs until the target in an uptrend.
"""),
    "ignored": _pairs("""
High funding should be ignored when long in a strong trend.
High funding should be avoided when long in a strong trend.
Longs can ignore the news on trending days.
Longs can avoid the news on trending days.
Breakouts in London ignore low volume.
Breakouts in London avoid low volume.
In an uptrend, ignore overbought RSI on the 1h.
In an uptrend, avoid overbought RSI on the 1h.
In an uptrend ignore overbought readings on RSI.
In an uptrend skip overbought readings on RSI.
The news should be ignored on the 4h.
The news should be avoided on the 4h.
Weekend gaps are ignored by the strategy in high volatility.
Weekend gaps are avoided by the strategy in high volatility.
We ignore drawdown when sizing the account.
We avoid drawdown when sizing the account.
Ignore news when the 4h trend is up.
Trade without news when the 4h trend is up.
Ignore the stop until the close of the bar.
Enter without a stop until the close of the bar.
"""),
    "stops that are made": _pairs("""
Stop buying below the EMA 50 on the 1h.
Buy with a stop below the EMA 50 on the 1h.
Stop trailing once volatility rises above average.
Trail the stop once volatility rises above average.
Stop shorting above resistance in the Asia session.
Short with the stop above resistance in the Asia session.
Stop chasing above the upper band in a range.
Chase with a stop above the upper band in a range.
Stop raising leverage after a win on ETH.
Raise the stop and leverage after a win on ETH.
Stop using targets in strong trends.
Use stops and targets in strong trends.
Stop taking breakouts in the Asia session after 2 losses.
Take stops on breakouts in the Asia session after 2 losses.
"""),
    "close and open": _pairs("""
Buy close to VWAP during the New York session.
Buy the close at VWAP during the New York session.
Short when BTC is close to resistance on the 4h.
Short when BTC closes at resistance on the 4h.
Place targets close to the upper band in a range.
Place targets at the close of the upper band in a range.
Stops close to the swing high get swept.
Stops at the close of the swing high get swept.
Limit open trades to 3 in a choppy regime.
Limit trades at the open to 3 in a choppy regime.
Trade close to the EMA 20 in strong trends.
Trade the close at the EMA 20 in strong trends.
Keep open trades small before the news.
Keep trades at the open small before the news.
Open positions are reduced when funding is high.
Positions at the open are reduced when funding is high.
Reduce open risk before the weekend on BTC.
Reduce risk at the open before the weekend on BTC.
"""),
    "sides that are none": _pairs("""
Short squeezes form when funding is very negative.
Short a squeeze when funding is very negative.
Long liquidations occur when OI falls below average.
Buy liquidations when OI falls below average.
Use a short EMA on the 5m in a trend.
Short the EMA on the 5m in a trend.
Use a long MA as the filter on the 1h.
Long the MA with the filter on the 1h.
Limit the downside with a stop below the low.
Limit shorts with a stop below the low.
Long squeezes occur when funding is high.
Go long a squeeze when funding is high.
Exit on a bullish engulfing at support.
Exit longs on an engulfing at support.
Exit on a bearish divergence on the 1h.
Exit shorts on a divergence on the 1h.
Take profit on bullish spikes in volume.
Take profit on longs in volume spikes.
Exit on a sell signal of the RSI.
Exit shorts on a signal of the RSI.
Exit on the sell signal when MACD crosses.
Exit the short when MACD crosses.
Exit when the MACD turns bullish on the 1h.
Exit longs when the MACD turns on the 1h.
Exit at the first bearish bar after the spike.
Exit shorts at the first bar after the spike.
Exit on the first bullish candle after the sweep.
Exit longs on the first candle after the sweep.
Exit the trade when bears break VWAP.
Exit shorts when VWAP breaks.
"""),
    "two senses": _pairs("""
Take a break after 3 losses in a row.
Take a breakout after 3 losses in a row.
Take breaks after a big loss in Asia.
Take breakouts after a big loss in Asia.
Buy in the fall on the 4h.
Buy the fall on the 4h.
Sell in advance when funding is high.
Sell the advance when funding is high.
Return back to longs above the EMA 200.
Return to confirmed longs above the EMA 200.
Buy back shorts at the lower band.
Buy shorts confirmed at the lower band.
Rebalance daily when volatility is high.
Rebalance on the 1d when volatility is high.
Take profits weekly on BTC longs.
Take profit on 1w BTC longs.
Trade ETH breakouts 3 times in a trend.
Trade ETH breakouts at 3x in a trend.
Add 2 times to winners in a strong trend.
Add 2x to winners in a strong trend.
Enter twice at support in a range.
Double the entry at support in a range.
Trade the top 20 alts by volume in London.
Trade more than 20 alts by volume in London.
Buy when RSI comes up to 50 in a trend.
Buy when RSI is at most 50 in a trend.
Move the stop up to 1R on the 1h.
Move the stop at most 1R on the 1h.
Reduce risk after losses in the past 3 days.
Reduce risk after losses in more than 3 days.
Volume was high over 5 days before the break.
Volume was high for more than 5 days before the break.
Spread entries over 4 hours in a range.
Spread entries more than 4 hours in a range.
Trade when the news is over in London.
Trade above the news in London.
Give profits back in chop after the open.
Get profits back in chop after the open.
Buy when the trend resumes on the 4h.
Buy when the trend continues on the 4h.
Exit soon after the news in London.
Exit early after the news in London.
Enter sooner when volume rises on ETH.
Enter early when volume rises on ETH.
Lunch breaks fail on low volume.
Breakouts at lunch fail on low volume.
"""),
    "a bound of something else": _pairs("""
Buy after price holds above VWAP for 3 bars.
Buy after price holds at VWAP for more than 3 bars.
Trade when RSI is above its MA 50 on the 1h.
Trade when the RSI MA is above 50 on the 1h.
Buy when RSI crosses above EMA 50 on the 4h.
Buy when RSI EMA crosses above 50 on the 4h.
Short with the stop above VWAP by 2 ATR.
Short with the stop more than 2 ATR from VWAP.
Trade when volume is above average for 3 bars.
Trade when volume is average for more than 3 bars.
Exit when funding is above average for 2 days.
Exit when funding is average for over 2 days.
Buy when ADX is above ATR for 10 bars.
Buy when ADX and ATR are above for 10 bars.
"""),
    "and is not or": _pairs("""
Long when ADX is over 25 and higher lows form.
Long when ADX is over 25 or higher lows form.
Short at the EMA 50 and below VWAP in London.
Short at the EMA 50 or below VWAP in London.
Buy at RSI 30 and lower band touches on the 1h.
Buy at RSI 30 or lower band touches on the 1h.
Short when RSI is over 70 and lower highs form.
Short when RSI is over 70 or lower highs form.
Trade with ADX above 25 and less leverage on alts.
Trade with ADX above 25 or less leverage on alts.
Use RSI over 60 and more volume on breakouts.
Use RSI over 60 or more volume on breakouts.
Long if RSI is over 50 and above VWAP.
Long if RSI is over 50 or above VWAP.
Exit when RSI is over 80 and below the upper band.
Exit when RSI is over 80 or below the upper band.
Trade with wide stops and less size in chop.
Trade with wide stops or less size in chop.
Buy at support and above VWAP on the 1h.
Buy at support or above VWAP on the 1h.
Short at resistance and below the EMA 50.
Short at resistance or below the EMA 50.
Trade longs on rising volume and higher OI.
Trade longs on rising volume or higher OI.
"""),
    "while, once, and": _pairs("""
Stay long while price is above VWAP on the 1h.
Stay long once price is above VWAP on the 1h.
Hold longs while RSI is above 50 on the 4h.
Hold longs once RSI is above 50 on the 4h.
Cut size and widen stops in volatile markets.
Cut size when stops widen in volatile markets.
Trail the stop and add to winners in a trend.
Trail the stop if you add to winners in a trend.
Avoid longs while funding is high on ETH.
Avoid longs once funding is high on ETH.
Hold the trade as long as ADX is above 25.
Hold the trade as soon as ADX is above 25.
Stay short as long as funding is positive.
Stay short as soon as funding is positive.
Use a trail while the trend is up on the 4h.
Use a trail as soon as the trend is up on the 4h.
Keep longs so long as price is above the EMA 20.
Keep longs the moment price is above the EMA 20.
Short rallies but funding is negative on weekends.
Short rallies if funding is negative on weekends.
Trade half size and use limit orders in thin liquidity.
Trade half size if you use limit orders in thin liquidity.
"""),
    "outcome left out": _pairs("""
Buy pullbacks on SOL. It lost -5 % over 20 trades.
Buy pullbacks on SOL. It made 5 % over 20 trades.
Buy RSI below 30 on the 1h. Calmar -0.5, 30 trades.
Buy RSI below 30 on the 1h. Calmar 3.5, 30 trades.
Long breakouts above VWAP in London. Sharpe -1.2, 40 trades.
Long breakouts above VWAP in London. Sharpe 2.1, 40 trades.
Short rallies to the EMA 50. It made -5 % over 30 trades.
Short rallies to the EMA 50. It made 5 % over 30 trades.
Short rallies to the EMA 50. It netted -8 %.
Short rallies to the EMA 50. It netted 8 %.
Buy RSI below 30 on the 1h. Win rate 20 %, profit factor 0.4.
Buy RSI below 30 on the 1h. Win rate 70 %, profit factor 2.4.
Longs above the EMA 200. It earned -3 % in 20 trades.
Longs above the EMA 200. It earned 3 % in 20 trades.
Longs above the EMA 200. PnL was -5 %, 40 trades.
Longs above the EMA 200. PnL was 5 %, 40 trades.
Longs above the EMA 200. It gained -4 % on BTC.
Longs above the EMA 200. It gained 4 % on BTC.
"""),
    "roles": _pairs("""
MACD crosses above the signal when the trend is up.
The signal crosses above MACD when the trend is up.
"""),
    "instruments": _pairs("""
Buy when BTC breaks above VWAP.
Buy BTC when ETH breaks above VWAP.
Short when BTC is weak and funding is high.
Short BTC when ETH is weak and funding is high.
Long if SOL rises before the London open.
Long SOL if ETH rises before the London open.
Exit when BTC falls below the weekly low.
Exit BTC when ETH falls below the weekly low.
Use BTC as the filter for longs above VWAP.
Use ETH as the filter for BTC longs above VWAP.
"""),
    "how long": _pairs("""
Wait 1h after a loss before the next trade.
Wait after a loss before the next trade.
Exit 1h after the news when volume is low.
Exit after the news when volume is low.
Hold longs for 1h when RSI is above 70.
Hold longs when RSI is above 70.
Enter 1 hour before the London open.
Enter before the London open.
Skip trades for 1h after the news.
Skip trades after the news.
Trade for 1h after the open on Mondays.
Trade after the open on Mondays.
"""),
    "of what a negation is": _pairs("""
Trade when there is no news on Fridays.
Do not trade when there is news on Fridays.
When volume is low, avoid longs. Short at resistance.
When volume is low, short at resistance. Avoid longs.
"""),
    "how much and when": _pairs("""
Shorts will work when the halving comes.
Shorts worked when the halving came.
Longs were profitable when funding was negative in 2023.
Longs will be profitable when funding is negative in 2023.
Funding was negative when the bottom formed.
Funding will be negative when the bottom forms.
Longs would work if fees were zero on the perp.
Longs work if fees are zero on the perp.
The trend had been up before the break of VWAP.
The trend will be up before the break of VWAP.
The worst longs come above VWAP in the Asia session.
Bad longs come above VWAP in the Asia session.
"""),
    "expressions": _pairs("""
Most of the time longs fail in chop on the 5m.
Longs fail in chop on the 5m.
Not more often than not do longs fail in chop.
Not do longs fail in chop.
Longs are likely to fail in chop on the 5m.
Longs fail in chop on the 5m.
In practice stops are hit by noise on the 5m.
Stops are hit by noise on the 5m.
Historically breakouts worked in the Asia session.
Breakouts work in the Asia session.
Cut the position in half when volatility rises.
Exit half of the position when volatility rises.
Price holds up in Asia when volume is high.
Price in Asia when volume is high.
Support holds up on the first test in London.
Support on the first test in London.
The trend holds up when funding is negative.
The trend when funding is negative.
Longs hold up when BTC falls on weekends.
Longs when BTC falls on weekends.
Alts hold up when BTC falls on weekends.
Alts when BTC falls on weekends.
The trend falls apart when volume falls in Asia.
The trend fails when volume falls in Asia.
Place a limit buy at VWAP in the London session.
Place a limit sell at VWAP in the London session.
Use market buys when the spread is narrow.
Use market sells when the spread is narrow.
Use limit buys at the band in thin liquidity.
Use limit sells at the band in thin liquidity.
Place limit buys below VWAP when funding is high.
Place limit sells below VWAP when funding is high.
A market sell at the band starts the reversal.
A market buy at the band starts the reversal.
Buy strong markets after the pullback on the 4h.
Buy strong after the pullback on the 4h.
Trade bull markets with a trailing stop on the 1d.
Go long with a trailing stop on the 1d.
Trade bear markets with a tight stop on the 1d.
Trade shorts with a tight stop on the 1d.
Reduce leverage in a bear market on the 1d.
Reduce leverage in a short on the 1d.
Use wide stops in bull markets on the 4h.
Use wide stops on longs on the 4h.
Raise size in a bull market when volume rises.
Raise size in a long when volume rises.
Avoid leverage in bear markets on ETH.
Avoid leverage on shorts on ETH.
Fees matter in bear markets with low volume.
Fees matter on shorts with low volume.
"""),
    "sentences": _pairs("""
Avoid longs. When RSI is high, short the retest.
Avoid longs when RSI is high. Short the retest.
Exit longs. If funding is high, reduce leverage.
Exit longs if funding is high. Reduce leverage.
Reduce size. When volatility is high use wide stops.
Reduce size when volatility is high. Use wide stops.
Trail the stop. Once ADX is above 25, add to winners.
Trail the stop once ADX is above 25. Add to winners.
Buy dips; with high funding, use a tight stop.
Buy dips with high funding; use a tight stop.
"""),
    "and more": _pairs("""
Short when the 4h trend loses momentum and volume is high.
Shorts lose when the 4h trend has momentum and volume is high.
Buy when a breakdown below the range low fails.
Buying a breakdown below the range low fails.
Fade breakouts that fail in the Asia session.
Fading breakouts in the Asia session fails.
Traders want to buy breakouts at resistance in Asia.
Buy breakouts at resistance in Asia.
Use close stops in choppy markets on the 5m.
Use stops on the close in choppy markets on the 5m.
Use close stops in choppy markets on the 15m.
Use closing stops in choppy markets on the 15m.
Keep the stop close in a range on the 1h.
Keep the stop on the close in a range on the 1h.
Keep trades short in the Asia session.
Keep shorts in the Asia session.
Keep trades long in strong trends on the 4h.
Keep longs in strong trends on the 4h.
Use short stops in a volatile range.
Use stops on shorts in a volatile range.
Longs should have been closed before the news.
Longs are closed before the news.
Limit buys at the EMA 50 work better than market orders in London.
Limit sells at the EMA 50 work better than market orders in London.
Use a limit sell at the swing high with a stop of 2 ATR.
Use a limit buy at the swing high with a stop of 2 ATR.
Market buys during the London open suffer high slippage.
Market sells during the London open suffer high slippage.
Do not enter shorts before the London close on Mondays.
Enter shorts and wait for the London close on Mondays.
Do not sell longs until RSI is above 70 on the 4h.
Sell longs and wait for RSI above 70 on the 4h.
Do not act on RSI before MACD crosses on the 1h.
Act on RSI and wait for the MACD cross on the 1h.
Cut the position by 3 % after a loss in London.
Exit the position at 3 % after a loss in London.
Leave shorts alone once the stop is at breakeven.
Avoid shorts once the stop is at breakeven.
Leave trades alone during the news in London.
Avoid trades during the news in London.
Leave trails alone in volatile markets on the 1h.
Avoid trails in volatile markets on the 1h.
Move stops daily in a strong trend on BTC.
Move stops on the 1d in a strong trend on BTC.
Trade weekly when volatility is low on SOL.
Trade for 1w when volatility is low on SOL.
Reset leverage weekly after a drawdown on ETH.
Reset leverage 1 week after a drawdown on ETH.
Short the retest 2 times in London at most.
Short the retest with 2x in London at most.
Buy support twice in a range on the 1h.
Buy support with double in a range on the 1h.
Enter longs three times in a strong trend.
Enter longs at 3x in a strong trend.
"""),
}  # fmt: skip
