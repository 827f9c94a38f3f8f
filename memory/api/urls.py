"""Paths of the store's routes, under /api/v1/."""

from django.urls import path

from memory.api import views

urlpatterns = [
    path("agents/<uuid:agent>/memories/", views.Memories.as_view(), name="memories"),
    path("agents/<uuid:agent>/memories/<uuid:memory>/", views.Memory.as_view(), name="memory"),
    path(
        "agents/<uuid:agent>/memories/<uuid:memory>/lineage/",
        views.Lineage.as_view(),
        name="lineage",
    ),
    path("agents/<uuid:agent>/memory-types/", views.MemoryTypes.as_view(), name="memory-types"),
    path("agents/<uuid:agent>/runs/", views.Runs.as_view(), name="runs"),
    path("runs/<uuid:run>/finish/", views.RunFinish.as_view(), name="run-finish"),
]
