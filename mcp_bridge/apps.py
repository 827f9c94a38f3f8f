"""Django's entry for this app."""

from django.apps import AppConfig


class McpBridgeConfig(AppConfig):
    """Registers the app."""

    name = "mcp_bridge"
    verbose_name = "MCP bridge"
