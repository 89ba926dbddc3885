"""`redline-agent mcp` through the SDK's own client, in both protocol generations."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio
import pytest
from mcp import MCPError, types
from mcp.shared.exceptions import MCPDeprecationWarning

from redline import app
from redline.core.proposal import MAX_REASON_CHARACTERS
from redline.frontends.agent.mcp.calls import Caller, Calls
from tests.frontends.support import assert_error_document, assert_one_clear_sentence
from tests.support.mcp_client import LEGACY, MODERN, Transcript, connected, document
from tests.support.sandbox import BIN, Sandbox, edit, replace, write

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator

    from mcp import Client

GOLDEN = Path(__file__).parent.parent / "golden" / "mcp"
PATCH = "--- a/src/b.py\n+++ b/src/b.py\n@@ -1,2 +1,2 @@\n def b():\n-    return 1\n+    return 2\n"


@pytest.fixture
def ready(sandbox: Sandbox) -> Sandbox:
    sandbox.redline("init")
    sandbox.allow_level_none()
    return sandbox


@pytest.fixture(params=[LEGACY, MODERN])
def mode(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--golden-write"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check


def converse(
    sandbox: Sandbox, mode: str, talk: Callable[[Client], Awaitable[None]], *options: str, **more: Any
) -> None:
    """Hold one conversation from connecting to closing."""

    async def whole() -> None:
        async with connected(sandbox.root, mode, *options, **more) as client:
            await talk(client)

    anyio.run(whole)


def later(sandbox: Sandbox, *arguments: str) -> Callable[[], Coroutine[None, None, None]]:
    """A person who acts while the model waits."""

    async def act() -> None:
        await anyio.sleep(1)
        result = await anyio.to_thread.run_sync(partial(sandbox.redline, *arguments))
        assert result.code == 0, result.err

    return act


def test_the_whole_conversation(ready: Sandbox, mode: str, golden: Callable[[str, str], None]) -> None:
    async def talk(client: Client) -> None:
        said = Transcript(client)
        await said.call("list_own_proposals")
        await said.call("propose_edits", reason="German", edits=[replace("a.txt", "two", "zwei")])
        await said.call("propose_edits", reason="German", edits=[replace("a.txt", "two", "deux")])
        await said.call("propose_patch", patch=PATCH, reason="b is 2")
        joined = document(await said.call("propose_edits", edits=[write("new.txt", "\u202enew\n")]))
        proposal = joined["proposal"]
        await said.call("await_decision", timeout_s=0)
        await said.call("read_status", proposal=proposal)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(later(ready, "decline", proposal, "-m", "b stays 1"))
            said.say("the person declines")
            await said.call("await_decision", timeout_s=30)
        again = document(await said.call("propose_edits", reason="German", edits=[replace("a.txt", "two", "zwei")]))
        await said.call("seal")
        digest = again["digest"]
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(later(ready, "confirm", again["proposal"], "--digest", digest))
            said.say("the person confirms")
            await said.call("await_decision", timeout_s=30)
        await said.call("await_decision", timeout_s=30)
        await said.call("withdraw", proposal=again["proposal"])
        taken_back = document(await said.call("propose_edits", edits=[{"op": "delete", "path": "a.txt"}]))
        await said.call("withdraw", proposal=taken_back["proposal"])
        await said.call("list_own_proposals")
        golden("conversation.txt", said.text)

    converse(ready, mode, talk)
    assert ready.read("a.txt") == b"one\nzwei\nthree\n"
    assert ready.read("src/b.py") == b"def b():\n    return 1\n"


def test_no_tool_confirms(ready: Sandbox, mode: str, golden: Callable[[str, str], None]) -> None:
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [
            "propose_edits",
            "propose_patch",
            "seal",
            "await_decision",
            "read_status",
            "list_own_proposals",
            "withdraw",
        ]
        listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
        golden("tools.json", json.dumps(listed, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        made = document(await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]}))
        for name in ("confirm", "decline", "approve", "apply", "recover", "init"):
            with pytest.raises(MCPError, match="there is no tool"):
                await client.call_tool(name, {"proposal": made["proposal"], "digest": made["digest"]})

    before = ready.tree(), ready.git_state()
    converse(ready, mode, talk)
    assert (ready.tree(), ready.git_state()) == before


def test_an_offered_elicitation_is_never_used(ready: Sandbox) -> None:
    """A client that would say yes to everything is never asked."""

    async def yes(_: object, __: object) -> types.ElicitResult:
        raise AssertionError("the server asked")

    async def talk(client: Client) -> None:
        made = document(await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]}))
        waited = document(await client.call_tool("await_decision", {"timeout_s": 1}))
        assert waited["pending"] == [made["proposal"]]

    converse(ready, LEGACY, talk, elicitation_callback=yes)


REFUSED: list[tuple[str, dict[str, Any], str, str]] = [
    ("propose_edits", {"edits": [write("c.txt", "c\n")], "approved": True}, "INPUT_SCHEMA", "approved"),
    ("propose_edits", {}, "INPUT_SCHEMA", "edits"),
    ("propose_edits", {"edits": [{"op": "confirm", "path": "a.txt"}]}, "INPUT_SCHEMA", "edits[0].op"),
    ("propose_edits", {"edits": [replace("a.txt", "nine", "neun")]}, "NO_MATCH", "a.txt"),
    ("propose_edits", {"edits": [write("../c.txt", "c\n")]}, "PATH_TRAVERSAL", "../c.txt"),
    ("propose_edits", {"edits": [write(".git/config", "c\n")]}, "PATH_GIT", ".git"),
    ("propose_patch", {"patch": "hello"}, "FORMAT_UNKNOWN", "format"),
    ("propose_patch", {"patch": PATCH, "author": "Ada"}, "ARGUMENTS", "author"),
    ("propose_patch", {"patch": PATCH, "strip": -1}, "ARGUMENTS", "$.strip"),
    ("propose_patch", {"patch": 7}, "ARGUMENTS", "$.patch"),
    ("propose_patch", {"patch": PATCH, "reason": "x" * (MAX_REASON_CHARACTERS + 1)}, "ARGUMENTS", "$.reason"),
    ("read_status", {}, "ARGUMENTS", "proposal"),
    ("read_status", {"proposal": "0000"}, "NOT_AUTHORIZED", "0000"),
    ("withdraw", {"proposal": "0000"}, "NOT_AUTHORIZED", "0000"),
    ("await_decision", {"timeout_s": 601}, "ARGUMENTS", "$.timeout_s"),
    ("await_decision", {"timeout_s": "long"}, "ARGUMENTS", "$.timeout_s"),
    ("seal", {"digest": "x"}, "ARGUMENTS", "digest"),
]


def test_a_refusal_comes_with_its_code_and_the_next_step(ready: Sandbox, mode: str) -> None:
    async def talk(client: Client) -> None:
        for tool, arguments, code, named in REFUSED:
            result = await client.call_tool(tool, arguments)
            assert result.is_error, (tool, arguments)
            error: dict[str, Any] = result.structured_content["error"]
            assert error["code"] == code, (tool, arguments, error)
            assert named in error["message"], (tool, arguments, error)
            (content,) = result.content
            assert content.type == "text"
            assert content.text.startswith(f"{code}: ")
            assert f"\nNext: {error['hint']}" in content.text

    converse(ready, mode, talk)
    assert ready.redline("list", "--status", "all", "--json").json == {"proposals": []}


def test_a_journal_is_made_by_a_person_and_the_model_is_told_so(sandbox: Sandbox) -> None:
    async def talk(client: Client) -> None:
        refused = await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]})
        assert refused.is_error
        assert "redline init" in refused.structured_content["error"]["hint"]
        await anyio.to_thread.run_sync(sandbox.redline, "init")
        document(await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]}))

    converse(sandbox, MODERN, talk)


def test_progress_is_reported_while_nobody_decides(ready: Sandbox, mode: str) -> None:
    async def talk(client: Client) -> None:
        heard: list[tuple[float, float | None, str | None]] = []

        async def note(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, total, message))

        await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]})
        await client.call_tool("await_decision", {"timeout_s": 3}, progress_callback=note)
        assert len(heard) == 2
        assert heard[0][0] < heard[1][0] < 3
        assert {message for _, _, message in heard} == {"The person has not decided yet."}
        assert {total for _, total, _ in heard} == {3.0}

    converse(ready, mode, talk)


def test_other_calls_are_answered_while_one_waits(ready: Sandbox, mode: str) -> None:
    async def talk(client: Client) -> None:
        made = document(await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]}))
        waited: list[dict[str, Any]] = []

        async def wait() -> None:
            waited.append(document(await client.call_tool("await_decision", {"timeout_s": 20})))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.sleep(0.5)
            with anyio.fail_after(10):
                await client.call_tool("withdraw", {"proposal": made["proposal"]})
        assert [event["outcome"] for event in waited[0]["events"]] == ["withdrawn"]

    converse(ready, mode, talk)


def test_resources_are_what_show_prints(ready: Sandbox, mode: str) -> None:
    async def talk(client: Client) -> None:
        made = document(await client.call_tool("propose_edits", {"edits": [replace("a.txt", "two", "zwei")]}))
        ready.write("a.txt", b"drifted\n")
        (resource,) = (await client.list_resources()).resources
        assert (resource.uri, resource.description) == (f"proposal://{made['proposal']}", "pending")
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "proposal://{id}"
        (content,) = (await client.read_resource(resource.uri)).contents
        assert isinstance(content, types.TextResourceContents)
        assert content.mime_type == "application/json"
        shown = json.loads(content.text)
        assert shown == ready.redline("show", made["proposal"], "--json").json
        assert shown["changes"][0]["drifted"] is True
        with pytest.raises(MCPError, match="NOT_AUTHORIZED"):
            await client.read_resource("proposal://0000")

    converse(ready, mode, talk)


def test_an_older_client_subscribes_to_a_proposal(ready: Sandbox) -> None:
    updated: list[str] = []

    async def note(message: object) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            updated.append(message.params.uri)

    async def talk(client: Client) -> None:
        one = document(await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]}))["proposal"]
        await client.call_tool("seal")
        two = document(await client.call_tool("propose_edits", {"edits": [write("d.txt", "d\n")]}))["proposal"]
        for uri in (f"proposal://{one}", f"proposal://{two}"):
            with pytest.warns(MCPDeprecationWarning):
                await client.subscribe_resource(uri)
        with pytest.warns(MCPDeprecationWarning):
            await client.unsubscribe_resource(f"proposal://{two}")
        assert ready.redline("decline", one, two).code == 0
        await anyio.sleep(1.5)
        assert updated == [f"proposal://{one}"]

    converse(ready, LEGACY, talk, message_handler=note)


def test_a_client_of_today_listens_to_a_proposal(ready: Sandbox) -> None:
    async def talk(client: Client) -> None:
        made = document(await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]}))
        uri = f"proposal://{made['proposal']}"
        async with client.listen(resource_subscriptions=[uri, "proposal://0000"]) as events:
            assert ready.redline("decline", made["proposal"]).code == 0
            with anyio.fail_after(10):
                event = await anext(events)
        assert event.uri == uri  # type: ignore[union-attr]

    converse(ready, MODERN, talk)


def test_whose_proposal_it_is_comes_from_the_program_not_from_the_text(ready: Sandbox) -> None:
    async def talk(client: Client) -> None:
        await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]})

    converse(ready, LEGACY, talk, "--session", "s1", "--author", "claude-code")
    converse(ready, LEGACY, talk, "--session", "s2")
    converse(ready, MODERN, talk)
    rows = ready.redline("list", "--json").json["proposals"]
    origins = [(row["origin"]["author"], row["origin"]["session"]) for row in reversed(rows)]
    assert origins[:2] == [("claude-code", "s1"), ("mcp", "s2")]
    assert len(origins[2][1]) == 16


def test_another_sessions_proposal_is_not_listed_told_or_withdrawn(ready: Sandbox) -> None:
    other = ready.propose(edit(write("c.txt", "c\n")), "--session", "other")

    async def talk(client: Client) -> None:
        assert document(await client.call_tool("list_own_proposals"))["proposals"] == []
        assert document(await client.call_tool("read_status", {"proposal": other}))["status"] == "pending"
        refused = await client.call_tool("withdraw", {"proposal": other})
        assert refused.structured_content["error"]["code"] == "NOT_AUTHORIZED"
        waited = document(await client.call_tool("await_decision", {"timeout_s": 30}))
        assert (waited["events"], waited["pending"]) == ([], [])

    converse(ready, MODERN, talk)
    assert ready.agent("status", other, "--json").json["status"] == "pending"


def test_an_outcome_is_told_until_the_session_calls_again(ready: Sandbox) -> None:
    """A server that ends right after its answer may not have been heard."""
    proposal = ready.propose(edit(write("c.txt", "c\n")), "--session", "s1")
    ready.redline("decline", proposal, "-m", "no c")

    async def hear(times: int, client: Client) -> None:
        told = [document(await client.call_tool("await_decision", {"timeout_s": 0})) for _ in range(times)]
        reasons = [[event["reason"] for event in one["events"]] for one in told]
        assert reasons == [["no c"], []][:times]

    converse(ready, MODERN, partial(hear, 1), "--session", "s1")
    converse(ready, MODERN, partial(hear, 2), "--session", "s1")
    assert ready.agent("feedback", "--session", "s1", "--json").json["events"] == []


def test_the_repositorys_policy_counts_as_it_is_at_each_call(ready: Sandbox) -> None:
    async def talk(client: Client) -> None:
        document(await client.call_tool("propose_edits", {"edits": [write("c.txt", "c\n")]}))
        ready.write(".redline.toml", b'[paths]\ndeny = ["*.txt"]\n')
        refused = await client.call_tool("propose_edits", {"edits": [write("d.txt", "d\n")]})
        assert refused.structured_content["error"]["code"] == "POLICY_DENIED"

    converse(ready, MODERN, talk)


class Raw:
    """The server as a process, line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def greet(self) -> None:
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}).encode())
        assert self.answer()["result"]["protocolVersion"] == "2025-11-25"
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def memory_kib(self) -> int:
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

    def end(self) -> tuple[int, bytes]:
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err


