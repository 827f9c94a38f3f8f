"""What a trader sees and does: market data and the trading context."""
