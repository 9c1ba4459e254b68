"""HTTP effects: the request that `curl`, `wget` or `http` sends, in a common form.

Method, URL, headers and data identify a request; retries, output options and credentials do not.
"""

from __future__ import annotations

import re

from clew.model.named_tuple import NamedTuple
from clew.policy.effects.keys import ActionKind, action_kind_of
from clew.policy.effects.spelling import shown, unquoted
from clew.policy.effects.values import Values, is_transport_header
from clew.policy.shell.options import CommandOptions

PROGRAMS = frozenset(("curl", "wget", "http", "https"))

_DATA = ("data", "data-raw", "data-binary", "data-ascii", "data-urlencode", "json")
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))


class HttpRequest(NamedTuple):
    """The request that is sent."""

    method: str
    urls: tuple[str, ...]
    headers: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()
    query: tuple[str, ...] = ()

    @property
    def action_kind(self) -> ActionKind:
        return action_kind_of(
            (self.method, *(part for url in self.urls for part in url.split("/")[-2:]))
        )


def request_of(program: str, options: CommandOptions) -> HttpRequest:
    """Return the request that a command of one of `PROGRAMS` sends."""
    if program == "curl":
        return _curl(options)
    return _wget(options) if program == "wget" else _httpie(options)


def written_request(request: HttpRequest, values: Values) -> str:
    """Return a request in canonical form."""
    urls = sorted(shown(values.url(_with_scheme(url))) for url in request.urls)
    headers = values.pairs(
        [
            (name, value.strip())
            for name, _, value in (header.partition(":") for header in request.headers)
            if not is_transport_header(name)
        ]
    )
    parts = [request.method, *urls]
    if headers:
        parts.append("headers={" + ", ".join(headers) + "}")
    for name, texts in (("query", request.query), ("data", request.data)):
        found = _written_data(texts, values)
        parts += [f"{name}={found}"] if found else []
    if request.forms:
        parts.append("form={" + ", ".join(values.pairs(request.forms)) + "}")
    return " ".join(parts)


def _curl(options: CommandOptions) -> HttpRequest:
    def all_of(*names: str) -> tuple[str, ...]:
        return tuple(value for name, value in options.options if name in names and value)

    data, forms = all_of(*_DATA), all_of("form", "form-string", "upload-file")
    method = (options.value("request") or "").upper()
    if not method:
        sends = "PUT" if options.has("upload-file") else "POST" if data or forms else "GET"
        method = "HEAD" if options.has("head") else "GET" if options.has("get") else sends
    return HttpRequest(
        method,
        (*options.positionals, *all_of("url")),
        all_of("header"),
        () if options.has("get") else data,
        tuple(_pair(form, "=") for form in forms),
        (*(data if options.has("get") else ()), *all_of("url-query")),
    )


def _wget(options: CommandOptions) -> HttpRequest:
    named = {name: value for name, value in options.options if value}
    data = tuple(named[name] for name in ("post-data", "body-data") if name in named)
    files = tuple(f"@{named[name]}" for name in ("post-file", "body-file") if name in named)
    method = named.get("method", "POST" if data or files else "GET").upper()
    headers = tuple(value for name, value in options.options if name == "header" and value)
    return HttpRequest(method, options.positionals, headers, (*data, *files))


def _httpie(options: CommandOptions) -> HttpRequest:
    words = list(options.positionals)
    method = words.pop(0).upper() if words and words[0].upper() in _METHODS else ""
    url, items = tuple(words[:1]), words[1:]
    query = tuple(item.replace("==", "=") for item in items if "==" in item)
    headers = tuple(item for item in items if re.match(r"[\w-]{1,100}:(?!=)", item))
    forms = tuple(
        _pair(item, ":=" if ":=" in item else "=")
        for item in items
        if item not in headers and "==" not in item
    )
    return HttpRequest(method or ("POST" if forms else "GET"), url, headers, (), forms, query)


def _pair(text: str, sign: str) -> tuple[str, str]:
    name, _, value = text.partition(sign)
    return name, value


def _with_scheme(url: str) -> str:
    return url if "://" in url else f"http://{url}"


def _written_data(texts: tuple[str, ...], values: Values) -> str | None:
    if all(
        re.fullmatch(r"[\w.\[\]%-]{1,200}=[^&\s{}]*+(?:&[\w.\[\]%-]{1,200}=[^&\s{}]*+)*+", text)
        for text in texts
    ):
        pairs = [_pair(pair, "=") for text in texts for pair in text.split("&")]
        found = values.pairs([(unquoted(name), unquoted(value)) for name, value in pairs])
        return "{" + ", ".join(found) + "}" if found else None
    return values.written("&".join(texts), "body")
