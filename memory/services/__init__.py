"""What changes the store. Each service takes `now`, and raises the errors of `memory.errors`."""
