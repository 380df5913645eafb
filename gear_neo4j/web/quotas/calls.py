"""Counts the calls of mounted applications: a request to their path may hold one, or none."""

from starlette.requests import Request

from gear_neo4j.usage import listen
from gear_neo4j.web.audit.events import ended
from gear_neo4j.web.entry import entry_of
from gear_neo4j.web.problems import failure_of
from gear_neo4j.web.quotas.balance import OverQuota
from gear_neo4j.web.service import call_of


def begin_call(request: Request) -> None:
    """Count a call, in the thread that does it; whoever ends it settles the ``bill`` of the request's entry.

    Raises:
        OverQuota: a quota of the caller is used up, which is recorded.
        InputError, DatabaseError: the call cannot be counted.
    """
    call, entry = call_of(request), entry_of(request.scope)
    try:
        opened = call.service.quotas.open(call.caller.credential)
    except OverQuota as error:
        entry.error = type(error).__name__
        if recorder := call.service.recorder:
            recorder.record_now(ended(request.scope, failure_of(error).status, texts=recorder.texts))
        raise
    if opened:
        entry.bill, _ = opened
        listen(entry.bill.add)
