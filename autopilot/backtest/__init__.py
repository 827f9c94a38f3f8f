"""What a strategy would have done on closed bars. Pure: no Django, no clock, no chance."""
