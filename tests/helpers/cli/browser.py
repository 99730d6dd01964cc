# SPDX-License-Identifier: Apache-2.0
"""A real browser (Debian's chromium, without a window), driven over the two pipes
of its DevTools protocol."""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
ANSWER_S = 60


def program():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab. `seen` has what the page asked for, `said` what the browser said
    against it: errors of the script, what the policy has refused."""

    def __init__(self, folder):
        ask_read, self.ask = os.pipe()
        self.hear, hear_write = os.pipe()
        # The protocol's numbers are 3 and 4, whatever the pipes have here
        os.set_inheritable(ask_read, True)
        os.set_inheritable(hear_write, True)
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{ask_read} 4>&{hear_write}', "sh",
             program(), "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-breakpad", "--disable-component-update",
             "--hide-scrollbars", f"--user-data-dir={folder}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(ask_read, hear_write), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(ask_read)
        os.close(hear_write)
        self.text, self.number, self.session = b"", 0, None
        self.seen, self.said, self.loaded = [], [], False
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target,
                            flatten=True)["sessionId"]
        for domain in "Page", "Network", "Log", "Runtime", "Accessibility":
            self(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self("Browser.close")
        except (OSError, EOFError):
            pass
        os.close(self.ask)
        os.close(self.hear)
        until = time.monotonic() + ANSWER_S
        while self.lives() and time.monotonic() < until:
            time.sleep(0.01)
        if self.lives():
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def lives(self):
        """Whether it, or a process that it has started, is still there."""
        self.process.poll()
        try:
            os.killpg(self.process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def __call__(self, method, **params):
        """Ask, and return the answer's result."""
        self.number += 1
        question = {"id": self.number, "method": method, "params": params}
        if self.session:
            question["sessionId"] = self.session
        os.write(self.ask, json.dumps(question).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def message(self):
        """The next one; what happened by itself is noted."""
        until = time.monotonic() + ANSWER_S
        while b"\0" not in self.text:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.hear], [], [], left)[0]:
                raise EOFError("the browser doesn't answer")
            more = os.read(self.hear, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.text += more
        one, _, self.text = self.text.partition(b"\0")
        message = json.loads(one)
        what, params = message.get("method"), message.get("params", {})
        if what == "Network.requestWillBeSent":
            self.seen.append(params["request"]["url"])
        elif what == "Log.entryAdded":
            self.said.append(params["entry"]["text"])
        elif what == "Runtime.exceptionThrown":
            self.said.append(json.dumps(params["exceptionDetails"])[:600])
        elif what == "Page.loadEventFired":
            self.loaded = True
        return message

    def open(self, url):
        """Load a page to its end."""
        self.loaded, self.seen, self.said = False, [], []
        self("Page.navigate", url=url)
        while not self.loaded:
            self.message()
        self.settle()

    def settle(self):
        """Until what was asked for is drawn."""
        self.do("new Promise(r => requestAnimationFrame(() => "
                "requestAnimationFrame(() => r(1))))")

    def do(self, script):
        """The value of an expression in the page."""
        result = self("Runtime.evaluate", expression=script,
                      awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:600])
        return result["result"].get("value")

    def screen(self, width, height, scheme="light", media=""):
        """The window's size, and what the user prefers."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=height,
             deviceScaleFactor=1, mobile=False)
        self("Emulation.setEmulatedMedia", media=media, features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self.settle()

    def type(self, text):
        """As one types it."""
        for char in text:
            self("Input.dispatchKeyEvent", type="char", text=char)
        self.settle()

    def press(self, key, code=0, text="", shift=False):
        """One key, down and up."""
        for kind in "keyDown", "keyUp":
            self("Input.dispatchKeyEvent", type=kind, key=key, text=text
                 if kind == "keyDown" else "", windowsVirtualKeyCode=code,
                 modifiers=8 if shift else 0)
        self.settle()

    def picture(self, path, whole=True):
        """A screenshot."""
        data = self("Page.captureScreenshot", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data["data"]))

    def paper(self):
        """The PDF of the page."""
        return base64.b64decode(self("Page.printToPDF",
                                     printBackground=True)["data"])
