"""What a job may still do: repeats the checks of its request with the current keys."""

from dataclasses import dataclass, replace

from gear_neo4j.gear import Gear
from gear_neo4j.scope import Scope
from gear_neo4j.web.credentials import RightsUnknown
from gear_neo4j.web.identity.rights import PERSON
from gear_neo4j.web.jobs.files import JobFiles, document_names
from gear_neo4j.web.jobs.store import JobStore, StoredJob, now
from gear_neo4j.web.ring import Ring
from gear_neo4j.web.writing import Grant, RightsEnded, renewed, require_owner, require_source, require_whole


@dataclass(frozen=True, slots=True)
class JobRights:
    """Checks the jobs of one service, whose ``gear`` sees everything."""

    gear: Gear
    ring: Ring

    def require_key(self, stored: StoredJob) -> Grant:
        """What is left of a job's grant.

        Raises:
            RightsEnded: nothing is left.
            RightsUnknown: unknown at present.
        """
        return renewed(Grant(stored.owner, stored.job.collection, stored.scope), self.ring)

    def require(self, stored: StoredJob) -> None:
        """Check a job before it starts or resumes: its key, its collection, and the names of its documents.

        Raises:
            RightsEnded, RightsUnknown: see :meth:`require_key`.
            HTTPException, NothingFound: a name is now in use, or part of its document is now hidden from the owner.
        """
        job, held = stored.job, self.require_key(stored)
        if job.task == "forget" and not job.started:
            require_source(self.gear, self._view(held.scope), held, job.source)
            return
        names = (job.source,) if job.task == "forget" else document_names(job.files)
        scope = _with_own_readers(held.scope, stored) if job.started else held.scope
        require_whole(self.gear, self._view(scope), held, names)

    def drop_revoked(self, store: JobStore, files: JobFiles) -> frozenset[str]:
        """Cancel the waiting jobs of revoked keys, and remove their files; nobody else needs them.

        Returns:
            The people who are signed out: their jobs wait until they sign in again.
        """
        signed_out: set[str] = set()
        for owner in store.owners():
            try:
                require_owner(owner, self.ring)
            except RightsUnknown:
                # All keys are in one file: their jobs say that it cannot be used.
                if owner.startswith(PERSON):
                    signed_out.add(owner)
            except RightsEnded as ended:
                for id in store.cancel_waiting(owner, finished=now(), detail=str(ended)):
                    files.remove(id)
        return frozenset(signed_out)

    def _view(self, scope: Scope) -> Gear:
        return self.gear if scope.is_everything else self.gear.scoped(scope)


def _with_own_readers(scope: Scope, stored: StoredJob) -> Scope:
    """A scope that also shows what the job has written, even for readers that do not include its owner."""
    if scope.principals is None:
        return scope
    return replace(scope, principals=scope.principals | set(stored.options.readers or ()))
