"""Sessions as a stored state machine: start, cancel, the steps, and what is read of them."""
