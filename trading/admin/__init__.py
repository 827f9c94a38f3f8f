"""Trading in Django's admin: evidence to look at, not to change."""

from trading.admin.indicators import IndicatorRunAdmin

__all__ = ["IndicatorRunAdmin"]
