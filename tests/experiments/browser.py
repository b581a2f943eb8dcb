"""A headless Chromium for one test, driven by its DevTools protocol over a pipe: no port, no driver, no library.

What it does is waited for by what it answers, never by time; PATIENCE is when it is given up.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
           "--disable-background-networking", "--disable-component-update", "--disable-extensions",
           "--disable-sync", "--mute-audio", "--no-default-browser-check", "--force-color-profile=srgb")
PATIENCE = 120   # seconds for one answer, on a machine that does other things too
KEYS = {"Enter": (13, "\r"), "Tab": (9, ""), " ": (32, " "), "ArrowRight": (39, ""), "ArrowLeft": (37, "")}


def find():
    """The path of the browser; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def pipe():
    """(end to read, end to write), neither of which has the number that the browser's own ends get."""
    ends = os.pipe()
    moved = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, 10) for each in ends]
    for each in ends:
        os.close(each)
    return moved


class Browser:
    """A browser with one page. `requests`: all addresses that the page asked for, and `forbidden` those that its own
    policy kept it from; `errors`: what was written to the
    console as an error or a warning, what was thrown, and what the page forbade itself."""

    def __init__(self):
        self.requests, self.forbidden, self.errors = [], [], []
        self._asked = {}
        self._number, self._data, self._loaded, self._session = 0, b"", set(), None
        self._home = tempfile.mkdtemp(prefix="browser-")
        commands, self._commands = pipe()
        self._answers, answers = pipe()

        def place():
            os.dup2(commands, 3)
            os.dup2(answers, 4)
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        with open(os.path.join(self._home, "said"), "wb") as said:
            # pylint: disable-next=subprocess-popen-preexec-fn
            self._process = subprocess.Popen(
                [find(), *OPTIONS, *sandbox, f"--user-data-dir={self._home}/profile"], stdin=subprocess.DEVNULL,
                stdout=said, stderr=said, close_fds=False, preexec_fn=place, start_new_session=True,
                env={**os.environ, "HOME": self._home, "LANG": "C.UTF-8"})
        os.close(commands)
        os.close(answers)
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
            self.call("Page.setLifecycleEventsEnabled", enabled=True)
        except BaseException:
            self.close()
            raise

    def close(self):
        """Ends it with all its processes."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        shutil.rmtree(self._home, ignore_errors=True)

    def call(self, method, **parameters):
        """What the browser answers; RuntimeError if that is an error, or nothing comes."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data):]
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self._message(deadline, method)
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self._note(message)

    def _message(self, deadline, what):
        while b"\0" not in self._data:
            ready, _, _ = select.select([self._answers], [], [], max(0, deadline - time.monotonic()))
            more = os.read(self._answers, 1 << 20) if ready else b""
            if not more:
                with open(os.path.join(self._home, "said"), encoding="utf-8", errors="replace") as said:
                    why = "ended" if ready else f"did not answer in {PATIENCE} s"
                    raise RuntimeError(f"{what}: the browser {why}; it said: {said.read()[-2000:]}")
            self._data += more
        message, _, self._data = self._data.partition(b"\0")
        return json.loads(message)

    def _note(self, message):
        method, what = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self._asked[what["requestId"]] = what["request"]["url"]
            self.requests.append(what["request"]["url"])
        elif method == "Network.loadingFailed" and what.get("blockedReason") == "csp":
            self.forbidden.append(self._asked[what["requestId"]])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(what["exceptionDetails"])
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.errors.append(what["args"])
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.errors.append(what["entry"])
        elif method == "Page.lifecycleEvent" and what["name"] == "load":
            self._loaded.add(what["loaderId"])

    def open(self, address):
        """Loads a page whole, its pictures included."""
        found = self.call("Page.navigate", url=address)
        deadline = time.monotonic() + PATIENCE
        while found["loaderId"] not in self._loaded:
            self._note(self._message(deadline, address))

    def value(self, expression):
        """Of a JavaScript expression, as JSON; that of a promise when it is kept."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def size(self, width, height=900, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def media(self, scheme="light", kind=""):
        """`scheme`: light or dark; `kind`: screen or print; empty: what it is shown on."""
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def scripts(self, run):
        """Whether those of pages that are opened from now on run."""
        self.call("Emulation.setScriptExecutionDisabled", value=not run)

    def click(self, element):
        """With the mouse, in the middle of what a JavaScript expression gives, after it was moved into view."""
        x, y = self.value(f"""(async () => {{
            const element = {element};
            element.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
            for (let frame = 0; frame < 2; ++frame) {{
                await new Promise(requestAnimationFrame);
            }}
            const box = element.getBoundingClientRect();
            const place = [box.x + box.width / 2, box.y + box.height / 2];
            const there = document.elementFromPoint(...place);
            if (!there || !element.contains(there) && !there.contains(element)) {{
                throw new Error(`at ${{place}} is ${{there?.outerHTML.slice(0, 80)}}`);
            }}
            return place;
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        """A key, on what has the focus."""
        code, text = KEYS[key]
        named = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **named)
        self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def picture(self, path, whole=False):
        """A PNG of what is in view, or of the whole page."""
        more = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            more = {"captureBeyondViewport": True, "clip": {**size, "scale": 1}}
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png", **more)["data"]))
