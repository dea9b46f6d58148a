import type { JobSpecWarning } from "@rowmill/contract/job-specs";
import type { Handlers } from "../../platform/http/handlers.ts";
import { checkDefinition } from "./definition.ts";
import {
  archiveJobSpec,
  createJobSpec,
  createJobSpecVersion,
  getJobSpec,
  getJobSpecVersion,
  listJobSpecVersions,
  listJobSpecs,
  updateJobSpec,
} from "./job-specs.ts";
import { testJobSpec } from "./test-job-spec.ts";
import { warningsOf } from "./template-references.ts";
import type { TestParts } from "./test-job-spec.ts";

const withWarnings = <T extends object>(made: T, warnings: JobSpecWarning[]): T & { warnings?: JobSpecWarning[] } =>
  warnings.length === 0 ? made : { ...made, warnings };

export const jobSpecRoutes = (closing: AbortSignal, parts: TestParts) =>
  ({
    createJobSpec: {
      prepare: async (_db, caller, { body }) => {
        await checkDefinition(parts, caller.organizationId, body);
        const warnings = warningsOf(body);
        return async (tx) => withWarnings(await createJobSpec(tx, caller, body), warnings);
      },
    },
    listJobSpecs: (db, caller, { filters, page }) => listJobSpecs(db, caller, filters, page),
    getJobSpec: (db, caller, { params }) => getJobSpec(db, caller, params.jobSpecId),
    updateJobSpec: (tx, caller, { params, body }) => updateJobSpec(tx, caller, params.jobSpecId, body),
    archiveJobSpec: (tx, caller, { params }) => archiveJobSpec(tx, caller, params.jobSpecId),
    createJobSpecVersion: {
      prepare: async (db, caller, { params, body }) => {
        await getJobSpec(db, caller, params.jobSpecId);
        await checkDefinition(parts, caller.organizationId, body);
        const warnings = warningsOf(body);
        return async (tx) => withWarnings(await createJobSpecVersion(tx, caller, params.jobSpecId, body), warnings);
      },
    },
    listJobSpecVersions: (db, caller, { params, page }) => listJobSpecVersions(db, caller, params.jobSpecId, page),
    getJobSpecVersion: (db, caller, { params }) => getJobSpecVersion(db, caller, params.jobSpecId, params.version),
    testJobSpec: {
      prepare: async (db, caller, { params, body }) => {
        const answer = await testJobSpec(db, parts, caller, params.jobSpecId, body, closing);
        return async () => answer;
      },
    },
  }) satisfies Partial<Handlers>;
