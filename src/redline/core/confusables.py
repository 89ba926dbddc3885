"""Letters that look like letters of ASCII: the part of Unicode's confusables data that code is disguised with.

Source: confusables.txt of UTS #39, the rows of one letter on either side, in Greek, Cyrillic, Armenian, Georgian,
Coptic, Cherokee, Lisu and Latin up to U+02AF; what compatibility normalisation (NFKC) undoes is left to it. A library
with all of the data took 50 ms to import, as long as a whole command of ours.
"""

from __future__ import annotations

import unicodedata

_LOOK_LIKE = {
    "a": "\u0251\u03b1\u0430",
    "b": "\u0184\u042c\u13cf",
    "c": "\u0441\u2ca5\uabaf",
    "d": "\u0501\u13e7\ua4d2",
    "e": "\u0435\u04bd",
    "f": "\u0584",
    "g": "\u018d\u0261\u0581",
    "h": "\u04bb\u0570\u13c2",
    "i": "\u0131\u0269\u026a\u03b9\u0456\u04cf\u13a5\ua647\uab75",
    "j": "\u03f3\u0458",
    "l": "\u0196\u01c0\u0399\u0406\u04c0\u2c92\ua4f2",
    "n": "\u0578\u057c",
    "o": "\u03bf\u03c3\u043e\u0585\u10ff\u2c9f",
    "p": "\u03c1\u0440\u2ca3",
    "q": "\u051b\u0563\u0566",
    "r": "\u0433\u1d26\u2c85\uab81",
    "s": "\u01bd\u0455\uabaa",
    "u": "\u028b\u03c5\u057d",
    "v": "\u03bd\u0475\uaba9",
    "w": "\u026f\u0461\u051d\u0561\uab83",
    "x": "\u0445",
    "y": "\u0263\u028f\u03b3\u0443\u04af\u10e7",
    "z": "\uab93",
    "A": "\u0391\u0410\u13aa\ua4ee",
    "B": "\u0392\u0412\u13f4\ua4d0",
    "C": "\u0421\u13df\u2ca4\ua4da",
    "D": "\u13a0\ua4d3",
    "E": "\u0395\u0415\u13ac\ua4f0",
    "F": "\u03dc\ua4dd",
    "G": "\u050c\u13c0\u13f3\ua4d6",
    "H": "\u0397\u041d\u13bb\u2c8e\ua4e7",
    "J": "\u037f\u0408\u13ab\ua4d9",
    "K": "\u039a\u041a\u13e6\u2c94\ua4d7",
    "L": "\u13de\u2cd0\ua4e1",
    "M": "\u039c\u03fa\u041c\u13b7\u2c98\ua4df",
    "N": "\u039d\u2c9a\ua4e0",
    "O": "\u039f\u041e\u0555\u2c9e\ua4f3",
    "P": "\u03a1\u0420\u13e2\u2ca2\ua4d1",
    "R": "\u01a6\u13a1\u13d2\ua4e3",
    "S": "\u0405\u054f\u13d5\u13da\ua4e2",
    "T": "\u03a4\u0422\u13a2\u2ca6\ua4d4",
    "U": "\u054d\ua4f4",
    "V": "\u0474\u13d9\ua4e6",
    "W": "\u051c\u13b3\u13d4\ua4ea",
    "X": "\u03a7\u0425\u2cac\ua4eb",
    "Y": "\u03a5\u0423\u04ae\u13a9\u13bd\u2ca8\ua4ec",
    "Z": "\u0396\u13c3\ua4dc",
    "2": "\u01a7\u03e8\ua644",
    "3": "\u01b7\u021c\u0417\u04e0\u2ccc",
    "4": "\u13ce",
    "5": "\u01bc",
    "6": "\u0431\u13ee\u2cd2",
    "8": "\u0222\u0223",
    "9": "\u2cca",
}
LOOKALIKES = {lookalike: letter for letter, lookalikes in _LOOK_LIKE.items() for lookalike in lookalikes}
_SKELETON = str.maketrans({**LOOKALIKES, "I": "l", "1": "l", "0": "O"})


def skeleton_of_word(word: str) -> str:
    """Reduce a word to what it looks like; two words with one skeleton are easily taken for each other."""
    plain = word if word.isascii() else unicodedata.normalize("NFKC", word).translate(_SKELETON)
    return plain.translate(_SKELETON)
