"""What happens to a row."""

from __future__ import annotations

from typing import Any, Optional

from .. import types as t
from .._lists import List
from .._transport import Transport


class JobSpecVersions:
    """Immutable versions of a job spec."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, job_spec_id: str, body: t.CreateJobSpecVersionBody, **request: Any) -> t.JobSpecVersion:
        return self._transport.call("createJobSpecVersion", request, path={"jobSpecId": job_spec_id}, body=body)

    def list(self, job_spec_id: str, query: Optional[t.ListJobSpecVersionsQuery] = None, **request: Any) -> List[t.JobSpecVersion]:
        return List(self._transport, "listJobSpecVersions", request, path={"jobSpecId": job_spec_id}, query=query)

    def get(self, job_spec_id: str, version: int, **request: Any) -> t.JobSpecVersion:
        return self._transport.call("getJobSpecVersion", request, path={"jobSpecId": job_spec_id, "version": version})


class JobSpecs:
    """What happens to a row: a processor, schemas, policies."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.versions = JobSpecVersions(transport)

    def create(self, body: t.CreateJobSpecBody, **request: Any) -> t.JobSpec:
        return self._transport.call("createJobSpec", request, body=body)

    def list(self, query: Optional[t.ListJobSpecsQuery] = None, **request: Any) -> List[t.JobSpec]:
        return List(self._transport, "listJobSpecs", request, query=query)

    def get(self, job_spec_id: str, **request: Any) -> t.JobSpec:
        return self._transport.call("getJobSpec", request, path={"jobSpecId": job_spec_id})

    def update(self, job_spec_id: str, body: t.UpdateJobSpecBody, **request: Any) -> t.JobSpec:
        return self._transport.call("updateJobSpec", request, path={"jobSpecId": job_spec_id}, body=body)

    def archive(self, job_spec_id: str, **request: Any) -> None:
        self._transport.call("archiveJobSpec", request, path={"jobSpecId": job_spec_id})

    def test(self, job_spec_id: str, body: t.TestJobSpecBody, **request: Any) -> t.JobSpecTestResult:
        """Processes a few rows at once, without a run."""
        return self._transport.call("testJobSpec", request, path={"jobSpecId": job_spec_id}, body=body)
