"""The site of programs/django_admin.py behind a socket: the standard library's WSGI server, a thread a request.

    python3 -I -S django_server.py [--size N] [--port P]

Prints its address when it can be asked; port 0 is any that is free. For each request 50 users are read anew, as in the
program; who asks is signed in. Ends by SIGINT or SIGTERM and prints one JSON object: what it used since it was ready.
"""
import itertools
import json
import os
import signal
import site
import socketserver
import sys
import tempfile
import time
import wsgiref.simple_server

sys.path.insert(0, __file__.rpartition("/")[0] or ".")

import measure

USAGE = "usage: django_server.py [--size N] [--port P]"


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 1000


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Application:
    """What WSGI calls, and what was used since it was made."""

    def __init__(self, loaded):
        self.site, self.numbers, self.asked = loaded, itertools.count(1), 0
        self.pauses = measure.Pauses()
        self.pauses.__enter__()
        self.begun = time.perf_counter_ns(), time.process_time_ns()

    def __call__(self, environ, start_response):
        self.asked = number = next(self.numbers)
        environ["HTTP_COOKIE"] = self.site.cookie
        answer = self.site.handler(environ, start_response)
        self.site.read_again(number)
        return answer

    def row(self):
        wall, cpu = time.perf_counter_ns() - self.begun[0], time.process_time_ns() - self.begun[1]
        return {**measure.engine(), "size": self.site.size, "requests": self.asked, "run_ns": wall, "run_cpu_ns": cpu,
                "rss_peak_bytes": measure.memory(b"VmHWM:"), "pauses": self.pauses.summary(),
                "collections": self.pauses.collections()}


def load(size, directory):
    from programs import django_admin
    try:
        # A file: a database in memory is that of one thread.
        return django_admin.Site(size, os.path.join(directory, "site.sqlite3"))
    except ImportError as error:
        measure.fail("django_server.py", f"it needs Debian's {django_admin.PACKAGE}: {error}")


def main():
    wanted = measure.parse("django_server.py", USAGE, {"size": 30_000, "port": 8000}, sys.argv[1:])
    site.main()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as directory:
        loaded = load(wanted["size"], directory)
        measure.loaded()
        application = Application(loaded)
        with wsgiref.simple_server.make_server("127.0.0.1", wanted["port"], application, Server, Quiet) as server:
            print(f"http://127.0.0.1:{server.server_port}/admin/", flush=True)
            try:
                server.serve_forever()
            except KeyboardInterrupt:
                print(json.dumps(application.row()))


if __name__ == "__main__":
    measure.require_cpython("django_server.py")
    main()
