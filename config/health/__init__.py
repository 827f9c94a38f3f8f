"""Routes that tell how the installation is: probes, status, metrics (SPEC E6, J4)."""

from config.health.metrics import Metrics
from config.health.probes import Live, Ready
from config.health.status import Status

__all__ = ["Live", "Metrics", "Ready", "Status"]
