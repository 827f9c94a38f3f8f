"""Paths of trading's routes, under /api/v1/."""

from django.urls import path

from trading.api import views

urlpatterns = [
    # An instrument's name may hold a slash (PURR/USDC): hence the path converter.
    path("agents/<uuid:agent>/context/<path:instrument>/", views.Context.as_view(), name="context"),
]
