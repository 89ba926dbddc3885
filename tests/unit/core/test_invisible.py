from __future__ import annotations

import pytest

from redline.core.invisible import spell_run


@pytest.mark.parametrize(
    ("run", "spelt"),
    [
        ("\u200b", "U+200B"),
        ("\u200b\u200b\u200c\u200b", "U+200B*2 U+200C U+200B"),
        ("\U000e0020\U000e007e", 'tags " ~"'),
        ("\U000e0022\U000e005c", r'tags "\"\\"'),
        ("\U000e001f\U000e007f\U000e0001", "U+E001F U+E007F U+E0001"),
        ("\ufe00\ufe0f\U000e0100\U000e01ef", r'bytes "\x00\x0F\x10\xFF"'),
        ("\U000e0158\U000e0159", 'bytes "hi"'),
        ("\U000e0068\U000e0158\U000e00ff\U000e01f0", 'tags "h" bytes "h" U+E00FF U+E01F0'),
        ("", ""),
    ],
)
def test_a_run_is_spelt_with_what_it_carries(run: str, spelt: str) -> None:
    assert spell_run(run) == spelt
