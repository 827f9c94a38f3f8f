"""What a strategy is: its blocks, what they need, what is wrong with one. No Django here."""
