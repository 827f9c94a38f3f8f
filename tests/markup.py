"""What the strict content security policy forbids in a page (SPEC X3)."""

import re
from typing import Any

INLINE = re.compile(
    r"""\s(?:style|on[a-z]+)\s*=\s*["'] | <style\b | javascript:
    | <script\b(?![^>]*\bsrc=)(?![^>]*type="(?:application/json|text/template)")
    | \b(?:src|href|action)\s*=\s*["'](?:https?:)?//""",
    re.VERBOSE | re.IGNORECASE,
)


def flaws(response: Any) -> list[str]:
    """Return what is wrong with a page: its policy, inline script or style, external hosts."""
    policy = response.headers.get("Content-Security-Policy", "")
    found = [match[0].strip() for match in INLINE.finditer(response.content.decode())]
    if "default-src 'none'" not in policy or "unsafe" in policy:
        found.append(f"policy: {policy or 'none'}")
    return found
