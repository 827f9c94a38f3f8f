"""What reads the store. Nothing here writes; what is asked for an actor goes through `access`."""
