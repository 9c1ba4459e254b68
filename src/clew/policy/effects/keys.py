"""Argument names: the role of a value, derived from its key.

`idempotency_key`, `X-Request-Id` and `--nonce` name noise regardless of the value; `order_id`, `--to`
and `sha` name the object of the action, however random it looks; `due_date` is a relevant time and
`sent_at` is not.  `requestId`, `request-id` and `REQUEST_ID` are the same name.

The kind of action decides the rest: a deleted object has an id, a created one is given one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from clew.model.named_tuple import NamedTuple
from clew.policy.redaction.redact import sounds_secret


class KeyRole:
    """The role of a value."""

    NOISE = "noise"
    SECRET = "secret"  # noqa: S105 - not a secret
    TIME = "time"
    """The time of the request itself."""
    WHEN = "when"
    """A time that is part of what is requested."""
    OBJECT = "object"
    """The object of the action: never noise."""
    SET = "set"
    """Several objects, unordered."""
    MONEY = "money"
    WORD = "word"
    """An enumerated word; case does not matter."""
    PLAIN = "plain"


class ActionKind(NamedTuple):
    """The kind of an action, as far as its words show."""

    acts: bool
    """It acts on an existing, named object."""
    creates: bool
    nouns: frozenset[str] = frozenset()


def action_kind_of(words: Iterable[str]) -> ActionKind:
    """Return the kind of action that the words of a tool or a command express."""
    singles = frozenset(word for text in words for word in key_words(text))
    acts = bool(singles & _words(_ACTING))
    return ActionKind(acts, bool(singles & _words(_CREATING)) and not acts, singles)


@lru_cache(maxsize=2_048)
def key_words(key: str) -> tuple[str, ...]:
    """Split a name into words: `X-Request-Id`, `requestId`, `REQUEST_ID`."""
    words = tuple(map(str.lower, _word().findall(key[:200])))
    if len(words) == 1:
        return _split_joined(words[0])
    return words[1:] if words[:1] == ("x",) else words


def _split_joined(word: str) -> tuple[str, ...]:
    """Split `requestid` and `createdat`, which have no separator."""
    for end in ("id", "at", "date", "time"):
        stem = word.removesuffix(end)
        if stem != word and stem in _words(_JOINED_STEMS):
            return stem, end
    return (word,)


@lru_cache(maxsize=2_048)
def role_of(key: str) -> str:
    """Return the `KeyRole` of the value of `key`."""
    words = key_words(key)
    name = " ".join(words)
    if name in _phrases(_OBJECT_NAMES):
        return KeyRole.OBJECT
    if name in _phrases(_SECRET_NAMES) or (
        sounds_secret(key) and words[-1:] not in _NOT_SECRET_ENDS
    ):
        return KeyRole.SECRET
    if name in _phrases(_NOISE_NAMES) or _words(_NOISE) & frozenset(words):
        return KeyRole.NOISE
    if len(words) > 1 and words[-1] in _NAMING and words[-2] in _words(_REQUESTS):
        return KeyRole.NOISE
    return _role_of_time(words) or _role_of_thing(words, name)


def _role_of_time(words: tuple[str, ...]) -> str | None:
    if not words:
        return None
    if _words(_CLOCKS) & frozenset(words):
        return KeyRole.TIME
    if words[-1] in ("at", "on", "time", "date") and len(words) > 1:
        return KeyRole.TIME if _is_past(words[-2]) else KeyRole.WHEN
    if words[-1] in _words(_PLANNED):
        return KeyRole.WHEN
    return None


def _is_past(word: str) -> bool:
    return word in _words(_PAST) or (word.endswith("ed") and word not in _words(_EXPECTED))


def _role_of_thing(words: tuple[str, ...], name: str) -> str:
    if name in _phrases(_SETS):
        return KeyRole.SET
    if words and words[-1] in _words(_MONEY):
        return KeyRole.MONEY
    if name in ("currency", "currency code", "method", "http method", "verb"):
        return KeyRole.WORD
    if len(words) > 1 and words[-1] in _NAMING:
        return KeyRole.OBJECT
    return KeyRole.OBJECT if frozenset(words) & object_nouns() else KeyRole.PLAIN


def names_object(key: str, action_kind: ActionKind) -> bool:
    """Return whether a key of noise names the object of the action: `session_id` in `end_session`."""
    if not action_kind.acts:
        return False
    nouns = frozenset(key_words(key)) & _words(_REQUESTS)
    if nouns & action_kind.nouns or nouns & _words(_STORED_REQUESTS):
        return True
    return bool(nouns and action_kind.nouns & _words(_JUDGING))


def may_be_generated(key: str, action_kind: ActionKind) -> bool:
    """Return whether a random value of `key` may have been generated for this request."""
    if not key or action_kind.acts:
        return False
    words = key_words(key)
    if words in (("id",), ("uuid",), ("guid",), ("uid",)):
        return bool(action_kind.nouns & (_words(_MAKING) | _words(_SENDING)))
    if words[-1] in _NAMING and frozenset(words[:-1]) & _words(_REFERENCES):
        return True
    if role_of(key) == KeyRole.OBJECT:  # an id generated together with its object
        named = action_kind.nouns & frozenset(words)
        is_new = bool(named and action_kind.nouns & _words(_MAKING)) or "transfer" in named
        return is_new and words[-1] in ("id", "uuid", "guid")
    return action_kind.creates or bool(_words(_REFERENCES) & frozenset(words))


def is_ordered(key: str) -> bool:
    """Return whether the order of a list under `key` matters."""
    return not key.endswith("s") or bool(frozenset(key_words(key)) & _words(_ORDERED))


def is_ticker(value: object) -> bool:
    """Return whether a token is a currency symbol, which is not secret."""
    return isinstance(value, str) and re.fullmatch(r"[A-Z]{2,5}", value) is not None


def object_nouns() -> frozenset[str]:
    """Return the nouns of objects that a random id may identify."""
    return _words(_NOUNS)


def acting_verbs() -> frozenset[str]:
    return _words(_ACTING)


def creating_verbs() -> frozenset[str]:
    return _words(_CREATING)


_NAMING = frozenset(
    ("id", "ids", "key", "uuid", "guid", "number", "no", "name", "arn", "ref", "sid")
)

_NOT_SECRET_ENDS = (("id",), ("ids",), ("name",), ("arn",))
"""Last words of names that are not secret: `secret_name`."""

_ACTING = """
    abort accept approve archive assign ban block cancel capture close complete convert delete deny
    destroy disable edit enable evict expire flag fork forward invalidate kill lock mark merge modify move pause
    patch pin promote purge put react read reboot refund reject remove rename reopen replace reply rerun
    resend reset resolve restart restore resume retire retry revert revoke rm rollback rotate scale snooze
    star start stop suspend terminate unarchive unassign unlock unpublish update void withdraw
