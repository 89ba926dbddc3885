from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.core.canonical import Json, digest, encode, format_instant, parse_instant

_values: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def test_a_record_has_one_spelling() -> None:
    record: Json = {"b": [1, True, None], "a": "é\u2028\udcff", "A": {"y": {}, "x": []}}
    assert encode(record) == '{"A":{"x":[],"y":{}},"a":"\\u00e9\\u2028\\udcff","b":[1,true,null]}'
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@given(_values)
def test_a_record_is_ascii_and_reads_back_as_itself(value: Json) -> None:
    text = encode(value)
    assert text.isascii()
    assert json.loads(text) == value
    assert encode(json.loads(text)) == text


@given(st.dictionaries(st.text(max_size=4), st.integers(), max_size=5), st.randoms())
def test_the_order_of_keys_does_not_count(record: dict[str, int], random: object) -> None:
    keys = list(record)
    random.shuffle(keys)  # type: ignore[attr-defined]
    shuffled: Json = {key: record[key] for key in keys}
    assert digest(shuffled) == digest(dict(record))


@given(st.datetimes(datetime(1000, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
def test_an_instant_survives_to_the_microsecond(instant: datetime) -> None:
    assert parse_instant(format_instant(instant)) == instant


def test_an_instant_is_spelt_in_utc() -> None:
    elsewhere = datetime(2026, 11, 30, 15, 27, 0, 7, tzinfo=timezone(timedelta(hours=1)))
    assert format_instant(elsewhere) == "2026-11-30T14:27:00.000007Z"


@pytest.mark.parametrize("text", ["", "2026-11-30", "2026-11-30T14:27:00Z", "2026-02-30T14:27:00.000000Z", "now"])
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^not an instant|Invalid isoformat|day is out of range"):
        parse_instant(text)