@contextmanager
def served(sandbox: Sandbox) -> Iterator[Raw]:
    """A server that was greeted; it ends with the test, whatever that finds."""
    with subprocess.Popen(
        [os.path.join(BIN, "redline-agent"), "mcp"],
        cwd=sandbox.root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            server = Raw(process)
            server.greet()
            yield server
        finally:
            process.kill()


@pytest.fixture
def limited(ready: Sandbox) -> Sandbox:
    ready.write(".redline.toml", b"[limits]\ninput_mib = 1\n")
    return ready


CALL = '"method":"tools/call","params":{"name":"propose_patch","arguments":{"id":99,"patch":"%s"}}'


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        ('{"jsonrpc":"2.0","id":7,' + CALL + "}", 7),
        ("{" + CALL + ',"jsonrpc":"2.0","id":"seven"}', "seven"),
        ('{"jsonrpc":"2.0",' + CALL + "}", None),
        ("%s", None),
    ],
)
def test_a_line_that_is_too_long_is_refused_and_never_held(limited: Sandbox, line: str, answered: object) -> None:
    with served(limited) as server:
        before = server.memory_kib()
        server.send((line % ("x" * 40_000_000)).encode())
        refused = server.answer()
        assert (refused["id"], refused["error"]["message"][:10]) == (answered, "LIMIT_SIZE")
        assert server.memory_kib() - before < 20_000
        server.send(b'{"jsonrpc":"2.0","id":8,"method":"ping"}')
        assert server.answer() == {"jsonrpc": "2.0", "id": 8, "result": {}}
        assert server.end() == (0, b"")
    assert limited.redline("list", "--json").json == {"proposals": []}