"""
_CREATING = """
    add apply book build buy charge create deploy donate emit insert launch log make new notify open
    order pay post provision publish purchase push record register reserve run schedule send spawn
    submit track transfer trigger upload wire
"""
_MAKING = "add create emit insert log new record register track"
_SENDING = "notify post send submit upload"
_JUDGING = "accept approve cancel close deny reject"
_NOUNS = """
    account address app application approver arn article asset assignee author balance bank bcc board
    booking branch bucket campaign card cart cc channel charge client cluster code comment commit
    company contact container contract coupon customer database dataset deployment destination device
    digest disk doc document domain draft employee entity environment env event file folder form
    group guest host iban image instance integration intent invoice issue item job label lead license
    list listing loan location machine mailbox member merchant milestone model node object
    opportunity order org organization organisation owner package page parent patient payee payer
    payment peer person phone pipeline plan playlist pod policy post price product profile project
    property pull queue receipt recipient record release repo repository reservation resource rev
    revision role room rule schedule sender server service sha sheet shipment site sku slot snapshot
    source space spreadsheet store subject subscriber subscription supplier table target task team
    template tenant thread ticket to topic transaction transfer unit url user username vendor version
    video vm volume vote wallet warehouse webhook workflow workspace zone
"""
_REQUESTS = """
    attempt build call execution invocation message msg operation request req run session span
"""
_STORED_REQUESTS = "build call execution message msg operation run"
_REFERENCES = "batch external marker ref reference sid tag tx"
_JOINED_STEMS = """
    create created customer invoice message modified msg order req request sent session span trace
    tx update updated user
"""
_NOISE = """
    checksum correlation csrf dedupe deduplication etag hmac idempotence idempotency jitter nonce
    sig signature trace traceparent tracestate xsrf
"""
_NOISE_NAMES = """
    attempt,retries,retry count,session,cache buster,client token,client request token,request token,
    user agent,content length,content md5,if match,if none match,cf ray,tool use id,external trace,
    end to end id,client msg id,client ref,client reference
"""
_SECRET_NAMES = """
    authorization,proxy authorization,auth,bearer,cookie,set cookie,pass,pwd,otp,
    mfa code,oauth2 bearer,access key id,aws access key id
"""  # noqa: S105 - not a secret
_OBJECT_NAMES = """
    device token,registration token,push token,secret id,secret name,message group id,thread ts,
    message ts,parent ts
"""
_CLOCKS = "timestamp timestamps ts epoch now unixtime"
_PAST = "build built client create current made modify request seen sent server update written"
_EXPECTED = "estimated expected needed planned proposed scheduled"
_PLANNED = """
    after arrival at before begin beginning date day deadline delay departure due
    end ends expiration expires expiry from month quarter schedule since start starts until week
    when window year
"""
_SETS = """
    to,cc,bcc,recipients,recipient,labels,label,tags,assignees,reviewers,users,emails,attendees,
    invitees,guests,channels,scopes,permissions,roles,members,topics,regions,zones,attachments,
    keywords,hosts,items,line items,ids,files,groups,teams,subscribers,participants,features,
    categories,collaborators,add labels,remove labels,instance ids,owners,watchers,to addresses,
    seats,skus,products,people,phones,phone numbers,rooms,services,domains,packages
"""
_ORDERED = """
    actions args arguments argv cells columns commands coordinates events instructions legs lines
    messages operations params parameters points positions priorities queries ranges rows sequences
    stages statements steps stops tracks values waypoints words
"""
_MONEY = "amount price total cost fee subtotal tax balance sum"


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@cache
def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.split(","))


@cache
def _word() -> re.Pattern[str]:
    """Return the pattern of a word; `APIKey` is api, key; a number belongs to the word before it."""
    return re.compile(
        r"[A-Z]+(?![a-z])[0-9]*+|[A-Z]?[a-z]++[0-9]*+|[A-Z][0-9]*+|[0-9]++|[^\W_A-Za-z0-9]++"
    )
