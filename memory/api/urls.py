"""Paths of the store's routes, under /api/v1/."""

from django.urls import path

from memory.api import changes, community, duplicates, grants, setup, strategies, views

urlpatterns = [
    path("agents/", setup.Agents.as_view(), name="agents"),
    path("agents/<uuid:agent>/", setup.OneAgent.as_view(), name="agent"),
    path("instruments/", setup.Instruments.as_view(), name="instruments"),
    path("agents/<uuid:agent>/producers/", setup.Producers.as_view(), name="producers"),
    path(
        "agents/<uuid:agent>/producers/<uuid:producer>/",
        setup.OneProducer.as_view(),
        name="producer",
    ),
    path("agents/<uuid:agent>/selections/", setup.Selections.as_view(), name="selections"),
    path(
        "agents/<uuid:agent>/selections/<path:instrument>/",
        setup.OneSelection.as_view(),
        name="selection",
    ),
    path("agents/<uuid:agent>/grants/", grants.Grants.as_view(), name="grants"),
    path("agents/<uuid:agent>/grants/<uuid:grant>/", grants.OneGrant.as_view(), name="grant"),
    path("agents/<uuid:agent>/memories/", views.Memories.as_view(), name="memories"),
    path("agents/<uuid:agent>/memories/<uuid:memory>/", views.Memory.as_view(), name="memory"),
    path(
        "agents/<uuid:agent>/memories/<uuid:memory>/lineage/",
        views.Lineage.as_view(),
        name="lineage",
    ),
    path(
        "agents/<uuid:agent>/memories/<uuid:memory>/withdraw/",
        changes.Withdraw.as_view(),
        name="withdraw",
    ),
    path(
        "agents/<uuid:agent>/memories/<uuid:memory>/restore/",
        changes.Restore.as_view(),
        name="restore",
    ),
    path("agents/<uuid:agent>/memory-types/", views.MemoryTypes.as_view(), name="memory-types"),
    path("agents/<uuid:agent>/runs/", views.Runs.as_view(), name="runs"),
    path("runs/<uuid:run>/finish/", views.RunFinish.as_view(), name="run-finish"),
    path("ai/memories/", strategies.StrategyMemories.as_view(), name="strategy-memories"),
    path("ai/memories/deduplicate/", duplicates.Deduplicate.as_view(), name="deduplicate"),
    path("ai/memories/community-sharing/", community.Sharing.as_view(), name="community-sharing"),
    path("ai/memories/<uuid:strategy>/unmerge/", duplicates.Unmerge.as_view(), name="unmerge"),
    path("ai/memories/<uuid:strategy>/share/", community.Share.as_view(), name="share"),
    path(
        "ai/memories/<uuid:strategy>/", strategies.StrategyMemory.as_view(), name="strategy-memory"
    ),
]
