"""What another program could do to this person's terminal."""

from __future__ import annotations

from redline.core.protection import Protection, Strength

_SWITCH = "/proc/sys/dev/tty/legacy_tiocsti"


def protection() -> Protection:
    """Whether another program can type into the terminal (ioctl_tty(2), TIOCSTI; Linux 6.2 has the switch)."""
    try:
        with open(_SWITCH, encoding="ascii") as file:
            can_type = file.read().strip() != "0"
    except OSError:
        can_type = True
    if can_type:
        text = "a program on the same terminal can type into it, and so could answer for you"
        return Protection("terminal", Strength.WEAK, text, f"On Linux 6.2 and newer, set {_SWITCH} to 0.")
    return Protection("terminal", Strength.HOLDS, "no other program can type into the terminal")
