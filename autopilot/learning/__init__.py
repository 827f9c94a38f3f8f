"""What is learned from a backtest: insights, the rules made of them, and how rules live by more."""
