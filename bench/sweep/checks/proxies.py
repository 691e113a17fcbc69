"""What answers in an engine's place: proxies and gateways, known by the headers that they document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.plain_text import visible
from bench.sweep.checks.endpoint_probe import EndpointProbe
from bench.wording import joined

LITELLM = "LiteLLM"
VERSION = r"(?:/v?(?P<version>[0-9][0-9A-Za-z.+-]{0,30}))?"
BY_PREFIX = {
    "x-litellm-": LITELLM,
    "x-envoy-": "Envoy",
    "x-kong-": "Kong",
    "cf-ray": "Cloudflare",
    "x-varnish": "Varnish",
    "x-amz-cf-": "CloudFront",
    "x-squid-": "Squid",
}
"""Headers that only one proxy adds.

Sources: LiteLLM docs, "Response headers"; Envoy docs, "HTTP header manipulation" and "Router"; Kong docs, "headers" of
kong.conf; Cloudflare docs, "Cloudflare HTTP headers"; Varnish docs; CloudFront docs; Squid's own errors."""
BY_NAME = {
    "nginx": "nginx",
    "openresty": "OpenResty",
    "envoy": "Envoy",
    "istio-envoy": "Envoy",
    "kong": "Kong",
    "apisix": "APISIX",
    "traefik": "Traefik",
    "haproxy": "HAProxy",
    "cloudflare": "Cloudflare",
    "caddy": "Caddy",
    "varnish": "Varnish",
    "squid": "Squid",
    "apache": "Apache",
    "awselb": "AWS's load balancer",
    "google": "Google's load balancer",
    "google frontend": "Google's load balancer",
    "litellm": LITELLM,
}
"""What `server` begins with, or `via` names behind its protocol."""
NAMED = re.compile(rf"(?P<name>{'|'.join(sorted(map(re.escape, BY_NAME), key=len, reverse=True))})\b{VERSION}", re.I)
VIA = re.compile(r"^\s*(?:[A-Za-z]+/)?[0-9][0-9.]*\s+(?P<by>\S.*)$")
LONGEST = 40


@dataclass(frozen=True)
class Proxy:
    """One that answers for the engine."""

    name: str
    version: str | None = None

    @property
    def title(self) -> str:
        """Its name with its version, where it tells one."""
        return f"{self.name} {self.version}" if self.version else self.name


def proxies(site: EndpointProbe) -> tuple[Proxy, ...]:
    """Those between here and the engine, as far as they say so in the answers that a site has given so far."""
    versions = proxies_in(site.headers)
    if not versions.get(LITELLM):  # its own route tells its version without a key
        ready = site.document("/health/readiness") or {}
        if version := _version(ready.get("litellm_version")):
            versions[LITELLM] = version
    return tuple(Proxy(name, told or None) for name, told in versions.items())


def proxies_in(headers: Mapping[str, str]) -> dict[str, str]:
    """Each proxy that these headers name, with its version, empty where it tells none."""
    versions: dict[str, str] = {}
    for prefix, name in BY_PREFIX.items():
        if any(header.startswith(prefix) for header in headers):
            versions[name] = ""
    if version := _version(headers.get("x-litellm-version", "")):
        versions[LITELLM] = version
    passed = [via["by"] for part in headers.get("via", "").split(",") if (via := VIA.match(part))]
    for software, own in [(headers.get("server", ""), False), *((one, True) for one in passed)]:
        named = NAMED.match(software.strip())
        if named:
            name = BY_NAME[named["name"].lower()]
            versions[name] = versions.get(name) or named["version"] or ""
        elif own:
            versions.setdefault(visible(software.strip())[:LONGEST], "")
    return versions


def sentence(named: tuple[Proxy, ...]) -> str:
    """What that means for what is measured."""
    answer, its = ("answers", "its") if len(named) == 1 else ("answer", "their")
    return f"{joined([one.title for one in named])} {answer} for the engine: {its} own time is inside TTFT."


def context_tokens(site: EndpointProbe, model: str) -> int | None:
    """How many tokens of input LiteLLM states for a model; None where it states none."""
    for route in ("/model/info", "/v1/model/info"):
        told = site.document(route)
        rows = told.get("data") if told else None
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, Mapping) and row.get("model_name") == model:
                info = row.get("model_info")
                most = info.get("max_input_tokens") if isinstance(info, Mapping) else None
                if isinstance(most, int) and not isinstance(most, bool) and most > 0:
                    return most
    return None


def _version(text: Any) -> str | None:
    found = re.fullmatch(r"v?([0-9][0-9A-Za-z.+-]{0,30})", text.strip()) if isinstance(text, str) else None
    return found[1] if found else None
