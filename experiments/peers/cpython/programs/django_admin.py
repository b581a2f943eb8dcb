"""Django's own site for administrators: its ORM over SQLite, forms, templates, sessions, through its WSGI handler.

`size` users are kept in a cache of the process, as sites keep what they read most; each request lets 50 of them be
read anew. Lists, searches, forms and changes take turns.
"""
import io
import urllib.parse

SIZE = 30_000
OPERATIONS = 900
PACKAGE = "python3-django"
USERS_A_REQUEST = 50


def configure(database):
    import django
    from django.conf import settings
    settings.configure(
        ALLOWED_HOSTS=["*"], SECRET_KEY="a key of no secret", ROOT_URLCONF=__name__, USE_TZ=True,
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        DEFAULT_AUTO_FIELD="django.db.models.AutoField", STATIC_URL="/static/",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": database}},
        INSTALLED_APPS=["django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes",
                        "django.contrib.sessions", "django.contrib.messages"],
        MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                    "django.middleware.common.CommonMiddleware",
                    "django.contrib.auth.middleware.AuthenticationMiddleware",
                    "django.contrib.messages.middleware.MessageMiddleware"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True,
                    "OPTIONS": {"context_processors": ["django.template.context_processors.request",
                                                       "django.contrib.auth.context_processors.auth",
                                                       "django.contrib.messages.context_processors.messages"]}}])
    django.setup()
    from django.contrib import admin
    from django.core.management import call_command
    from django.urls import path
    call_command("migrate", verbosity=0)
    globals()["urlpatterns"] = [path("admin/", admin.site.urls)]


class Site:
    def __init__(self, size, database=":memory:"):
        configure(database)
        from django.contrib.auth.models import Group, User
        from django.core.handlers.wsgi import WSGIHandler
        self.handler, self.users, self.size = WSGIHandler(), User.objects, size
        groups = Group.objects.bulk_create(Group(id=i, name=f"group {i}") for i in range(1, 51))
        self.users.bulk_create(
            (User(id=i, username=f"user{i}", first_name=f"First {i % 97}", last_name=f"Last {i % 991}",
                  email=f"user{i}@example.org") for i in range(1, size + 1)), batch_size=500)
        User.groups.through.objects.bulk_create(
            (User.groups.through(user_id=i, group_id=groups[i % 50].id) for i in range(1, size + 1)), batch_size=400)
        root = self.users.create_superuser("root", "root@example.org", "root", id=size + 1)
        self.cookie = self.signed_in(root)
        self.cache = {}
        for first in range(1, size + 1, 1000):
            self.read(first, first + 1000)

    def signed_in(self, user):
        from django.contrib.sessions.backends.db import SessionStore
        session = SessionStore()
        session.update({"_auth_user_id": str(user.pk), "_auth_user_backend": "django.contrib.auth.backends.ModelBackend",
                        "_auth_user_hash": user.get_session_auth_hash()})
        session.save()
        return f"sessionid={session.session_key}; csrftoken={'a' * 32}"

    def read(self, first, end):
        for user in self.users.filter(id__gte=first, id__lt=end).prefetch_related("groups"):
            self.cache[user.pk] = user

    def request(self, path, query="", form=None):
        body = urllib.parse.urlencode({"csrfmiddlewaretoken": "a" * 32, **form}).encode() if form else b""
        answer = []
        response = self.handler(
            {"REQUEST_METHOD": "POST" if form else "GET", "PATH_INFO": path, "QUERY_STRING": query, "SCRIPT_NAME": "",
             "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "http",
             "wsgi.input": io.BytesIO(body), "wsgi.errors": io.StringIO(), "CONTENT_LENGTH": str(len(body)),
             "CONTENT_TYPE": "application/x-www-form-urlencoded", "HTTP_COOKIE": self.cookie},
            lambda status, headers, error=None: answer.append(status))
        text = b"".join(response)
        response.close()
        if answer[0][:3] != ("302" if form else "200"):
            raise SystemExit(f"django: {path} was answered with {answer[0]}: {text[:500]!r}")

    def one(self, number):
        return number * 7919 % self.size + 1

    def read_again(self, number):
        one = self.one(number)
        self.read(one, one + USERS_A_REQUEST)

    def __call__(self, number):
        one = self.one(number)
        kind = number % 4
        if kind == 0:
            self.request("/admin/auth/user/", f"p={number % 10 + 1}")
        elif kind == 1:
            self.request("/admin/auth/user/", f"q=user{one}")
        elif kind == 2:
            self.request(f"/admin/auth/group/{one % 50 + 1}/change/")
        else:
            self.request(f"/admin/auth/group/{one % 50 + 1}/change/", form={"name": f"group {one % 50 + 1}"})
        self.read_again(number)


def load(size, seed):
    return Site(size)