def test_a_line_that_is_just_short_enough_is_taken(limited: Sandbox) -> None:
    with served(limited) as server:
        start, end = b'{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"x":"', b'"}}}'
        server.send(start + b"x" * (1024 * 1024 - len(start) - len(end)) + end)
        assert server.answer() == {"jsonrpc": "2.0", "id": 2, "result": {}}
        server.send(start + b"x" * (1024 * 1024 - len(start) - len(end) + 1) + end)
        assert server.answer()["error"]["message"].startswith("LIMIT_SIZE")
        assert server.end() == (0, b"")


@pytest.mark.parametrize("line", [b"garbage", b"{", b"[]", b'"\\ud800"', b"\xff", b'{"jsonrpc":"2.0","id":{}}'])
def test_what_is_no_message_is_answered_and_the_next_is_served(ready: Sandbox, line: bytes) -> None:
    with served(ready) as server:
        server.send(line)
        refused = server.answer()
        assert (refused["id"], refused["error"]["code"]) == (None, types.PARSE_ERROR)
        server.send(b'{"jsonrpc":"2.0","id":8,"method":"ping"}')
        assert server.answer() == {"jsonrpc": "2.0", "id": 8, "result": {}}
        assert server.end() == (0, b"")


def test_a_client_that_goes_away_is_no_error(ready: Sandbox) -> None:
    with served(ready) as server:
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(b'{"jsonrpc":"2.0","id":8,"method":"ping"}')
        assert server.process.wait(20) == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""


