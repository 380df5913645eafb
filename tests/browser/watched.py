"""A watched page: its console, its errors, and the hosts that it calls."""

from urllib.parse import urlsplit

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
# The browser's own message for an error response.
REFUSED = "Failed to load resource"


class Watched:
    """A page in its own context.

    ``refusals`` says whether the browser may report refused requests, and ``others`` names the hosts that it may call.
    """

    def __init__(self, browser, url, *, size=DESKTOP, refusals=False, path="/", others=(), **options):
        self.url = url
        self._others = set(others)
        self._refusals = refusals
        self.messages = []
        self.hosts = set()
        self.context = browser.new_context(viewport=size, **options)
        self.context.set_default_timeout(20_000)
        self.page = self.context.new_page()
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        self.page.goto(f"{url}{path}")

    def _hear(self, message):
        """Keep a message of the console, unless another host's page wrote it."""
        if urlsplit(message.location["url"]).netloc not in self._others:
            self.messages.append(message.text)

    def ask(self, question, *, mode="ask"):
        """Ask a question in the Ask tab."""
        self.page.locator(f"#mode-{mode}").check()
        self.page.get_by_label("Your question").fill(question)
        self.page.get_by_label("Your question").press("Enter")

    def open_tab(self, name):
        """Open a tab by its name."""
        self.page.get_by_role("tab", name=name).click()

    def add(self, *named):
        """Upload files in the Documents tab: names and contents alternate; waits until their job has ended."""
        files = [
            {"name": name, "mimeType": "", "buffer": content}
            for name, content in zip(named[::2], named[1::2], strict=True)
        ]
        self.page.get_by_label("Add documents").set_input_files(files)
        self.page.get_by_role("button", name="Add", exact=True).click()
        self.page.locator(".jobs .done").first.wait_for()

    def answer(self):
        """The text of the checked answer."""
        return self.page.locator(".answer:not(.draft)").inner_text()

    def close(self):
        """End the watch: nothing was logged, and no other host was called."""
        self.context.close()
        unexpected = [text for text in self.messages if not (self._refusals and text.startswith(REFUSED))]
        assert not unexpected, unexpected
        assert {urlsplit(self.url).netloc} == self.hosts - self._others, self.hosts
