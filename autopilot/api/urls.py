"""Paths of the autopilot's routes, under /api/v1/."""

from django.urls import path

from autopilot.api import events, views

urlpatterns = [
    path("ai/autopilot/", views.Sessions.as_view(), name="sessions"),
    path("ai/autopilot/<uuid:session>/", views.OneSession.as_view(), name="session"),
    path("ai/autopilot/<uuid:session>/events/", events.Events.as_view(), name="session-events"),
    path("ai/autopilot/<uuid:session>/cancel/", views.Cancel.as_view(), name="session-cancel"),
]