def test_an_interrupt_ends_it(ready: Sandbox) -> None:
    with served(ready) as server:
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(20) == 130
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b"interrupted; everything is as before\n"


def test_without_a_repository_or_the_extra_it_says_what_is_missing(sandbox: Sandbox, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert_error_document(sandbox.agent("mcp", "--json", folder=empty), 2, "USAGE")
    assert_one_clear_sentence(sandbox.agent("mcp", folder=empty), 6, "empty")
    # A package of that name that is not the SDK's hides it, as an older SDK without `mcp_types` would.
    (tmp_path / "hides" / "mcp_types.py").parent.mkdir()
    (tmp_path / "hides" / "mcp_types.py").write_text("raise ModuleNotFoundError(name='mcp_types')\n")
    missing = sandbox.agent("mcp", PYTHONPATH=str(tmp_path / "hides"))
    assert_one_clear_sentence(missing, 6, "mcp_types is not installed")
    assert missing.err.endswith("  Next: pip install 'redline[mcp]'\n")


def test_no_other_command_of_the_agents_pays_for_the_sdk(ready: Sandbox) -> None:
    script = (
        "import sys; from redline.app import World; from redline.frontends.agent import main;"
        " main.run(['status'], World()); print(*sys.modules)"
    )
    done = subprocess.run(
        [os.path.join(BIN, "python"), "-c", script], cwd=ready.root, capture_output=True, text=True, check=True
    )
    assert {"mcp", "mcp_types", "pydantic", "anyio", "asyncio", "jsonschema"} & set(done.stdout.split()) == set()


def test_serving_loads_no_module_that_decides_or_writes(ready: Sandbox) -> None:
    script = (
        "import atexit, sys; from redline.app import World; from redline.frontends.agent import main;"
        " main.run(['mcp'], World()); print(*sys.modules, file=sys.stderr)"
    )
    call = {"name": "propose_edits", "arguments": edit(write("c.txt", "c\n"))}
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 3, "method": "resources/list"},
    ]  # fmt: skip
    done = subprocess.run(
        [os.path.join(BIN, "python"), "-c", script],
        cwd=ready.root,
        input="".join(json.dumps(request) + "\n" for request in requests),
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.split())
    assert "redline.review.prepare" in loaded
    forbidden = {"redline.review.decide", "redline.review.recovery", "redline.adapters.worktree.guard"}
    assert loaded & forbidden == set()
    assert {name for name in loaded if name.startswith("redline.frontends.cli")} == set()


def test_what_is_decided_between_two_looks_is_news_at_the_next(ready: Sandbox) -> None:
    proposal = ready.propose(edit(replace("a.txt", "two", "zwei")), "--session", "s1")
    calls = Calls(Caller(app.World(), str(ready.root), "s1"))

    class Racing:
        """A desk behind whose back the person decides as soon as it was asked for news."""

        def __init__(self, desk: app.ModelDesk) -> None:
            self.own = desk.own
            self._desk = desk

        def feedback(self, session: str) -> Any:
            told = self._desk.feedback(session)
            ready.redline("decline", proposal, "-m", "no")
            return told

    with calls.desk() as desk:
        assert calls.news(cast("app.ModelDesk", Racing(desk)), is_last=False) is None
        told = calls.news(desk, is_last=False)
    assert told is not None
    assert told.text.startswith(f"{proposal}: declined; a.txt: unchanged by this proposal.")
