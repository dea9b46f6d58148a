/** Where the API has what people write into a body in which there is no place for it. Used only in the error for such a member. */

interface Body {
  /** A member that only this body has. */
  marker: string;
  /** Folded name → the sentence. */
  places: Readonly<Record<string, string>>;
}

function each(names: string, place: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, place]));
}

const ANYWHERE = each("idempotencykey", "Send it as the header `Idempotency-Key`.");

const OF_CONNECTION = each(
  "ratelimit ratelimits requestsperminute tokensperminute rpm tpm",
  "Connections have `rateLimit`: PATCH /v1/connections/{connectionId}.",
);

const OF_RUN: Body = {
  marker: "scope",
  places: {
    ...OF_CONNECTION,
    ...each(
      "model prompt messages temperature processor code transform inputschema outputschema schema retry retries " +
        "maxattempts maxretries timeout timeoutseconds timeoutms cache dedupe deduplicate unique execution batch",
      "It belongs to the job spec: POST /v1/job-specs/{jobSpecId}/versions.",
    ),
    ...each(
      "callback callbackurl webhook webhookurl webhooks notify notifications email onfinished",
      "Webhook endpoints (POST /v1/webhook-endpoints) and alert rules (POST /v1/alert-rules) notify of all runs.",
    ),
    ...each(
      "schedule cron startat runat scheduledat delay delayseconds",
      "A run starts at once: let a scheduler of yours create it when it is due.",
    ),
    ...each(
      "export exports output outputformat format columns destination",
      "Files are made of a run: POST /v1/runs/{runId}/exports.",
    ),
    ...each(
      "parentrunid parent retryof rerun rerunof runid",
      "POST /v1/runs/{runId}/retry processes rows of a run again.",
    ),
    ...each("chunksize batchsize rowsperchunk", "The service chooses it; `concurrency` bounds the rows in flight."),
  },
};

const OF_JOB_SPEC: Body = {
  marker: "processor",
  places: {
    ...OF_CONNECTION,
    ...each("apikey secret baseurl apibase", "Connections have it: POST /v1/connections."),
    ...each("datasetid dataset scope", "Runs have it: POST /v1/runs."),
    ...each("batch batchapi", "Did you mean `execution`?"),
  },
};

const OF_UPLOAD: Body = {
  marker: "onInvalidRow",
  places: {
    ...each("compression contentencoding", "It is found from the content."),
    ...each("columns types dtypes schema", "Types of columns are found from their values."),
    ...each("description", "Once there is a dataset, PATCH /v1/datasets/{datasetId} takes it."),
    ...each("datasetid dataset append mode", "A dataset does not change: upload all rows as a new one."),
    ...each(
      "dedupe deduplicate unique key primarykey keycolumn",
      "Job specs have `dedupe`, by which a run processes equal rows once.",
    ),
  },
};

/** A sentence with a space before it, or nothing. `known` are the members of the body, `folded` is a name in small letters and digits. */
export function placeOf(folded: string, known: readonly string[]): string {
  const body = [OF_RUN, OF_JOB_SPEC, OF_UPLOAD].find(({ marker }) => known.includes(marker));
  const places = { ...ANYWHERE, ...body?.places };
  const place = Object.hasOwn(places, folded) ? places[folded] : undefined;
  return place === undefined ? "" : ` ${place}`;
}
