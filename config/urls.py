"""Every path that is served."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import TemplateView
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from config import health
from config.api import errors

# As application/json, whatever the Accept header says, like all else under /api/.
openapi = SpectacularJSONAPIView.as_view(renderer_classes=[OpenApiJsonRenderer2])

api: list[URLPattern | URLResolver] = [
    path("", include("memory.api.urls")),
    path("", include("trading.api.urls")),
    path("", include("autopilot.api.urls")),
    path("openapi.json/", openapi, name="openapi"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="openapi"), name="docs"),
]

urlpatterns = [
    path("", TemplateView.as_view(template_name="index.html"), name="index"),
    path("login/", LoginView.as_view(template_name="login.html"), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("api/v1/", include(api)),
    path("health/live/", health.Live.as_view(), name="health-live"),
    path("health/ready/", health.Ready.as_view(), name="health-ready"),
    path("health/status/", health.Status.as_view(), name="health-status"),
    path("metrics/", health.Metrics.as_view(), name="metrics"),
]

handler400 = errors.handler400
handler403 = errors.handler403
handler404 = errors.handler404
handler500 = errors.handler500
