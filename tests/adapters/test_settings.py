"""The person's configuration and the repository's policy (checklist S59)."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from redline.adapters.settings.files import config_home, load, parse_duration
from redline.core.decision import Level
from redline.core.paths import RepoPath
from redline.core.policy import MIB, Limits, Policy
from redline.errors import SettingsFault, UsageFault

if TYPE_CHECKING:
    from pathlib import Path

DAY = timedelta(days=1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "repo"
    made.mkdir()
    return made


def own(text: str) -> None:
    folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "redline")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
        file.write(text)


def repository(root: Path, text: str) -> None:
    (root / ".redline.toml").write_text(text, encoding="utf-8")


def test_without_files_the_defaults_hold(root: Path) -> None:
    assert load(str(root)) == Policy()


def test_the_person_may_loosen_every_default(root: Path) -> None:
    own(
        '[confirm]\nlevel = "none"\n[paths]\ndeny = ["*.key"]\n[proposals]\nttl = "7d"\n'
        "[limits]\ninput_mib = 64\nfile_mib = 32\nfiles = 5000\n"
    )
    assert load(str(root)) == Policy(
        Level.NONE, (("*.key",),), 7 * DAY, timedelta.max, Limits(64 * MIB, 32 * MIB, 5000)
    )


def test_a_repository_only_tightens(root: Path) -> None:
    own('[confirm]\nlevel = "none"\n[paths]\ndeny = ["*.key"]\n[limits]\nfiles = 10\nfile_mib = 1\n')
    repository(
        root,
        '[confirm]\nlevel = "tty"\n[paths]\ndeny = ["docs/"]\n[proposals]\nttl = "1h"\n'
        "[limits]\nfiles = 99\nfile_mib = 1\ninput_mib = 1\n",
    )
    hour = timedelta(hours=1)
    assert load(str(root)) == Policy(Level.TTY, (("*.key",), ("docs/",)), hour, hour, Limits(MIB, MIB, 10))


def test_a_repository_cannot_loosen_anything(root: Path) -> None:
    own('[confirm]\nlevel = "tty"\n[proposals]\nttl = "1h"\n[limits]\nfiles = 1\nfile_mib = 1\ninput_mib = 1\n')
    strict = load(str(root))
    repository(
        root,
        '[confirm]\nlevel = "none"\n[paths]\ndeny = []\n[proposals]\nttl = "90d"\n'
        "[limits]\nfiles = 9999\nfile_mib = 999\ninput_mib = 999\n",
    )
    loosened = load(str(root))
    assert (loosened.level, loosened.lifetime, loosened.limits) == (strict.level, strict.lifetime, strict.limits)


def test_a_repositorys_ttl_holds_even_if_it_is_the_default_one(root: Path) -> None:
    own('[proposals]\nttl = "7d"\n')
    repository(root, '[proposals]\nttl = "24h"\n')
    policy = load(str(root))
    assert (policy.lifetime, policy.longest_lifetime) == (DAY, DAY)


def test_a_repositorys_exception_does_not_undo_the_persons_denial(root: Path) -> None:
    own('[paths]\ndeny = ["secrets/**", "!secrets/public.txt"]\n')
    repository(root, '[paths]\ndeny = ["!secrets/**", "!*"]\n')
    policy = load(str(root))
    assert policy.denial(RepoPath("secrets/a")) == "secrets/**"
    assert policy.denial(RepoPath("secrets/public.txt")) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[confirm]\nlevels = 'tty'\n", "confirm.levels"),
        ("[confirms]\nlevel = 'tty'\n", "confirms.level"),
        ("auto_approve = true\n", "auto_approve"),
        ("[limits]\nfiles = 1\napproved = true\n", "limits.approved"),
        ("[limits.deep]\nfiles = 1\n", "limits.deep"),
        ("[[confirm]]\nlevel = 'none'\n", "confirm"),
        ("[confirm]\nlevel = 1\n", "confirm.level"),
        ("[confirm]\nlevel = 'root'\n", "confirm.level"),
        ("[confirm]\nlevel = ['tty']\n", "confirm.level"),
        ("[paths]\ndeny = '*.key'\n", "paths.deny"),
        ("[paths]\ndeny = [1]\n", "paths.deny"),
        ("[paths]\ndeny = ['']\n", "paths.deny"),
        ("[paths]\ndeny = ['*.key', '!']\n", "paths.deny"),
        ("[paths]\ndeny = ['[z-a]']\n", "paths.deny"),
        ("[proposals]\nttl = 24\n", "proposals.ttl"),
        ("[proposals]\nttl = '24 hours'\n", "proposals.ttl"),
        ("[proposals]\nttl = '999999w'\n", "proposals.ttl"),
        ("[limits]\nfiles = 0\n", "limits.files"),
        ("[limits]\nfiles = true\n", "limits.files"),
        ("[limits]\nfile_mib = 1.5\n", "limits.file_mib"),
        ("[limits]\ninput_mib = '1'\n", "limits.input_mib"),
    ],
)
@pytest.mark.parametrize("whose", ["own", "repository"])
def test_a_key_that_is_not_understood_is_refused_by_name(root: Path, text: str, key: str, whose: str) -> None:
    if whose == "own":
        own(text)
        path = os.path.join(config_home(), "redline", "config.toml")
    else:
        repository(root, text)
        path = str(root / ".redline.toml")
    with pytest.raises(SettingsFault) as refusal:
        load(str(root))
    assert refusal.value.details == {"file": path, "key": key}
    assert refusal.value.message.startswith(f"{path}: {key} is ")


@pytest.mark.parametrize(
    "data",
    [
        b"[confirm\n",
        b"\xff\xfe",
        b"a = 1\na = 2\n",
        b"x = " + b"[" * 100_000,
        b"x = " + b"9" * 5000,
        b"# padding\n" * 110_000,
    ],
)
def test_a_file_that_cannot_be_read_stops_everything(root: Path, data: bytes) -> None:
    (root / ".redline.toml").write_bytes(data)
    with pytest.raises(SettingsFault) as refusal:
        load(str(root))
    assert refusal.value.message.startswith(f"{root / '.redline.toml'} cannot be read: ")
    assert refusal.value.hint == "Repair the file; until then redline does nothing."


def test_no_rule_is_cut_off_at_the_end_of_a_long_file(root: Path) -> None:
    repository(root, "#" * ((1 << 20) - 60) + "\n[limits]\nfiles = 3\n")
    assert load(str(root)).limits.files == 3
    repository(root, "#" * (1 << 20) + "\n[limits]\nfiles = 3\n")
    with pytest.raises(SettingsFault, match="it is larger than 1048576 bytes"):
        load(str(root))


@pytest.mark.parametrize("how", ["link", "dangling link", "pipe", "folder"])
def test_a_repository_policy_that_is_no_plain_file_is_refused(root: Path, tmp_path: Path, how: str) -> None:
    path = root / ".redline.toml"
    (tmp_path / "elsewhere").write_text("[limits]\nfiles = 3\n")
    if how == "pipe":
        os.mkfifo(path)
    elif how == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / ("elsewhere" if how == "link" else "nothing"))
    descriptors = len(os.listdir("/proc/self/fd"))
    with pytest.raises(SettingsFault):
        load(str(root))
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_the_persons_own_file_may_be_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").write_text("[limits]\nfiles = 3\n")
    own("")
    path = os.path.join(config_home(), "redline", "config.toml")
    os.unlink(path)
    os.symlink(tmp_path / "dotfiles", path)
    assert load(str(root)).limits.files == 3


def test_the_configuration_is_in_the_persons_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "")
    monkeypatch.setenv("HOME", "/home/ada")
    assert config_home() == "/home/ada/.config"


@pytest.mark.parametrize(
    ("text", "seconds"), [("1s", 1), ("90s", 90), ("45m", 2700), ("24h", 86400), ("7d", 604800), ("2w", 1209600)]
)
def test_a_duration_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "24",
        "h",
        "0h",
        "-1h",
        "1.5h",
        "1H",
        "1 h",
        " 1h",
        "1h\n",
        "1y",
        "01h",
        "\u0661h",
        "36501d",
        "999999w",
        "9" * 9 + "s",
    ],
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageFault):
        parse_duration(text)
