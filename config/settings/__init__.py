"""Django settings, built from one typed object (`environment.Settings`)."""
