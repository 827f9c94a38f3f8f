"""Who does the thinking: each member answers for one role."""
