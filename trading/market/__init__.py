"""Market data: instruments, candles and indicators (SPEC U3, U5, A12)."""
