"""The store: agents, instruments, producers, runs, tokens and the records themselves."""
