"""The Content-Security-Policy of formgrader's page of a submission, a student's text in the grader's session.

nbgrader's page needs inline scripts, and MathJax from its usual address. So the policy stops what a script is seldom
needed for: handlers in attributes but nbgrader's own two, addresses elsewhere, forms, frames and another base.
"""

import base64
import hashlib

MATHJAX = "https://cdnjs.cloudflare.com"
HANDLERS = ("toggle_name(true);", "toggle_name(false);")  # of nbgrader's two eyes, by which a name is shown and hidden


def policy() -> str:
    """Return the value of the header."""
    digests = [base64.b64encode(hashlib.sha256(handler.encode()).digest()).decode() for handler in HANDLERS]
    directives = {
        "default-src": "'none'",
        "script-src": f"'self' 'unsafe-inline' 'unsafe-eval' {MATHJAX}",  # MathJax evaluates its configuration
        "script-src-attr": " ".join(["'unsafe-hashes'", *(f"'sha256-{digest}'" for digest in digests)]),
        "style-src": "'self' 'unsafe-inline'",
        "font-src": f"'self' {MATHJAX}",
        "img-src": f"'self' data: {MATHJAX}",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'self'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def install() -> None:
    """Let formgrader send the policy with each page of a submission."""
    from nbgrader.server_extensions.formgrader.handlers import SubmissionHandler

    SubmissionHandler.content_security_policy = property(lambda handler: policy())
