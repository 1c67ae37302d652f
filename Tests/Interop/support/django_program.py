"""A Django site with mozilla-django-oidc, as its manual says: users are matched by the claim `email`.

`python django_program.py settings.json PORT`; the settings are Django's own, as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import django
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.http import JsonResponse
from django.urls import include, path


def shown(user) -> dict:
    return {"id": user.pk, "email": getattr(user, "email", None), "is_superuser": user.is_superuser}


def me(request):
    """Who the site takes the visitor for."""
    return JsonResponse(shown(request.user))


def users(_):
    """Every user of the site."""
    return JsonResponse({"users": [shown(user) for user in get_user_model().objects.all()]})


def addresses() -> tuple:
    return (path("", me), path("users", users), path("oidc/", include("mozilla_django_oidc.urls")))


def main() -> None:
    own = json.loads(Path(sys.argv[1]).read_text())
    administrator, members = own.pop("ADMINISTRATOR"), own.pop("MEMBERS")
    settings.configure(
        SECRET_KEY="of this test run alone",
        ALLOWED_HOSTS=["127.0.0.1"],
        USE_TZ=True,
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
        LOGIN_REDIRECT_URL="/",
        **own,
    )
    django.setup()
    # The module's addresses read settings of theirs.
    settings.ROOT_URLCONF = addresses()
    call_command("migrate", verbosity=0)
    users_of_site = get_user_model().objects
    users_of_site.create_superuser("administrator", administrator)
    for number, address in enumerate(members):
        users_of_site.create_user(f"member-{number}", address)
    call_command("runserver", f"127.0.0.1:{sys.argv[2]}", use_reloader=False)


if __name__ == "__main__":
    main()
