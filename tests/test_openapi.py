"""The HTTP server keeps what its OpenAPI description promises, whatever it is asked.

Requests are made up from the description, good ones and bad ones, by schemathesis.
"""

import schemathesis
from asking import SERVICE
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from kuku_env.protocol.http import make_app

described = schemathesis.openapi.from_asgi("/openapi.json", make_app(SERVICE))


@described.parametrize()
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_replies_are_as_described(case):
    # The description does not say which views and rules a game has: most made up are refused.
    case.call_and_validate(excluded_checks=[positive_data_acceptance])
