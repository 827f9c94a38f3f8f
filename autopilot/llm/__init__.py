"""Who plays the model's roles: the port, the prompts, and the deterministic code for no model."""
