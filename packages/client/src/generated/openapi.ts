// Generated from packages/contract/openapi.json by `npm run generate`; do not edit.
export interface paths {
    "/v1/dataset-uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List dataset uploads */
        get: operations["listDatasetUploads"];
        put?: never;
        /**
         * Create a dataset upload session and enqueue intake
         * @description `inline` rows are taken at once; for `upload`, stream the file to `upload.url`; `url` is fetched by the service. Read the upload until its state is `completed` or `failed`. A session reserves `source.sizeBytes` of what the organization may store; without it, or for a `url`, as many bytes as a dataset may have or the organization has left. What is not used is free again when the content is there, or when the session expires or is canceled. Over the limit: 409 `limit_reached`.
         */
        post: operations["createDatasetUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dataset-uploads/{datasetUploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a dataset upload */
        get: operations["getDatasetUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dataset-uploads/{datasetUploadId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Stream the content of a dataset upload
         * @description The file itself as the body, of any size up to the dataset limit. A broken transfer leaves the session as it was: send again.
         */
        put: operations["putDatasetUploadContent"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/dataset-uploads/{datasetUploadId}/content/resumable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how much of the content has arrived
         * @description Of the tus protocol 1.0.0, which asks by `HEAD`: the headers `Upload-Offset` and `Upload-Length` say the same.
         */
        get: operations["getResumableContentOffset"];
        put?: never;
        /**
         * Restart the content of a dataset upload, to send it in pieces
         * @description Creation of the tus protocol 1.0.0, with `Upload-Length` or `Upload-Defer-Length: 1`; `Location` is the same URL. Not needed where the session says `sizeBytes`: then send with `PATCH` from offset 0.
         */
        post: operations["beginResumableContent"];
        delete?: never;
        /**
         * Say what is supported of the tus protocol
         * @description Answers `Tus-Version`, `Tus-Extension` and `Tus-Max-Size`.
         */
        options: operations["getResumableUploadSupport"];
        head?: never;
        /**
         * Send more of the content of a dataset upload
         * @description Of the tus protocol 1.0.0: the bytes from `Upload-Offset` on. What arrives is kept, whatever happens to the connection. After the last byte the session continues as after `PUT`: read it to see its state.
         */
        patch: operations["appendResumableContent"];
        trace?: never;
    };
    "/v1/dataset-uploads/{datasetUploadId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a dataset upload that awaits its content */
        post: operations["cancelDatasetUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/datasets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List datasets */
        get: operations["listDatasets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/datasets/{datasetId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a dataset */
        get: operations["getDataset"];
        put?: never;
        post?: never;
        /** Delete a dataset and its rows */
        delete: operations["deleteDataset"];
        options?: never;
        head?: never;
        /** Change a dataset's name, description or metadata */
        patch: operations["updateDataset"];
        trace?: never;
    };
    "/v1/datasets/{datasetId}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the rows of a dataset */
        get: operations["listDatasetRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/datasets/{datasetId}/rows/{datasetRowId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one row */
        get: operations["getDatasetRow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/datasets/{datasetId}/column-statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the values of the columns are distributed
         * @description Computed from the stored rows when it is asked for, with a cost that does not grow with the dataset. The exact null count, least and greatest value of each column are those of the dataset. At most 100 columns in one response: `fromColumn` has the next ones.
         */
        get: operations["getColumnStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-specs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List job specs
         * @description Archived job specs are left out.
         */
        get: operations["listJobSpecs"];
        put?: never;
        /**
         * Create a reusable job spec
         * @description Makes the job spec and its version 1. The processor is checked now: code must compile, schemas must be valid. `warnings` has what is accepted, and most likely a mistake.
         */
        post: operations["createJobSpec"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-specs/{jobSpecId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a job spec */
        get: operations["getJobSpec"];
        put?: never;
        post?: never;
        /**
         * Archive a job spec
         * @description No new runs; runs that refer to it continue, and it can still be read.
         */
        delete: operations["archiveJobSpec"];
        options?: never;
        head?: never;
        /**
         * Change a job spec's name, description or metadata
         * @description What a run does is changed by a new version.
         */
        patch: operations["updateJobSpec"];
        trace?: never;
    };
    "/v1/job-specs/{jobSpecId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the versions of a job spec */
        get: operations["listJobSpecVersions"];
        put?: never;
        /**
         * Add a version
         * @description A version never changes. New runs use the latest one unless they name another.
         */
        post: operations["createJobSpecVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-specs/{jobSpecId}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one version */
        get: operations["getJobSpecVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/job-specs/{jobSpecId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job spec on a few rows, without a run
         * @description All rows at once, each in one attempt, with the same processor, schemas and failures as in a run; nothing is kept, and what models and services are called for is paid. Rows that are not finished after 60 seconds are `row_timeout` failures. With `datasetId` the key needs `datasets:read`, too: outputs and failures show what is in the rows.
         */
        post: operations["testJobSpec"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs */
        get: operations["listRuns"];
        put?: never;
        /**
         * Create a run from a dataset and a job spec
         * @description A `budget` needs prices: while a model that the job spec may ask has none, it is refused (400, `param: budget`). A dry run takes an `Idempotency-Key` of its own: that of the run would be one key for two bodies. A scope of type `filter` needs `datasets:read`, too: how many rows pass a filter shows what is in them.
         */
        post: operations["createRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a run */
        get: operations["getRun"];
        put?: never;
        post?: never;
        /** Delete an ended run and its results */
        delete: operations["deleteRun"];
        options?: never;
        head?: never;
        /**
         * Change a run
         * @description Name and metadata always; priority, concurrency, failure policy and budget until the run has ended.
         */
        patch: operations["updateRun"];
        trace?: never;
    };
    "/v1/runs/{runId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Rows in flight are abandoned, finished rows are kept. Canceling a run that is being canceled, or was, changes nothing.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a run */
        post: operations["pauseRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a paused run */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a retry run with lineage
         * @description A new run over the rows of this one that `selection` names (`unfinished` if absent). A row that has succeeded anywhere in the family is chosen only by `rows` and `all`.
         */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/lineage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the family of a run */
        get: operations["getRunLineage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the events of a run
         * @description By `sequence`. Row events are not kept here: rows are records of their own.
         */
        get: operations["listRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the events of a run as they happen
         * @description Server-sent events. `id` is the event's `sequence`, and `Last-Event-ID` takes the stream up after it; `run.progress` carries counts about once a second, has no id and is not stored. The stream ends after the run's last event.
         */
        get: operations["streamRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read where the rows of a run stand
         * @description One cell for each chunk, or for neighboring chunks of a run that has more chunks than `cells`.
         */
        get: operations["getRunMap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the rows of a run */
        get: operations["listRunRows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/outputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the outputs of a run */
        get: operations["listOutputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the failures of a run */
        get: operations["listFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/resolved-results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one result per row over the family of a run
         * @description Over all runs of the family up to this one: a row's first success, unless a later run that was asked for that row by selection `all` or `rows` succeeded, then the newest of those; else its newest failure; else pending. A failure never hides an earlier success.
         */
        get: operations["listResolvedResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/failure-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the failures of a run by their cause
         * @description Failures with the same `code`, `retryable` and `details.path` are a group; the largest comes first. `selection: {type: codes}` of a retry run chooses the rows of some codes. While the run continues, counts grow, and a group may move between pages.
         */
        get: operations["listFailureGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{runId}/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the exports of a run */
        get: operations["listRunExports"];
        put?: never;
        /**
         * Create a self-starting export
         * @description With `type: resolved_results` and `layout: flat` the file is a table with one line for each row of the run's scope, also for failed, pending, canceled and skipped rows: the columns of the input, the fields of the output under their own names, `row_state` and `failure_code`. An output field whose name, in any case of letters, is that of an input column, of `row_state` or of `failure_code` gets the prefix `output_`; an input column called `row_state` or `failure_code` gets the prefix `input_`. An output that is not an object is in the column `output`. In JSONL each line has all columns.
         *
         *     With `layout: nested` a JSONL line is the list item of that type; in CSV and Parquet its members are columns, objects opened one level (`data.label`, `input.city`; in `resolved_results` `output.data.label`), deeper values as JSON text.
         *
         *     Rows are in dataset order; the same content gives the same bytes. In CSV texts are quoted, numbers, `true` and `false` are not, null is an empty cell. A Parquet column has the type that the contract or the job spec's output schema declares, else the one its values have: BOOLEAN, BIGINT, DOUBLE or VARCHAR. No value loses information: a column of several kinds of values, with an integer beyond ±(2^53 - 1) or a number that a DOUBLE does not keep, is VARCHAR with the exact texts. The times of the contract, such as `producedAt`, are TIMESTAMPTZ (UTC); strings of yours stay strings. Of two Parquet columns whose names differ only in case the second gets `_2`. If the run has not ended, the file has everything that is finished when the export starts, and rows that finish while it is written may be in it.
         *
         *     With `includeInput` or `layout: flat` the key needs `datasets:read`, too, as does the key that downloads a file with inputs.
         */
        post: operations["createExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List exports */
        get: operations["listExports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/{exportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an export */
        get: operations["getExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/{exportId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel an export that is not finished */
        post: operations["cancelExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/exports/{exportId}/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an export's file
         * @description A single `Range` works, with `If-Range`; `ETag` is the SHA-256. A compressed file is delivered as it is stored. A file with the rows' inputs needs `datasets:read`, too. Follow redirects: where the operator has chosen so, the response is 307 and leads to the object store, with a URL that is good for a minute.
         */
        get: operations["downloadExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List bulk actions
         * @description The key needs the scope for what the action is about: `runs:read`, `datasets:read` or `exports:read`.
         */
        get: operations["listBulkActions"];
        put?: never;
        /**
         * Do one action on everything that matches a filter, or on a list of ids
         * @description `dryRun` counts first, and makes nothing. What the action is about is fixed when it is created. It is then done on one thing after the other, each in a transaction of its own and once, also when processes die; things whose state does not allow it are skipped. Scopes are those of the single operation: `runs:write`, `datasets:write` or `exports:write`. Its work ends as `failed` when the key is revoked or loses the scope. At most 100000 things in one action. Deleting an export deletes its file, as if its time were over.
         */
        post: operations["createBulkAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-actions/{bulkActionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a bulk action and its progress
         * @description The key needs the scope for what the action is about: `runs:read`, `datasets:read` or `exports:read`.
         */
        get: operations["getBulkAction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-actions/{bulkActionId}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Abort a bulk action
         * @description What was done stays done; nothing more is begun. Aborting one that is aborted changes nothing. Needs the scopes of its creation.
         */
        post: operations["abortBulkAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the events of the organization as they happen
         * @description Server-sent events. `data` is the envelope that webhooks deliver, byte for byte; `event` is its type, and `id` its position in the organization's log. Without `Last-Event-ID` the stream begins with the next event; with the last `id` it goes on after that one, without a gap, on any process; with `0` it begins with the oldest event that is stored. A heartbeat comes every 15 seconds, may move `id` on, and has no data. Events that were asked for and are no longer stored are reported by a message `stream.gap` with `data.missedFrom`, `data.missedTo` and `data.missed`: positions, some of which may have been of other types. The stream ends after 30 minutes, when the service stops, and when its key is revoked or loses a scope: come again with `Last-Event-ID`. A key sees the events of what it may read: `runs:read` for runs, rows and bulk actions, `exports:read`, `datasets:read`, `webhooks:read`; a type that is named and may not be read is refused (403). `run.progress` has no `id` and is not stored: name it to get the counts of runs in progress about once a second.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List connections */
        get: operations["listConnections"];
        put?: never;
        /**
         * Create a connection
         * @description Named credentials of a model provider or an HTTP service, which job specs name. Names may repeat; the `Idempotency-Key` keeps a repeated request from making a second connection.
         */
        post: operations["createConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{connectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a connection */
        get: operations["getConnection"];
        put?: never;
        post?: never;
        /**
         * Delete a connection
         * @description Its secret is destroyed at once. Refused while a run that has not ended needs it.
         */
        delete: operations["deleteConnection"];
        options?: never;
        head?: never;
        /**
         * Change a connection
         * @description Runs use the change within a second. A `baseUrl` that is not the old one or a path below it needs the secret again: a kept one is not sent to where it was not meant for.
         */
        patch: operations["updateConnection"];
        trace?: never;
    };
    "/v1/connections/{connectionId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a connection
         * @description One request that costs nothing: the list of models of a provider, or a GET of `baseUrl`. Answers what was found, whatever it was.
         */
        post: operations["testConnection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connections/{connectionId}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how fast a connection is called now
         * @description For each model: the limits that were learned from the provider, refusals, and how long a new call waits.
         */
        get: operations["getConnectionLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model-prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List prices of models, with their date
         * @description A list that comes with this version of the service: prices for standard processing as providers have published them, without tiers, discounts and taxes. It may be outdated: `asOf` and `ageDays` say how old it is. A connection with `prices: "list"` uses it.
         */
        get: operations["listModelPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook endpoints */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /** Create a webhook endpoint */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{webhookEndpointId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a webhook endpoint */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Deliveries that wait are canceled; delivery records stay.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /** Change a webhook endpoint */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{webhookEndpointId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a manual test event to the endpoint
         * @description Makes one attempt now and returns its delivery. Works for disabled endpoints and never disables one.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{webhookEndpointId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a new signing secret
         * @description The new secret signs at once; for 24 hours the `webhook-signature` header also carries the old one.
         */
        post: operations["rotateWebhookEndpointSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{webhookEndpointId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver the events of a period again
         * @description Makes a new delivery for each event that was created in the period, that the endpoint subscribes to, and whose delivery to it is in one of `statuses`. Each has the same id and bytes as before and is retried like any other. Row events are not among the missed ones.
         */
        post: operations["replayWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook deliveries */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries/{webhookDeliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Inspect one delivery record */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries/{webhookDeliveryId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was sent and what came back
         * @description The body of the delivery, and for each attempt the headers of the request, and the headers and the beginning of the response: what is needed to find out why a receiver refuses a delivery.
         */
        get: operations["getWebhookDeliveryContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-deliveries/{webhookDeliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery's event once more
         * @description Makes one attempt now, as a new delivery of the same event, and returns it. The attempt is not repeated and does not count for the endpoint's health.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List alert rules */
        get: operations["listAlertRules"];
        put?: never;
        /** Create an alert rule */
        post: operations["createAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-rule-previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview an alert rule against past events
         * @description Evaluates a rule that need not exist against the events of the last days, as if it had been there: how many events would have matched, and how many alerts would have been sent. Nothing is sent or kept. At most the newest 2000 events of the type are evaluated.
         */
        post: operations["previewAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-rules/{alertRuleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an alert rule */
        get: operations["getAlertRule"];
        put?: never;
        post?: never;
        /**
         * Delete an alert rule
         * @description Waiting alerts are abandoned; delivery records stay.
         */
        delete: operations["deleteAlertRule"];
        options?: never;
        head?: never;
        /**
         * Change an alert rule
         * @description A change of the event type, the filter or the trigger restarts counting. A destination that becomes a webhook gets a signing secret, which this response shows; changing its URL keeps the secret.
         */
        patch: operations["updateAlertRule"];
        trace?: never;
    };
    "/v1/alert-rules/{alertRuleId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a new signing secret
         * @description Of a rule whose destination is a webhook; otherwise 409 `invalid_state`. The new secret signs at once; for 24 hours the `webhook-signature` header also carries the old one.
         */
        post: operations["rotateAlertRuleSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-rules/{alertRuleId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test alert to the rule's destination
         * @description Makes one attempt now and returns its delivery. Filter and trigger are ignored, and no cooldown starts; works for disabled rules, too.
         */
        post: operations["testAlertRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List alert deliveries */
        get: operations["listAlertDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/alert-deliveries/{alertDeliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an alert delivery */
        get: operations["getAlertDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List organizations */
        get: operations["listOrganizations"];
        put?: never;
        /** Create an organization */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an organization */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an organization
         * @description `state: suspended` makes its keys answer 403 at once, pauses its runs and holds its webhook deliveries and alerts back; `active` lifts that. A key of the organization can change `name` and `metadata`; `state` and `limits` are the admin's (403 `admin_required`).
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description A key can only make keys with scopes it has itself. They expire no later than it does: without `expiresAt`, or with a later one, they expire when it does. They share its limit of requests: without `requestsPerMinute`, or with a larger one, they get the same limit, and the requests of all count on it together. The response shows what holds. Without `scopes` the key gets every scope but `api_keys:write`, `invitations:write` and `organization:write` (as far as its maker has them). `*` stands for all scopes.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys/{apiKeyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an API key */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Works at once on every process. The key stays in the list with `revokedAt`. Keys that were made with it keep working (see their `createdByKeyId`), unless `cascade=true`: this revokes them, the keys made with them and so on, the keys of members who were invited with any of these, and their pending invitations. A key that is revoked already can be revoked once more with `cascade=true`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invitations */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Create an organization invitation
         * @description Sends the link by e-mail where the service has an SMTP server; in any case `inviteUrl` holds it. It can be used once, within 7 days unless the operator has set another time, and before the key that makes it expires. A key can only give a role whose scopes it has. The key that the new member gets expires with the key that made the invitation, and shares its limit of requests, as a key made with it does.
         */
        post: operations["createInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an invitation */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description Its link stops working; it stays in the list as `revoked`. One that was accepted has become a member: remove that. A key can only take back a role whose scopes it has.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Needs no key: the token of the link is enough, once. Makes a member and a key with the scopes of the role; the key is shown in this response only, and in repeats with the same `Idempotency-Key` within ten minutes.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List members */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a member */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Revokes the keys that the member holds, the one of the invitation and those made with it, and the member's pending invitations. A key that is to outlive its maker is made by the admin, or with a key that no member holds. A key can only remove a member whose role's scopes it has. The last owner stays: 409 `invalid_state`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change a member's role
         * @description Holds at once for the keys that the member holds: the key of the invitation gets the scopes of the new role; all others keep what the new role allows, and never get more. Pending invitations that the member made, and that give more than the new role, are revoked. A key can only give or take away a role whose scopes it has. The last owner stays one: 409 `invalid_state`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/v1/organizations/{organizationId}/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit events
         * @description One for every change, written together with it, and for attempts that were refused; newest first. Nobody can change or delete one. Of a key that is refused again and again for the same reason, one attempt a minute is listed, with a count.
         */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was used and what it cost, by day, run, API key, job spec or model
         * @description Of the calls that runs and tests of job specs have made to models and services; `tests` is the part of the tests. A call belongs to the day (UTC) on which the result of its row was recorded, or its test ended. Days come newest first, other groups the most expensive first, and by their calls where costs are equal. Days and groups without calls are left out. While runs continue, sums grow, and a group may move between pages. What a deleted run has cost stays.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the service is and keeps
         * @description Its version, and those of its settings that its users need to know.
         */
        get: operations["getServiceInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/service/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the service fares
         * @description Of the process that responds: whether it reaches the database and the store, and has room. Of all processes: what waits. Probes use `/readyz`, which needs no key.
         */
        get: operations["getServiceHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read who is signed in */
        get: operations["getSession"];
        /**
         * Sign a browser in
         * @description Exchanges an API key, the admin key, or the token of a login link for the cookie of a session (`HttpOnly`, `SameSite=Strict`, `Secure` where the public URL is https). The session can do what the key can do, ends with the key, and at the latest after `ROWMILL_SESSION_EXPIRY_HOURS`. A request with an `Authorization` header ignores the cookie. A request that changes something by a cookie must come from a page of the service itself: otherwise 403 `origin_not_allowed`. A login link works once: it makes a key for the only organization (which it creates if there is none), or signs in as the admin where there are several.
         */
        put: operations["createSession"];
        post?: never;
        /**
         * Sign a browser out
         * @description Ends the session of the request's cookie at once, on every process. A request that has sent a key has no session: 409 `invalid_state`.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This interface as OpenAPI 3.1 */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who the key is */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/error-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every error code, what it means and what to do
         * @description Errors of requests in `data`; beside them the failure codes of rows, the error codes of uploads, and why runs stand still or were ended. Browsers get a page, to which `docUrl` of every error leads.
         */
        get: operations["listErrorCodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every event type, and the patterns for them */
        get: operations["listEventTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "run.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run was created and is queued. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunCreatedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The first row of a run is being processed. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunStartedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run was paused; `data.reason` says why. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunPausedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.resumed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A paused run continues. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunResumedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run ended and no row failed. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunSucceededEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.partially_succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run ended with succeeded and failed rows. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunPartiallySucceededEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run ended without a succeeded row, or was ended by its failure policy or an error. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunFailedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run was canceled; finished rows are kept. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunCanceledEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run passed its deadline. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunExpiredEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A run ended, in whatever way. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunFinishedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "row.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A row succeeded. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RowSucceededEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "row.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A row failed; its failure is a record of the run. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RowFailedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "export.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An export's file can be downloaded. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ExportReadyEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "export.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An export could not be written. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ExportFailedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dataset.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A dataset can be used. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DatasetReadyEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dataset.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The intake of a dataset failed; its upload says why. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["DatasetFailedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "bulk_action.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A bulk action ended: it was completed or aborted, or it failed. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BulkActionFinishedEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "test.ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A test delivery was requested. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["TestPingEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook_endpoint.failing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Deliveries to an endpoint have been failing for long. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookEndpointFailingEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook_endpoint.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An endpoint was disabled. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WebhookEndpointDisabledEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "alert.triggered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An alert rule fired whose destination is a webhook. */
        post: {
            parameters: {
                query?: never;
                header: {
                    /** @description The event's id: the same on every attempt, redelivery and replay. */
                    "webhook-id": components["parameters"]["WebhookId"];
                    /** @description When this attempt was made, in seconds since 1970. */
                    "webhook-timestamp": components["parameters"]["WebhookTimestamp"];
                    /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
                    "webhook-signature": components["parameters"]["WebhookSignature"];
                    /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
                    "Service-Webhook-Id": components["parameters"]["ServiceWebhookId"];
                    /** @description As `webhook-timestamp`. */
                    "Service-Webhook-Timestamp": components["parameters"]["ServiceWebhookTimestamp"];
                    /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
                    "Service-Webhook-Signature": components["parameters"]["ServiceWebhookSignature"];
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AlertTriggeredEvent"];
                };
            };
            responses: {
                /** @description Delivered. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description The delivery failed and is retried; 410 disables the endpoint at once. */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        WebhookDelivery: {
            /** @example whd_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example whe_01jd3v8m7qe6t9yb4c2xk5w0hz */
            webhookEndpointId: string;
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            eventId: string;
            /** @enum {string} */
            eventType: "run.created" | "run.started" | "run.paused" | "run.resumed" | "run.succeeded" | "run.partially_succeeded" | "run.failed" | "run.canceled" | "run.expired" | "run.finished" | "row.succeeded" | "row.failed" | "export.ready" | "export.failed" | "dataset.ready" | "dataset.failed" | "bulk_action.finished" | "test.ping" | "webhook_endpoint.failing" | "webhook_endpoint.disabled";
            /**
             * @description Why it was made: the event itself, a replay, a redelivery or a test.
             * @enum {string}
             */
            kind: "event" | "replay" | "redelivery" | "test";
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed" | "canceled";
            attempts: {
                number: number;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                startedAt: string;
                durationMs: number;
                /**
                 * @description `response`, or why there was none.
                 * @enum {string}
                 */
                outcome: "response" | "timeout" | "dns" | "connect" | "tls" | "blocked_address" | "response_too_large" | "protocol";
                responseStatus: number | null;
                /** @description What happened, in words. */
                message: string;
            }[];
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        WebhookDeliveryContent: {
            body: string | null;
            /** @description `request` and `response` are null where they were not recorded; `response`, too, where none came. */
            attempts: {
                number: number;
                request: {
                    /**
                     * @description As they were sent, with the signatures of that moment.
                     * @example {
                     *       "content-type": "application/json"
                     *     }
                     */
                    headers: {
                        [key: string]: string;
                    };
                } | null;
                response: {
                    /**
                     * @description The first 30, each up to 300 characters; without cookies.
                     * @example {
                     *       "content-type": "application/json"
                     *     }
                     */
                    headers: {
                        [key: string]: string;
                    };
                    /** @description Its beginning, up to 1024 bytes, as text. */
                    body: string;
                    /** @description Whether the body is longer than what is shown. */
                    isCut: boolean;
                } | null;
            }[];
        };
        AlertDelivery: {
            /** @example ald_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example alr_01jd3v8m7qe6t9yb4c2xk5w0hz */
            alertRuleId: string;
            /**
             * @description The event that triggered the rule; of a suppressed record, the first one.
             * @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz
             */
            eventId: string;
            /** @enum {string} */
            eventType: "run.created" | "run.started" | "run.paused" | "run.resumed" | "run.succeeded" | "run.partially_succeeded" | "run.failed" | "run.canceled" | "run.expired" | "run.finished" | "row.succeeded" | "row.failed" | "export.ready" | "export.failed" | "dataset.ready" | "dataset.failed" | "bulk_action.finished" | "webhook_endpoint.failing" | "webhook_endpoint.disabled";
            /** @description Events this stands for: those that a `count` trigger counted together. One suppressed record counts all that its cooldown suppressed. */
            eventCount: number;
            /** @description Asked for by hand; no event triggered it. */
            test: boolean;
            /** @enum {string} */
            status: "pending" | "succeeded" | "failed" | "suppressed";
            attempts: {
                number: number;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                startedAt: string;
                durationMs: number;
                /**
                 * @description `response`, or why there was none.
                 * @enum {string}
                 */
                outcome: "response" | "timeout" | "dns" | "connect" | "tls" | "blocked_address" | "response_too_large" | "protocol";
                responseStatus: number | null;
                /** @description What happened, in words. */
                message: string;
            }[];
            nextAttemptAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        AlertDestination: {
            /** @constant */
            type: "webhook";
            /**
             * @description Public HTTPS URL on the default port, without credentials or fragment. It is stored encrypted; responses show its origin and last four characters (`https://hooks.example.com/…/9f3k`), which cannot be sent back.
             * @example https://hooks.example.com/alerts
             */
            url: string;
        } | {
            /** @constant */
            type: "slack";
            /**
             * @description Public HTTPS URL on the default port, without credentials or fragment. It is stored encrypted; responses show its origin and last four characters (`https://hooks.example.com/…/9f3k`), which cannot be sent back.
             * @example https://hooks.example.com/alerts
             */
            url: string;
        } | {
            /** @constant */
            type: "email";
            to: string[];
        };
        AlertTrigger: {
            /** @constant */
            type: "each";
        } | {
            /** @constant */
            type: "count";
            /** @description So many events … */
            count: number;
            /** @description … within this many seconds. Then counting starts again. */
            windowSeconds: number;
        };
        AlertRule: {
            /** @example alr_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string;
            enabled: boolean;
            /** @enum {string} */
            eventType: "run.created" | "run.started" | "run.paused" | "run.resumed" | "run.succeeded" | "run.partially_succeeded" | "run.failed" | "run.canceled" | "run.expired" | "run.finished" | "row.succeeded" | "row.failed" | "export.ready" | "export.failed" | "dataset.ready" | "dataset.failed" | "bulk_action.finished" | "webhook_endpoint.failing" | "webhook_endpoint.disabled";
            filter: string | null;
            filterError: {
                message: string;
                /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
                eventId: string;
                /**
                 * Format: date-time
                 * @description When it was evaluated.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                at: string;
            } | null;
            trigger: components["schemas"]["AlertTrigger"];
            cooldownSeconds: number;
            destination: components["schemas"]["AlertDestination"];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        AlertRuleWithSecret: {
            /** @example alr_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string;
            enabled: boolean;
            /** @enum {string} */
            eventType: "run.created" | "run.started" | "run.paused" | "run.resumed" | "run.succeeded" | "run.partially_succeeded" | "run.failed" | "run.canceled" | "run.expired" | "run.finished" | "row.succeeded" | "row.failed" | "export.ready" | "export.failed" | "dataset.ready" | "dataset.failed" | "bulk_action.finished" | "webhook_endpoint.failing" | "webhook_endpoint.disabled";
            filter: string | null;
            filterError: {
                message: string;
                /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
                eventId: string;
                /**
                 * Format: date-time
                 * @description When it was evaluated.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                at: string;
            } | null;
            trigger: components["schemas"]["AlertTrigger"];
            cooldownSeconds: number;
            destination: components["schemas"]["AlertDestination"];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
            signingSecret?: string | null;
        };
        AlertPreview: {
            /**
             * Format: date-time
             * @description Where the events begin that were evaluated: later than asked for when there are too many.
             * @example 2026-11-20T09:30:00.000Z
             */
            since: string;
            /** @description Whether there were more events than are evaluated; the newest of them were. */
            isCut: boolean;
            /** @description Events of the type that were evaluated. */
            events: number;
            /** @description Of these, events for which the filter is true. */
            matches: number;
            /** @description Alerts that the rule would have sent. */
            alerts: number;
            /** @description Alerts that its cooldown would have suppressed. */
            suppressed: number;
            /** @description Events for which the filter could not be evaluated; they count as not true. */
            filterErrors: number;
            filterError: string | null;
            /** @description The newest alerts that would have been sent, ten at most. */
            newest: {
                /**
                 * @description The event that would have triggered the alert.
                 * @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                eventId: string;
                /** @description Events that it would have stood for. */
                eventCount: number;
                /**
                 * Format: date-time
                 * @description When that event happened.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                createdAt: string;
                /** @description The event: its envelope. */
                event: {
                    [key: string]: unknown;
                };
            }[];
            sample: {
                [key: string]: unknown;
            } | null;
        };
        ApiKey: {
            /** @example key_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            name: string;
            /**
             * @description The beginning and the last four characters of the key.
             * @example rmk_4fQ2…x9Zk
             */
            redactedKey: string;
            scopes: ("datasets:read" | "datasets:write" | "job_specs:read" | "job_specs:write" | "runs:read" | "runs:write" | "results:read" | "results:write" | "exports:read" | "exports:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "organization:read" | "organization:write" | "api_keys:read" | "api_keys:write" | "invitations:read" | "invitations:write" | "connections:read" | "connections:write" | "audit:read")[];
            memberId: string | null;
            createdByKeyId: string | null;
            requestsPerMinute: number | null;
            lastUsedAt: string | null;
            expiresAt: string | null;
            revokedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
        };
        CreatedApiKey: {
            /** @example key_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            name: string;
            /**
             * @description The beginning and the last four characters of the key.
             * @example rmk_4fQ2…x9Zk
             */
            redactedKey: string;
            scopes: ("datasets:read" | "datasets:write" | "job_specs:read" | "job_specs:write" | "runs:read" | "runs:write" | "results:read" | "results:write" | "exports:read" | "exports:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "organization:read" | "organization:write" | "api_keys:read" | "api_keys:write" | "invitations:read" | "invitations:write" | "connections:read" | "connections:write" | "audit:read")[];
            memberId: string | null;
            createdByKeyId: string | null;
            requestsPerMinute: number | null;
            lastUsedAt: string | null;
            expiresAt: string | null;
            revokedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @description The key itself. It is shown this once. A repeat of the request with its `Idempotency-Key` shows it only to the key, or member, that made the first. */
            key?: string;
        };
        AuditEvent: {
            /** @example aud_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @enum {string} */
            type: "alert_rule.created" | "alert_rule.deleted" | "alert_rule.secret_rotated" | "alert_rule.tested" | "alert_rule.updated" | "api_key.created" | "api_key.revoked" | "api_key.updated" | "auth.denied" | "bulk_action.aborted" | "bulk_action.created" | "connection.created" | "connection.deleted" | "connection.tested" | "connection.updated" | "dataset.deleted" | "dataset.updated" | "dataset_upload.canceled" | "dataset_upload.content_received" | "dataset_upload.created" | "dataset_upload.expired" | "export.canceled" | "export.created" | "export.deleted" | "export.expired" | "invitation.accepted" | "invitation.created" | "invitation.expired" | "invitation.revoked" | "job_spec.archived" | "job_spec.created" | "job_spec.updated" | "job_spec.version_created" | "member.created" | "member.removed" | "member.updated" | "organization.created" | "organization.suspended" | "organization.updated" | "run.cancel_requested" | "run.created" | "run.deleted" | "run.paused" | "run.resumed" | "run.retried" | "run.updated" | "session.created" | "session.ended" | "webhook_delivery.redelivered" | "webhook_endpoint.created" | "webhook_endpoint.deleted" | "webhook_endpoint.disabled" | "webhook_endpoint.replayed" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.tested" | "webhook_endpoint.updated";
            /** @enum {string} */
            actorType: "api_key" | "admin" | "member" | "system";
            actorId: string | null;
            apiKeyId: string | null;
            target: {
                /** @example run */
                type: string;
                id: string | null;
            };
            ip: string | null;
            requestId: string | null;
            /** @description What became different, never a secret. Of a denied attempt: `code`, `method`, `path`, and `count`, the number of such attempts since the last one that was recorded, this one included. */
            changes: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
        };
        /** @description Something that can be done now. Method and path are absent where no request does it. */
        NextStep: {
            /** @enum {string} */
            action: "wait" | "resume" | "cancel" | "raise_budget" | "read_failures" | "add_version" | "retry" | "create_again" | "send_content" | "upload_again" | "export_again" | "ask_operator";
            /** @description What it does, as a sentence. */
            description: string;
            /** @enum {string} */
            method?: "GET" | "POST" | "PATCH" | "PUT";
            /** @example /v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz/retry */
            path?: string;
        };
        Export: {
            /** @example exp_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
            runId: string;
            /** @enum {string} */
            type: "outputs" | "failures" | "resolved_results" | "rows";
            /** @enum {string} */
            format: "jsonl" | "csv" | "parquet";
            /** @enum {string} */
            layout: "nested" | "flat";
            /** @enum {string} */
            compression: "none" | "gzip" | "zstd";
            includeInput: boolean;
            columns: string[] | null;
            /** @description Whether cells that a spreadsheet would run as a formula get a leading `'`. */
            formulaGuard: boolean;
            /** @enum {string} */
            status: "queued" | "running" | "ready" | "expired" | "failed" | "canceled";
            statusMessage: string | null;
            /** @description What can be done now; empty when ready. */
            nextSteps: components["schemas"]["NextStep"][];
            error: {
                code: string;
                message: string;
            } | null;
            rowCount: number | null;
            guardedCells: number | null;
            sizeBytes: number | null;
            sha256: string | null;
            downloadUrl: string | null;
            expiresAt: string | null;
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
            finishedAt: string | null;
        };
        RunScope: {
            /** @constant */
            type: "limit";
            /** @description Number of rows to process, from the first. */
            count: number;
        } | {
            /** @constant */
            type: "all";
        } | {
            /** @constant */
            type: "range";
            /** @description First row index. */
            from: number;
            /** @description The row index after the last. */
            to: number;
        } | {
            /** @constant */
            type: "sample";
            /** @description Number of rows to draw. */
            count: number;
            /** @description The same seed draws the same rows. */
            seed: number;
        } | {
            /** @constant */
            type: "rows";
            rowIds: string[];
        } | {
            /** @constant */
            type: "filter";
            /**
             * @description A CEL expression over `row`, up to 4 KiB: the run has the rows for which it is true when the run is created. Numbers are doubles; a row that cannot be evaluated, because a member is missing, is not chosen.
             * @example row.country == 'DE' && row.amount > 100
             */
            where: string;
        };
        RetrySelection: {
            /** @constant */
            type: "unfinished";
        } | {
            /** @constant */
            type: "failures";
        } | {
            /** @constant */
            type: "retryable_failures";
        } | {
            /** @constant */
            type: "rows";
            rowIds: string[];
        } | {
            /** @constant */
            type: "codes";
            codes: ("provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error")[];
        } | {
            /** @constant */
            type: "all";
        };
        /** @description A call as it was sent, and its response, without the credentials of the connection. `usage` is as in `usage.calls` of the row. */
        TestedCall: {
            request: {
                method: string;
                url: string;
                headers: {
                    [key: string]: string;
                };
                body: string | null;
                /** @description Whether the body is longer than what is shown. */
                isCut: boolean;
            };
            response: {
                status: number;
                headers: {
                    [key: string]: string;
                };
                body: string | null;
                /** @description Whether the body is longer than what is shown. */
                isCut: boolean;
            } | null;
            usage: {
                /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                connectionId?: string;
                /** @description As the job spec names it. */
                model?: string;
                /** @description As the provider reported it. */
                reportedModel?: string;
                /** @description The provider's own name for the request. */
                requestId?: string;
                inputTokens?: number;
                outputTokens?: number;
                /** @description Absent where no price is known. */
                costUsd?: string;
                /**
                 * @description Why the call gave no output.
                 * @enum {string}
                 */
                code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
            } | null;
        };
        JobSpecTestResult: {
            /** @description Of the rows that succeeded, in the order of the rows. */
            outputs: {
                /** @description Position in `rows`, or in the dataset. */
                index: number;
                /** @description From the start of the test to the end of the row, waits included. */
                durationMs: number;
                usage: {
                    inputTokens?: number;
                    outputTokens?: number;
                    requests?: number;
                    /** @description Of the calls whose price is known. */
                    costUsd?: string;
                    /** @description Calls whose price is not known. */
                    unpricedRequests?: number;
                    /**
                     * @description The result was there already: nothing was called.
                     * @constant
                     */
                    cached?: true;
                    /** @description The last 20 calls, failed attempts included. */
                    calls?: {
                        /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                        connectionId?: string;
                        /** @description As the job spec names it. */
                        model?: string;
                        /** @description As the provider reported it. */
                        reportedModel?: string;
                        /** @description The provider's own name for the request. */
                        requestId?: string;
                        inputTokens?: number;
                        outputTokens?: number;
                        /** @description Absent where no price is known. */
                        costUsd?: string;
                        /**
                         * @description Why the call gave no output.
                         * @enum {string}
                         */
                        code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                    }[];
                } | null;
                /** @description What the code wrote to the console, first 4 KB. */
                logs: string;
                /** @description Of `details: true`: every call for the row, repair turns and fallbacks included, in the order in which they ended; the last 24. */
                calls?: components["schemas"]["TestedCall"][];
                data: unknown;
            }[];
            /** @description Of the others, in the order of the rows. */
            failures: {
                /** @description Position in `rows`, or in the dataset. */
                index: number;
                /** @description From the start of the test to the end of the row, waits included. */
                durationMs: number;
                usage: {
                    inputTokens?: number;
                    outputTokens?: number;
                    requests?: number;
                    /** @description Of the calls whose price is known. */
                    costUsd?: string;
                    /** @description Calls whose price is not known. */
                    unpricedRequests?: number;
                    /**
                     * @description The result was there already: nothing was called.
                     * @constant
                     */
                    cached?: true;
                    /** @description The last 20 calls, failed attempts included. */
                    calls?: {
                        /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                        connectionId?: string;
                        /** @description As the job spec names it. */
                        model?: string;
                        /** @description As the provider reported it. */
                        reportedModel?: string;
                        /** @description The provider's own name for the request. */
                        requestId?: string;
                        inputTokens?: number;
                        outputTokens?: number;
                        /** @description Absent where no price is known. */
                        costUsd?: string;
                        /**
                         * @description Why the call gave no output.
                         * @enum {string}
                         */
                        code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                    }[];
                } | null;
                /** @description What the code wrote to the console, first 4 KB. */
                logs: string;
                /** @description Of `details: true`: every call for the row, repair turns and fallbacks included, in the order in which they ended; the last 24. */
                calls?: components["schemas"]["TestedCall"][];
                /** @enum {string} */
                code: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                /** @enum {string} */
                class: "configuration" | "input" | "output" | "transient" | "http" | "transform" | "limits" | "system";
                retryable: boolean;
                message: string;
                details: {
                    [key: string]: unknown;
                } | null;
            }[];
            /** @description What the test has used. */
            totals: {
                /** @description Tokens sent to models. */
                inputTokens: number;
                /** @description Tokens received from models. */
                outputTokens: number;
                /** @description Calls to the outside. */
                requests: number;
                /** @description Calls whose price is not known. */
                unpricedRequests: number;
                costUsd: string | null;
            };
        };
        /** @description How often a run itself tries a row again after a transient or system failure, with full jitter. */
        RetryPolicy: {
            /** @description Attempts in all (4). */
            maxAttempts?: number;
            /** @description Before the second attempt (1000). */
            initialDelayMs?: number;
            /** @description Growth of the delay (2). */
            multiplier?: number;
            /** @description Longest delay (60000). */
            maxDelayMs?: number;
        };
        /** @description Ends the run as `failed` when more rows fail than this. Without one, every row is tried. */
        FailurePolicy: {
            maxFailedRows?: number;
            maxFailedPercent?: number;
            /** @description Finished rows before the percentage counts (100). */
            minEvaluatedRows?: number;
        };
        /** @description Whether an output is taken from an earlier row of the organization that asked the same: same connection, model and rendered request. Such an output has `usage.cached` and costs nothing. */
        CachePolicy: {
            /** @enum {string} */
            mode: "read_write" | "off";
            /** @description How long an output is used again (30 days). */
            ttlSeconds?: number;
        };
        Execution: {
            /** @constant */
            mode: "realtime";
        } | {
            /** @constant */
            mode: "provider_batch";
            /** @description Longest time that a row waits for its batch (86400); then it continues in real time. */
            maxWaitSeconds?: number;
        };
        JobSpecWarning: {
            /** @description JSON pointer into the body of the request. */
            path: string;
            /** @enum {string} */
            code: "template_without_row" | "single_brace_reference";
            message: string;
        };
        /** @description A job spec with the definition of its latest version. */
        JobSpec: {
            /** @example spec_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string;
            description: string | null;
            latestVersion: number;
            processor: {
                [key: string]: unknown;
            };
            inputSchema: (Record<string, unknown> | boolean) | null;
            outputSchema: (Record<string, unknown> | boolean) | null;
            retry: components["schemas"]["RetryPolicy"] | null;
            timeoutSeconds: number | null;
            concurrency: number | null;
            failurePolicy: components["schemas"]["FailurePolicy"] | null;
            cache: components["schemas"]["CachePolicy"] | null;
            /**
             * @description `exact`: rows of a run with the same content are processed once, and the others get the same result with `usage.cached`.
             * @enum {string}
             */
            dedupe: "none" | "exact";
            execution: components["schemas"]["Execution"] | null;
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata: {
                [key: string]: string;
            };
            /** @description What is accepted, and most likely a mistake: templates that name no field of the row, or in single braces. Only in the response that creates it, and only if there are any. */
            warnings?: components["schemas"]["JobSpecWarning"][];
            archivedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        JobSpecVersion: {
            /** @example specv_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example spec_01jd3v8m7qe6t9yb4c2xk5w0hz */
            jobSpecId: string;
            version: number;
            processor: {
                [key: string]: unknown;
            };
            inputSchema: (Record<string, unknown> | boolean) | null;
            outputSchema: (Record<string, unknown> | boolean) | null;
            retry: components["schemas"]["RetryPolicy"] | null;
            timeoutSeconds: number | null;
            concurrency: number | null;
            failurePolicy: components["schemas"]["FailurePolicy"] | null;
            cache: components["schemas"]["CachePolicy"] | null;
            /**
             * @description `exact`: rows of a run with the same content are processed once, and the others get the same result with `usage.cached`.
             * @enum {string}
             */
            dedupe: "none" | "exact";
            execution: components["schemas"]["Execution"] | null;
            /** @description What is accepted, and most likely a mistake: templates that name no field of the row, or in single braces. Only in the response that creates it, and only if there are any. */
            warnings?: components["schemas"]["JobSpecWarning"][];
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
        };
        /** @description The most that a call may cost is reserved before it, and settled after it. Without `parameters.maxOutputTokens`, calls under a budget are limited to 4096 tokens of output. Needs a price for every model that may be asked; requests of `http` without a price count as free. */
        Budget: {
            /**
             * @description Most that the run may spend, in US dollars.
             * @example 12.345600
             */
            maxCostUsd: string;
            /**
             * @description What the run does before a call that might exceed it (`pause`).
             * @enum {string}
             */
            onExceeded?: "pause" | "cancel";
        };
        /** @description `low` and `high` contain the error of the sample (95 %) and what is unknown about outputs. What a cache or equal rows save is not counted. */
        RunEstimate: {
            /** @constant */
            dryRun: true;
            /** @description Rows that the run would have. */
            rows: number;
            estimate: {
                /**
                 * @description Where the number and length of outputs come from: `earlier_results` of the same version of the job spec (20 or more), else the `limits` of the processor, which makes a wide range; `no_calls`: the processor calls nobody.
                 * @enum {string}
                 */
                basis: "earlier_results" | "limits" | "no_calls";
                /** @description Rows that were rendered, spread evenly over those of the run. */
                sampledRows: number;
                /** @description Those among them that would fail before anything is called. */
                failingSampledRows: number;
                /** @description Calls to the outside; repair turns and further attempts are in `high`, or in earlier results. */
                requests: {
                    /** @description At least. */
                    low: number;
                    /** @description Most likely. */
                    expected: number;
                    /** @description At most. */
                    high: number;
                };
                /** @description Tokens sent to models. */
                inputTokens: {
                    /** @description At least. */
                    low: number;
                    /** @description Most likely. */
                    expected: number;
                    /** @description At most. */
                    high: number;
                };
                /** @description Tokens received from models. */
                outputTokens: {
                    /** @description At least. */
                    low: number;
                    /** @description Most likely. */
                    expected: number;
                    /** @description At most. */
                    high: number;
                };
                costUsd: {
                    /**
                     * @description At least.
                     * @example 12.345600
                     */
                    low: string;
                    /**
                     * @description Most likely.
                     * @example 12.345600
                     */
                    expected: string;
                    /**
                     * @description At most.
                     * @example 12.345600
                     */
                    high: string;
                } | null;
                /** @description Models of the job spec, fallbacks included, whose price is not known. */
                unpricedModels: {
                    /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                    connectionId: string;
                    model: string;
                }[];
                durationSeconds: {
                    /** @description At least. */
                    low: number;
                    /** @description Most likely. */
                    expected: number;
                    /** @description At most. */
                    high: number;
                } | null;
            };
            /** @description What is wrong with the templates for all rows, and sampled rows that would fail before anything is called; the first of them. */
            problems: {
                datasetRowId: string | null;
                index: number | null;
                /** @enum {string} */
                code: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error" | "template_without_row" | "single_brace_reference";
                message: string;
            }[];
            /** @description What to do about an estimate that spans far, before the run is created. */
            suggestions: {
                /** @enum {string} */
                code: "cap_output_tokens" | "sample_first";
                message: string;
            }[];
        };
        RunEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @description Gapless from 1 within the run. */
            sequence: number;
            /** @enum {string} */
            type: "run.created" | "run.started" | "run.progress" | "run.paused" | "run.resumed" | "run.succeeded" | "run.partially_succeeded" | "run.failed" | "run.canceled" | "run.expired" | "run.finished" | "row.succeeded" | "row.failed" | "export.ready" | "export.failed" | "dataset.ready" | "dataset.failed" | "bulk_action.finished" | "test.ping" | "webhook_endpoint.failing" | "webhook_endpoint.disabled";
            /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
            runId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            data: {
                [key: string]: unknown;
            };
        };
        /** @description How the rows are brought to the model. */
        RunExecution: {
            /** @enum {string} */
            mode: "realtime" | "provider_batch";
            maxWaitSeconds: number | null;
            realTimeSince: string | null;
            problem: {
                /** @enum {string} */
                code: "unsupported" | "refused" | "deadline_near";
                message: string;
            } | null;
        };
        RunRowCounts: {
            /** @description Rows of the run; the other members always add up to it. */
            total: number;
            /** @description Not begun. */
            pending: number;
            /** @description Begun and not finished, or in a batch at the provider. Workers report this twice a second; all rows of a chunk that a worker has just begun count. */
            running: number;
            /** @description Have an output. */
            succeeded: number;
            /** @description Have a failure. */
            failed: number;
            /** @description Never finished, since the run was canceled. */
            canceled: number;
            /** @description Never finished, since the run failed or expired. */
            skipped: number;
        };
        Usage: {
            /** @description Tokens sent to models. */
            inputTokens: number;
            /** @description Tokens received from models. */
            outputTokens: number;
            /** @description Calls to the outside. */
            requests: number;
            /** @description Attempts at rows. */
            attempts: number;
            /** @description Calls whose price is not known. */
            unpricedRequests: number;
            costUsd: string | null;
        };
        Run: {
            /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string | null;
            /** @enum {string} */
            state: "queued" | "running" | "paused" | "canceling" | "succeeded" | "partially_succeeded" | "failed" | "canceled" | "expired";
            stateReason: ("waiting_for_capacity" | "by_user" | "budget_exhausted" | "breaker_open" | "batch_refused" | "organization_suspended" | "storage_limit_reached" | "insufficient_storage") | null;
            stateReasonMessage: string | null;
            error: {
                code: string;
                message: string;
            } | null;
            /** @description What can be done about a run that waits, is paused, or has ended with rows that did not succeed. */
            nextSteps: components["schemas"]["NextStep"][];
            /** @example ds_01jd3v8m7qe6t9yb4c2xk5w0hz */
            datasetId: string;
            /** @example spec_01jd3v8m7qe6t9yb4c2xk5w0hz */
            jobSpecId: string;
            jobSpecVersion: number;
            scope: components["schemas"]["RunScope"];
            priority: number;
            concurrency: number | null;
            failurePolicy: components["schemas"]["FailurePolicy"] | null;
            budget: components["schemas"]["Budget"] | null;
            execution: components["schemas"]["RunExecution"];
            deadlineAt: string | null;
            rows: components["schemas"]["RunRowCounts"];
            progress: {
                percent: number;
                rowsPerSecond: number | null;
                etaSeconds: number | null;
            };
            usage: components["schemas"]["Usage"];
            parentRunId: string | null;
            /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
            rootRunId: string;
            retryNumber: number;
            selection: components["schemas"]["RetrySelection"] | null;
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            startedAt: string | null;
            finishedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        Lineage: {
            /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
            rootRunId: string;
            runs: {
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                parentRunId: string | null;
                retryNumber: number;
                selection: components["schemas"]["RetrySelection"] | null;
                /** @enum {string} */
                state: "queued" | "running" | "paused" | "canceling" | "succeeded" | "partially_succeeded" | "failed" | "canceled" | "expired";
                rows: components["schemas"]["RunRowCounts"];
            }[];
        };
        /** @description The filters of the list of these things, with several values as an array; all of them must hold. At least one: an empty filter is refused, so that nobody deletes everything by a mistake. */
        BulkActionFilter: {
            /** @description Runs in these states. */
            state?: ("queued" | "running" | "paused" | "canceling" | "succeeded" | "partially_succeeded" | "failed" | "canceled" | "expired")[];
            /**
             * @description Runs over this dataset.
             * @example ds_01jd3v8m7qe6t9yb4c2xk5w0hz
             */
            datasetId?: string;
            /**
             * @description Runs of this job spec.
             * @example spec_01jd3v8m7qe6t9yb4c2xk5w0hz
             */
            jobSpecId?: string;
            /**
             * @description Runs or datasets whose name begins with this; the case of A to Z does not count.
             * @example nightly
             */
            name?: string;
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Runs created at or after this time.
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAfter?: string;
            /**
             * Format: date-time
             * @description Runs created before this time.
             * @example 2026-11-20T09:30:00.000Z
             */
            createdBefore?: string;
            /**
             * @description Exports of this run.
             * @example run_01jd3v8m7qe6t9yb4c2xk5w0hz
             */
            runId?: string;
            /** @description Exports in these states. */
            status?: ("queued" | "running" | "ready" | "expired" | "failed" | "canceled")[];
            /** @description Exports of these types. */
            type?: ("outputs" | "failures" | "resolved_results" | "rows")[];
            /** @description Exports in these formats. */
            format?: ("jsonl" | "csv" | "parquet")[];
        };
        BulkAction: {
            /** @example bulk_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @enum {string} */
            resource: "runs" | "datasets" | "exports";
            /** @enum {string} */
            action: "cancel" | "pause" | "resume" | "retry" | "delete";
            filter: components["schemas"]["BulkActionFilter"] | null;
            /** @enum {string} */
            state: "queued" | "running" | "completed" | "aborted" | "failed";
            /** @description Things that the action is about; fixed when it is created. */
            total: number;
            /** @description Things on which the action was done. */
            done: number;
            /** @description Things on which it could not be done in their state; `reasons` says why. */
            skipped: number;
            /** @description Things at which it failed. */
            failed: number;
            /** @description Why things were skipped or failed, by code. */
            reasons: {
                /** @enum {string} */
                outcome: "skipped" | "failed";
                /**
                 * @description An error code, as the single operation would respond.
                 * @example invalid_state
                 */
                code: string;
                /** @description The message of the first one. */
                message: string;
                /** @description Things with this code. */
                count: number;
                /** @description Up to 20 of them. */
                ids: string[];
            }[];
            error: {
                code: string;
                message: string;
            } | null;
            /**
             * @description The key that created the action, with whose scopes it is done.
             * @example key_01jd3v8m7qe6t9yb4c2xk5w0hz
             */
            apiKeyId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            startedAt: string | null;
            finishedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        BulkActionCount: {
            /** @enum {string} */
            resource: "runs" | "datasets" | "exports";
            /** @enum {string} */
            action: "cancel" | "pause" | "resume" | "retry" | "delete";
            /** @description Things that the action would be about now. */
            total: number;
            /** @description How many of them are in which state (of exports: `status`). */
            states: {
                state: string;
                count: number;
            }[];
        };
        Column: {
            name: string;
            /**
             * @description `decimal` values are kept as strings, since a JSON number would not give them back.
             * @enum {string}
             */
            type: "integer" | "number" | "decimal" | "boolean" | "date" | "timestamp" | "string" | "object" | "array" | "mixed";
            /** @description Rows in which the column is null or absent. */
            nullCount: number;
            min?: number | string;
            max?: number | string;
        };
        Dataset: {
            /** @example ds_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            state: "processing" | "ready" | "failed";
            /** @description Rows; 0 until the dataset is ready. */
            rowCount: number;
            /** @description Bytes of the rows as JSON lines. */
            sizeBytes: number;
            columns: components["schemas"]["Column"][];
            contentSha256: string | null;
            /** @example upl_01jd3v8m7qe6t9yb4c2xk5w0hz */
            uploadId: string;
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        DatasetRow: {
            /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
            id: string;
            /** @description Position in the dataset, from 0. */
            index: number;
            data: {
                [key: string]: unknown;
            };
        };
        /** @description How the values of columns are distributed. */
        ColumnStatistics: {
            /** @description Rows that the numbers are about. */
            examinedRows: number;
            /** @description Whether these are all rows. A larger dataset is examined in up to 20,000 rows from chunks that lie evenly over it. */
            isComplete: boolean;
            columns: {
                name: string;
                /** @enum {string} */
                type: "integer" | "number" | "decimal" | "boolean" | "date" | "timestamp" | "string" | "object" | "array" | "mixed";
                /** @description Examined rows in which the column is null or absent. */
                nullCount: number;
                histogram: {
                    from: number | string;
                    to: number | string;
                    /** @description Values from `from` up to, but without, `to`. */
                    count: number;
                }[] | null;
                frequentValues: {
                    /** @description At most 100 characters of it. */
                    value: string;
                    count: number;
                }[] | null;
                distinctValues: number | null;
            }[];
        };
        /** @description What all workers together know of a connection's limits. */
        ConnectionLimits: {
            /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
            connectionId: string;
            /** @description Models that were called within the last hour, the last one first. */
            models: {
                /** @description Empty for an `http` connection. */
                model: string;
                learnedRequestsPerMinute: number | null;
                learnedTokensPerMinute: number | null;
                requestsPerMinute: number | null;
                /** @description Refusals (429) since the last call that got a response. */
                refusals: number;
                /** @description No call begins for so long: the provider has asked for it. */
                pausedSeconds: number;
                /** @description A call that comes now begins after so long. */
                waitSeconds: number;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                lastUsedAt: string;
            }[];
        };
        Connection: {
            /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string;
            /** @enum {string} */
            type: "openai_compatible" | "anthropic" | "http";
            /** @description Without a slash at the end. */
            baseUrl: string;
            /** @description The secret itself is never returned. */
            hasSecret: boolean;
            redactedSecret: string | null;
            rateLimit: {
                requestsPerMinute: number | null;
                tokensPerMinute: number | null;
            };
            prices: {
                /**
                 * @description By the model's name, as job specs ask for it; `*` is the price of every other one.
                 * @example {
                 *       "gpt-5-mini": {
                 *         "inputUsdPerMillionTokens": "0.25",
                 *         "outputUsdPerMillionTokens": "2.00"
                 *       }
                 *     }
                 */
                models?: {
                    [key: string]: {
                        /**
                         * @description US dollars for a million input tokens.
                         * @example 12.345600
                         */
                        inputUsdPerMillionTokens: string;
                        /**
                         * @description US dollars for a million output tokens.
                         * @example 12.345600
                         */
                        outputUsdPerMillionTokens: string;
                        /** @description How much less rows cost in provider batches (0). */
                        batchDiscountPercent?: number;
                    };
                };
                /**
                 * @description US dollars for one request.
                 * @example 12.345600
                 */
                requestUsd?: string;
            } | null;
            priceList: {
                /**
                 * Format: date
                 * @description The date of the list.
                 * @example 2025-10-01
                 */
                asOf: string;
                /** @description Days since then: compare the prices with your provider's when they are many. */
                ageDays: number;
            } | null;
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        ConnectionTest: {
            /** @description The other side was reached and accepted the request. The test of an `http` connection sends no secret: a service that asks for one (401, 403) is not `ok`. */
            ok: boolean;
            status: number | null;
            durationMs: number;
            /** @description What was found, as a sentence. */
            message: string;
            /** @description Names of models that the provider lists, the first 100. */
            models?: string[];
        };
        DatasetUpload: {
            /** @example upl_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string;
            /** @enum {string} */
            state: "awaiting_content" | "processing" | "completed" | "failed" | "expired" | "canceled";
            stateMessage: string | null;
            /** @description What can be done now; empty when completed. */
            nextSteps: components["schemas"]["NextStep"][];
            /** @enum {string} */
            sourceType: "inline" | "upload" | "url";
            format: ("jsonl" | "json" | "csv" | "tsv" | "parquet") | null;
            /** @enum {string} */
            onInvalidRow: "reject" | "skip";
            datasetId: string | null;
            /** @description Bytes of content received. */
            bytesReceived: number;
            /** @description Rows taken into the dataset so far. */
            rowsAccepted: number;
            /** @description Rows left out so far. */
            rowsRejected: number;
            /** @description The first 100 errors. */
            errors: {
                line: number | null;
                /** @enum {string} */
                code: "empty_file" | "encoding_error" | "invalid_json_line" | "invalid_csv" | "invalid_parquet" | "row_too_large" | "too_many_columns" | "checksum_mismatch" | "download_failed" | "decompression_limit" | "storage_limit_reached" | "unsupported_format" | "internal_error";
                message: string;
            }[];
            progress: {
                percent: number;
            };
            /** @description Where to send the content; only while it is awaited. */
            upload?: {
                /** @constant */
                method: "PUT";
                url: string;
                /** @description The same in pieces, by the tus protocol: resumable after a broken connection. */
                resumableUrl?: string;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                expiresAt: string;
            };
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
            finishedAt: string | null;
        };
        Invitation: {
            /** @example inv_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            email: string;
            /**
             * @description `owner` may do everything; `developer` everything but make keys, invite people and change the organization; `operator` keeps datasets, runs, exports, webhooks and alerts going; `viewer` reads.
             * @enum {string}
             */
            role: "owner" | "developer" | "operator" | "viewer";
            /** @enum {string} */
            state: "pending" | "accepted" | "revoked" | "expired";
            memberId: string | null;
            createdByKeyId: string | null;
            /**
             * Format: date-time
             * @description When it can no longer be accepted.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        CreatedInvitation: {
            /** @example inv_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            email: string;
            /**
             * @description `owner` may do everything; `developer` everything but make keys, invite people and change the organization; `operator` keeps datasets, runs, exports, webhooks and alerts going; `viewer` reads.
             * @enum {string}
             */
            role: "owner" | "developer" | "operator" | "viewer";
            /** @enum {string} */
            state: "pending" | "accepted" | "revoked" | "expired";
            memberId: string | null;
            createdByKeyId: string | null;
            /**
             * Format: date-time
             * @description When it can no longer be accepted.
             * @example 2026-11-20T09:30:00.000Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
            /** @description Where the invitation is accepted; the token stands behind `#token=`. Shown only in this response. A repeat of the request with its `Idempotency-Key` shows it only to the key, or member, that made the first. */
            inviteUrl?: string;
        };
        Member: {
            /** @example mem_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            name: string;
            email: string;
            /**
             * @description `owner` may do everything; `developer` everything but make keys, invite people and change the organization; `operator` keeps datasets, runs, exports, webhooks and alerts going; `viewer` reads.
             * @enum {string}
             */
            role: "owner" | "developer" | "operator" | "viewer";
            /** @example inv_01jd3v8m7qe6t9yb4c2xk5w0hz */
            invitationId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
        };
        AcceptedInvitation: {
            member: components["schemas"]["Member"];
            apiKey: components["schemas"]["CreatedApiKey"];
        };
        ModelListPrice: {
            /** @example openai */
            provider: string;
            /**
             * @description As job specs name it.
             * @example gpt-5-mini
             */
            model: string;
            /**
             * @description US dollars for a million input tokens.
             * @example 12.345600
             */
            inputUsdPerMillionTokens: string;
            /**
             * @description US dollars for a million output tokens.
             * @example 12.345600
             */
            outputUsdPerMillionTokens: string;
            cachedInputUsdPerMillionTokens: string | null;
            batchDiscountPercent: number | null;
            /**
             * Format: date
             * @description When the price was read off the source.
             * @example 2025-10-01
             */
            sourceDate: string;
        };
        ModelPriceList: {
            /**
             * Format: date
             * @description The date of the newest price in the list.
             * @example 2025-10-01
             */
            asOf: string;
            /** @description Days since then. */
            ageDays: number;
            /** @description What the list is, as a sentence. */
            note: string;
            providers: {
                /** @example openai */
                provider: string;
                /** @enum {string} */
                connectionType: "openai_compatible" | "anthropic" | "http";
                /**
                 * @description Connections with an address at this host may say `prices: "list"`.
                 * @example api.openai.com
                 */
                host: string;
                /**
                 * @description Where the provider publishes its prices.
                 * @example https://openai.com/api/pricing/
                 */
                source: string;
            }[];
            data: components["schemas"]["ModelListPrice"][];
        };
        Organization: {
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            name: string;
            slug: string | null;
            /** @enum {string} */
            state: "active" | "suspended";
            limits: {
                [key: string]: number | null;
            };
            usage: {
                /** @description Runs that are not ended. */
                runsInProgress: number;
                /** @description Webhook endpoints. */
                webhookEndpoints: number;
                /** @description Keys that are neither revoked nor expired. */
                apiKeys: number;
                /** @description Datasets. */
                datasets: number;
                /** @description Bytes stored: contents of uploads until they are read, datasets (compressed), results of runs, files of exports. With what open upload sessions reserve: `source.sizeBytes`, or as much as a dataset may have. Results count after seconds. */
                storageBytes: number;
                /** @description What its runs have used since the first of the month (UTC); more is at `GET /v1/usage`. */
                thisMonth: {
                    /** @description Calls to the outside. */
                    requests: number;
                    /** @description Tokens sent to models. */
                    inputTokens: number;
                    /** @description Tokens received from models. */
                    outputTokens: number;
                    costUsd: string | null;
                };
            };
            /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        FailureGroup: {
            /** @enum {string} */
            code: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
            /** @enum {string} */
            class: "configuration" | "input" | "output" | "transient" | "http" | "transform" | "limits" | "system";
            /** @description Whether the rows may succeed in a retry run with nothing changed. */
            retryable: boolean;
            path: string | null;
            /** @description Failures of the group. */
            count: number;
            /** @description One of the failures. */
            sample: {
                /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
                datasetRowId: string;
                /** @description Position in the dataset, from 0. */
                index: number;
                message: string;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                failedAt: string;
            };
        };
        RunRow: {
            /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
            datasetRowId: string;
            /** @description Position in the dataset, from 0. */
            index: number;
            /** @enum {string} */
            state: "pending" | "running" | "succeeded" | "failed" | "canceled" | "skipped";
            /** @description Attempts made. */
            attempts: number;
            startedAt: string | null;
            finishedAt: string | null;
            durationMs: number | null;
            error: {
                /** @enum {string} */
                code: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                message: string;
            } | null;
        };
        Output: {
            /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
            datasetRowId: string;
            /** @description Position in the dataset, from 0. */
            index: number;
            /** @description What the processor made of the row. */
            data: unknown;
            /** @description Attempts made. */
            attempts: number;
            usage: {
                inputTokens?: number;
                outputTokens?: number;
                requests?: number;
                /** @description Of the calls whose price is known. */
                costUsd?: string;
                /** @description Calls whose price is not known. */
                unpricedRequests?: number;
                /**
                 * @description The result was there already: nothing was called.
                 * @constant
                 */
                cached?: true;
                /** @description The last 20 calls, failed attempts included. */
                calls?: {
                    /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                    connectionId?: string;
                    /** @description As the job spec names it. */
                    model?: string;
                    /** @description As the provider reported it. */
                    reportedModel?: string;
                    /** @description The provider's own name for the request. */
                    requestId?: string;
                    inputTokens?: number;
                    outputTokens?: number;
                    /** @description Absent where no price is known. */
                    costUsd?: string;
                    /**
                     * @description Why the call gave no output.
                     * @enum {string}
                     */
                    code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                }[];
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            producedAt: string;
        };
        Failure: {
            /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
            datasetRowId: string;
            /** @description Position in the dataset, from 0. */
            index: number;
            /** @enum {string} */
            code: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
            /** @enum {string} */
            class: "configuration" | "input" | "output" | "transient" | "http" | "transform" | "limits" | "system";
            /** @description Whether the row may succeed in a retry run with nothing changed. */
            retryable: boolean;
            message: string;
            details: {
                [key: string]: unknown;
            } | null;
            /** @description Attempts made. */
            attempts: number;
            usage: {
                inputTokens?: number;
                outputTokens?: number;
                requests?: number;
                /** @description Of the calls whose price is known. */
                costUsd?: string;
                /** @description Calls whose price is not known. */
                unpricedRequests?: number;
                /**
                 * @description The result was there already: nothing was called.
                 * @constant
                 */
                cached?: true;
                /** @description The last 20 calls, failed attempts included. */
                calls?: {
                    /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                    connectionId?: string;
                    /** @description As the job spec names it. */
                    model?: string;
                    /** @description As the provider reported it. */
                    reportedModel?: string;
                    /** @description The provider's own name for the request. */
                    requestId?: string;
                    inputTokens?: number;
                    outputTokens?: number;
                    /** @description Absent where no price is known. */
                    costUsd?: string;
                    /**
                     * @description Why the call gave no output.
                     * @enum {string}
                     */
                    code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                }[];
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            failedAt: string;
        };
        ResolvedResult: {
            /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
            datasetRowId: string;
            /** @description Position in the dataset, from 0. */
            index: number;
            /** @enum {string} */
            resultState: "succeeded" | "failed" | "canceled" | "skipped" | "pending";
            runId: string | null;
            output?: {
                data: unknown;
                attempts: number;
                usage: {
                    inputTokens?: number;
                    outputTokens?: number;
                    requests?: number;
                    /** @description Of the calls whose price is known. */
                    costUsd?: string;
                    /** @description Calls whose price is not known. */
                    unpricedRequests?: number;
                    /**
                     * @description The result was there already: nothing was called.
                     * @constant
                     */
                    cached?: true;
                    /** @description The last 20 calls, failed attempts included. */
                    calls?: {
                        /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                        connectionId?: string;
                        /** @description As the job spec names it. */
                        model?: string;
                        /** @description As the provider reported it. */
                        reportedModel?: string;
                        /** @description The provider's own name for the request. */
                        requestId?: string;
                        inputTokens?: number;
                        outputTokens?: number;
                        /** @description Absent where no price is known. */
                        costUsd?: string;
                        /**
                         * @description Why the call gave no output.
                         * @enum {string}
                         */
                        code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                    }[];
                } | null;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                producedAt: string;
            };
            failure?: {
                /** @enum {string} */
                code: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                /** @enum {string} */
                class: "configuration" | "input" | "output" | "transient" | "http" | "transform" | "limits" | "system";
                retryable: boolean;
                message: string;
                details: {
                    [key: string]: unknown;
                } | null;
                attempts: number;
                usage: {
                    inputTokens?: number;
                    outputTokens?: number;
                    requests?: number;
                    /** @description Of the calls whose price is known. */
                    costUsd?: string;
                    /** @description Calls whose price is not known. */
                    unpricedRequests?: number;
                    /**
                     * @description The result was there already: nothing was called.
                     * @constant
                     */
                    cached?: true;
                    /** @description The last 20 calls, failed attempts included. */
                    calls?: {
                        /** @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz */
                        connectionId?: string;
                        /** @description As the job spec names it. */
                        model?: string;
                        /** @description As the provider reported it. */
                        reportedModel?: string;
                        /** @description The provider's own name for the request. */
                        requestId?: string;
                        inputTokens?: number;
                        outputTokens?: number;
                        /** @description Absent where no price is known. */
                        costUsd?: string;
                        /**
                         * @description Why the call gave no output.
                         * @enum {string}
                         */
                        code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                    }[];
                } | null;
                /**
                 * Format: date-time
                 * @example 2026-11-20T09:30:00.000Z
                 */
                failedAt: string;
            };
        };
        /** @description Neighboring chunks share a cell where a run has more chunks than cells were asked for. */
        RunMap: {
            /** @description Chunks of the run: rows are claimed, and their results are committed, chunk by chunk. */
            chunks: number;
            /** @description In the order of the rows. */
            cells: {
                /** @description Position in the dataset of the first row, from 0. */
                firstIndex: number;
                /** @description Position in the dataset of the last row. */
                lastIndex: number;
                /** @description Chunks that the cell stands for. */
                chunks: number;
                /** @description Those of them that a worker is working on, or that are in a batch at a provider. */
                runningChunks: number;
                /** @description Rows of these chunks. */
                rows: number;
                /** @description Rows with an output. */
                succeeded: number;
                /** @description Rows with a failure. */
                failed: number;
            }[];
        };
        ServiceInfo: {
            /**
             * @description Of the program.
             * @example 1.4.0
             */
            version: string;
            /** @description Where customers reach the service. */
            publicUrl: string;
            /**
             * @description The first word of the headers that sign webhooks, `ROWMILL_WEBHOOK_HEADER_PREFIX`.
             * @example Service
             */
            webhookHeaderPrefix: string;
            /** @description Whether invitations and alerts can be sent by e-mail. */
            sendsMail: boolean;
            /** @description How long the service keeps what it deletes by itself. Datasets and runs stay until they are deleted. */
            retention: {
                /** @description Ended webhook deliveries, and events. */
                webhookDeliveryDays: number;
                /** @description Ended alert deliveries. */
                alertDeliveryDays: number;
                /** @description Files of exports. */
                exportHours: number;
                /** @description Idempotency keys with their responses. */
                idempotencyKeyHours: number;
            };
            invitationExpiryHours: number;
            sessionExpiryHours: number;
        };
        ServiceHealth: {
            /** @description Whether every check succeeded. */
            isHealthy: boolean;
            checks: {
                /** @enum {string} */
                name: "database" | "store" | "disk";
                ok: boolean;
                durationMs: number;
                /** @description What was found, in words. */
                message: string;
            }[];
            /** @description Organizations. */
            organizations: number;
            /** @description Runs that have not ended, of all organizations, by state. */
            runs: {
                state: string;
                /** @description Runs. */
                count: number;
            }[];
            /** @description Jobs that wait or are being worked on, by queue. */
            jobs: {
                queue: string;
                /** @description Jobs. */
                count: number;
            }[];
            /** @description Webhook deliveries that wait; counted up to 100,000. */
            pendingWebhookDeliveries: number;
            oldestEventSeconds: number | null;
        };
        /** @description Who makes the request. */
        Session: {
            /**
             * @description Whether the request has sent a key, or the cookie of a session.
             * @enum {string}
             */
            by: "api_key" | "session";
            /** @enum {string} */
            kind: "admin" | "organization";
            organizationId: string | null;
            organizationName: string | null;
            apiKeyId: string | null;
            memberId: string | null;
            scopes: ("datasets:read" | "datasets:write" | "job_specs:read" | "job_specs:write" | "runs:read" | "runs:write" | "results:read" | "results:write" | "exports:read" | "exports:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "organization:read" | "organization:write" | "api_keys:read" | "api_keys:write" | "invitations:read" | "invitations:write" | "connections:read" | "connections:write" | "audit:read")[];
            expiresAt: string | null;
        };
        UsageGroup: {
            /**
             * Format: date
             * @description Day (UTC); of `groupBy=day`.
             * @example 2026-11-20
             */
            day?: string;
            runId?: string | null;
            apiKeyId?: string | null;
            /**
             * @description Of `groupBy=job_spec`.
             * @example spec_01jd3v8m7qe6t9yb4c2xk5w0hz
             */
            jobSpecId?: string;
            model?: string | null;
            /** @description Rows that have ended, and for which something was called. */
            rows: number;
            /** @description Attempts at rows. */
            attempts: number;
            /** @description Calls to the outside. */
            requests: number;
            /** @description Tokens sent to models. */
            inputTokens: number;
            /** @description Tokens received from models. */
            outputTokens: number;
            /** @description Calls whose price is not known. */
            unpricedRequests: number;
            costUsd: string | null;
            /** @description The part that tests of job specs have used; it is contained in the other members. */
            tests: {
                /** @description Calls to the outside. */
                requests: number;
                costUsd: string | null;
            };
        };
        WebhookEndpoint: {
            /** @example whe_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /**
             * @description Its origin and last four characters: the path and query of the URL are a secret, which is stored encrypted and never returned.
             * @example https://hooks.example.com/…/9f3k
             */
            url: string;
            eventTypes: string[];
            description: string | null;
            enabled: boolean;
            disabledReason: ("by_user" | "receiver_gone" | "failing") | null;
            failingSince: string | null;
            lastSuccessAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
        };
        WebhookEndpointWithSecret: {
            /** @example whe_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /**
             * @description Its origin and last four characters: the path and query of the URL are a secret, which is stored encrypted and never returned.
             * @example https://hooks.example.com/…/9f3k
             */
            url: string;
            eventTypes: string[];
            description: string | null;
            enabled: boolean;
            disabledReason: ("by_user" | "receiver_gone" | "failing") | null;
            failingSince: string | null;
            lastSuccessAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            updatedAt: string;
            /** @description `whsec_` and base64; shown only in this response. A repeat of the request with its `Idempotency-Key` shows it only to the key, or member, that made the first. */
            signingSecret?: string;
        };
        WebhookReplay: {
            dryRun: boolean;
            /** @description Deliveries made; in a dry run, that would be made. */
            deliveries: number;
        };
        /** @description A run was created and is queued. */
        RunCreatedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.created";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "queued";
            };
        };
        /** @description The first row of a run is being processed. */
        RunStartedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.started";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "running";
            };
        };
        /** @description A run was paused; `data.reason` says why. */
        RunPausedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.paused";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "paused";
                /**
                 * @description Why, as the run's `stateReason`. Others may come.
                 * @enum {string}
                 */
                reason: "waiting_for_capacity" | "by_user" | "budget_exhausted" | "breaker_open" | "batch_refused" | "organization_suspended" | "storage_limit_reached" | "insufficient_storage";
            };
        };
        /** @description A paused run continues. */
        RunResumedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.resumed";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "running" | "queued";
            };
        };
        /** @description A run ended and no row failed. */
        RunSucceededEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.succeeded";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "succeeded";
            };
        };
        /** @description A run ended with succeeded and failed rows. */
        RunPartiallySucceededEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.partially_succeeded";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "partially_succeeded";
            };
        };
        /** @description A run ended without a succeeded row, or was ended by its failure policy or an error. */
        RunFailedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.failed";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "failed";
            };
        };
        /** @description A run was canceled; finished rows are kept. */
        RunCanceledEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.canceled";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "canceled";
            };
        };
        /** @description A run passed its deadline. */
        RunExpiredEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.expired";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "expired";
            };
        };
        /** @description A run ended, in whatever way. */
        RunFinishedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "run.finished";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "succeeded" | "partially_succeeded" | "failed" | "canceled" | "expired";
            };
        };
        /** @description A row succeeded. */
        RowSucceededEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "row.succeeded";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run_row";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                runId: string;
                /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
                datasetRowId: string;
                /** @description Of the row in its dataset, from 0. */
                index: number;
                /** @enum {string} */
                state: "succeeded";
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
            } | {
                /** @constant */
                object: "run_row_digest";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                runId: string;
                /** @description How many rows this event stands for. */
                count: number;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
            };
        };
        /** @description A row failed; its failure is a record of the run. */
        RowFailedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "row.failed";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "run_row";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                runId: string;
                /** @example row_01jd3v8m7qe6t9yb4c2xk5w0hz0000002a */
                datasetRowId: string;
                /** @description Of the row in its dataset, from 0. */
                index: number;
                /** @enum {string} */
                state: "failed";
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /**
                 * @description Of the row's failure. Others may come.
                 * @enum {string}
                 */
                code: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                /** @description Whether the same attempt may succeed later. */
                retryable: boolean;
            } | {
                /** @constant */
                object: "run_row_digest";
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                runId: string;
                /** @description How many rows this event stands for. */
                count: number;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
            };
        };
        /** @description An export's file can be downloaded. */
        ExportReadyEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "export.ready";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "export";
                /** @example exp_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                runId: string;
                /** @enum {string} */
                type: "outputs" | "failures" | "resolved_results" | "rows";
                /** @enum {string} */
                format: "jsonl" | "csv" | "parquet";
                /** @enum {string} */
                status: "ready";
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/exports/exp_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
            };
        };
        /** @description An export could not be written. */
        ExportFailedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "export.failed";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "export";
                /** @example exp_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /** @example run_01jd3v8m7qe6t9yb4c2xk5w0hz */
                runId: string;
                /** @enum {string} */
                type: "outputs" | "failures" | "resolved_results" | "rows";
                /** @enum {string} */
                format: "jsonl" | "csv" | "parquet";
                /** @enum {string} */
                status: "failed";
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/exports/exp_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
            };
        };
        /** @description A dataset can be used. */
        DatasetReadyEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "dataset.ready";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "dataset";
                /** @example ds_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/datasets/ds_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "ready";
            };
        };
        /** @description The intake of a dataset failed; its upload says why. */
        DatasetFailedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "dataset.failed";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "dataset";
                /** @example ds_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/datasets/ds_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "failed";
            };
        };
        /** @description A bulk action ended: it was completed or aborted, or it failed. */
        BulkActionFinishedEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "bulk_action.finished";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "bulk_action";
                /** @example bulk_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/bulk-actions/bulk_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @enum {string} */
                state: "completed" | "aborted" | "failed";
                /** @description Targets that the action was applied to. */
                done: number;
                /** @description Targets to which it did not apply. */
                skipped: number;
                /** @description Targets that it failed for. */
                failed: number;
            };
        };
        /** @description A test delivery was requested. */
        TestPingEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "test.ping";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "test";
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/webhook-endpoints/whe_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
            };
        };
        /** @description Deliveries to an endpoint have been failing for long. */
        WebhookEndpointFailingEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "webhook_endpoint.failing";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "webhook_endpoint";
                /** @example whe_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/webhook-endpoints/whe_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /**
                 * Format: date-time
                 * @description Every delivery since then has failed.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                failingSince: string;
                /** @description Deliveries that have failed since then; retries of one delivery count once. */
                failedDeliveries: number;
                /** @description 50, 70 or 90: the share of the time after which it is disabled. */
                percentOfLimit: number;
                /**
                 * Format: date-time
                 * @description When that time is over.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                disabledAtEarliest: string;
            };
        };
        /** @description An endpoint was disabled. */
        WebhookEndpointDisabledEvent: {
            /** @example evt_01jd3v8m7qe6t9yb4c2xk5w0hz */
            id: string;
            /** @constant */
            type: "webhook_endpoint.disabled";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "webhook_endpoint";
                /** @example whe_01jd3v8m7qe6t9yb4c2xk5w0hz */
                id: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/webhook-endpoints/whe_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @constant */
                enabled: false;
                /**
                 * @description Others may come.
                 * @enum {string}
                 */
                disabledReason: "by_user" | "receiver_gone" | "failing";
            };
        };
        /** @description An alert rule fired. */
        AlertTriggeredEvent: {
            /**
             * @description The same on every attempt.
             * @example ald_01jd3v8m7qe6t9yb4c2xk5w0hz
             */
            id: string;
            /** @constant */
            type: "alert.triggered";
            /** @constant */
            apiVersion: "v1";
            /**
             * Format: date-time
             * @example 2026-11-20T09:30:00.000Z
             */
            createdAt: string;
            /** @example org_01jd3v8m7qe6t9yb4c2xk5w0hz */
            organizationId: string;
            /** @description True for events of the test routes: their ids belong to nothing. */
            test: boolean;
            data: {
                /** @constant */
                object: "alert";
                /** @example alr_01jd3v8m7qe6t9yb4c2xk5w0hz */
                alertRuleId: string;
                alertRuleName: string;
                /** @description What happened, in a few words. */
                title: string;
                /** @enum {string} */
                eventType: "run.created" | "run.started" | "run.paused" | "run.resumed" | "run.succeeded" | "run.partially_succeeded" | "run.failed" | "run.canceled" | "run.expired" | "run.finished" | "row.succeeded" | "row.failed" | "export.ready" | "export.failed" | "dataset.ready" | "dataset.failed" | "bulk_action.finished" | "webhook_endpoint.failing" | "webhook_endpoint.disabled";
                eventCount: number;
                /**
                 * Format: date-time
                 * @description Of the first of the events.
                 * @example 2026-11-20T09:30:00.000Z
                 */
                since: string;
                /**
                 * @description Where to read more, with an API key.
                 * @example https://rowmill.example.com/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz
                 */
                url: string;
                /** @description The event that made the rule fire; of several, the last. */
                event: components["schemas"]["RunCreatedEvent"] | components["schemas"]["RunStartedEvent"] | components["schemas"]["RunPausedEvent"] | components["schemas"]["RunResumedEvent"] | components["schemas"]["RunSucceededEvent"] | components["schemas"]["RunPartiallySucceededEvent"] | components["schemas"]["RunFailedEvent"] | components["schemas"]["RunCanceledEvent"] | components["schemas"]["RunExpiredEvent"] | components["schemas"]["RunFinishedEvent"] | components["schemas"]["RowSucceededEvent"] | components["schemas"]["RowFailedEvent"] | components["schemas"]["ExportReadyEvent"] | components["schemas"]["ExportFailedEvent"] | components["schemas"]["DatasetReadyEvent"] | components["schemas"]["DatasetFailedEvent"] | components["schemas"]["BulkActionFinishedEvent"] | components["schemas"]["TestPingEvent"] | components["schemas"]["WebhookEndpointFailingEvent"] | components["schemas"]["WebhookEndpointDisabledEvent"];
            };
        };
        Error: {
            error: {
                /** @enum {string} */
                code: "invalid_request" | "invalid_json" | "unknown_field" | "invalid_parameter" | "invalid_limit" | "invalid_cursor" | "idempotency_key_required" | "idempotency_key_invalid" | "authentication_required" | "invalid_api_key" | "api_key_expired" | "api_key_revoked" | "budget_exceeded" | "session_ended" | "login_link_invalid" | "origin_not_allowed" | "insufficient_scope" | "admin_required" | "organization_key_required" | "organization_suspended" | "not_found" | "method_not_allowed" | "not_acceptable" | "idempotency_conflict" | "idempotency_in_progress" | "invalid_state" | "already_exists" | "dataset_not_ready" | "resource_in_use" | "limit_reached" | "upload_offset_mismatch" | "export_expired" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "range_not_satisfiable" | "webhook_url_not_allowed" | "source_url_not_allowed" | "connection_url_not_allowed" | "job_spec_invalid" | "schema_invalid" | "scope_invalid" | "nothing_to_retry" | "event_type_unknown" | "condition_invalid" | "upload_in_progress" | "rate_limited" | "internal_error" | "service_unavailable" | "insufficient_storage";
                message: string;
                /** @description The member, parameter or header to blame. */
                param: string | null;
                details: {
                    path: string;
                    code: string;
                    message: string;
                }[];
                retryable: boolean;
                requestId: string;
                docUrl: string;
            };
        };
    };
    responses: never;
    parameters: {
        /** @description The event's id: the same on every attempt, redelivery and replay. */
        WebhookId: string;
        /** @description When this attempt was made, in seconds since 1970. */
        WebhookTimestamp: string;
        /** @description One or more `v1,` and digest in base64, separated by spaces (https://www.standardwebhooks.com). */
        WebhookSignature: string;
        /** @description As `webhook-id`. The first word of these three is `ROWMILL_WEBHOOK_HEADER_PREFIX`. */
        ServiceWebhookId: string;
        /** @description As `webhook-timestamp`. */
        ServiceWebhookTimestamp: string;
        /** @description `v1=` and a digest in hexadecimal, by the newest secret. */
        ServiceWebhookSignature: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names the request, in the service's log and audit events, too. */
        RequestId: string;
        /** @description The limits that hold: of the key if it has one of its own, of the keys it was made with (`maker-1`, …) and of the organization; `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers). Only where there are limits. */
        RateLimitPolicy: string;
        /** @description How the limits stand: `r` requests are left, and all of them again in `t` seconds. Only where there are limits. */
        RateLimit: string;
        /** @description Seconds after which the same request may be sent again. */
        RetryAfter: number;
        /** @description Seconds after which the same request may be sent again; only where the error is retryable. */
        RetryAfterIfRetryable: number;
        /** @description The answer was given before, to a request with the same `Idempotency-Key`: nothing was done again. */
        IdempotentReplayed: "true";
        /** @description Where the created thing is read. */
        Location: string;
        /** @description Changes with the answer: for `If-None-Match` and `If-Match`. */
        ETag: string;
        /** @description Changes with the answer: for `If-None-Match`. Not where items are streamed, one a line. */
        ETagUnlessStreamed: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listDatasetUploads: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["DatasetUpload"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createDatasetUpload: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Name of the upload and of the dataset it makes.
                     * @example Customers
                     */
                    name: string;
                    /**
                     * @description Found out from the name and the content if absent.
                     * @enum {string}
                     */
                    format?: "jsonl" | "json" | "csv" | "tsv" | "parquet";
                    source: {
                        /** @constant */
                        type: "inline";
                        /** @description JSON objects, one a row. */
                        rows: {
                            [key: string]: unknown;
                        }[];
                    } | {
                        /** @constant */
                        type: "upload";
                        filename?: string;
                        /** @description Checked against what arrives. */
                        sizeBytes?: number;
                        /** @description Checked against what arrives. */
                        sha256?: string;
                    } | {
                        /** @constant */
                        type: "url";
                        /**
                         * @description Public HTTPS URL, presigned or not: it is stored encrypted, and never returned.
                         * @example https://files.example.com/customers.csv
                         */
                        url: string;
                    };
                    csv?: {
                        /** @description One ASCII character that is no quote and no line end. Found out if absent. */
                        delimiter?: string;
                        /** @description Whether the first line names the columns (true). */
                        header?: boolean;
                        /**
                         * @description Of the text. If absent, UTF-8, or UTF-16 where the file begins with a byte order mark. `utf-16` without a mark has the low byte first; `iso-8859-1` (Latin-1) is read as `windows-1252`.
                         * @enum {string}
                         */
                        encoding?: "utf-8" | "windows-1252" | "iso-8859-1" | "utf-16";
                    };
                    /**
                     * @description `reject` (default): one invalid row fails the upload. `skip`: it is left out and counted.
                     * @enum {string}
                     */
                    onInvalidRow?: "reject" | "skip";
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetUpload"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `source_url_not_allowed` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `insufficient_storage` */
            507: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDatasetUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `upl`. */
                datasetUploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetUpload"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    putDatasetUploadContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `upl`. */
                datasetUploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetUpload"];
                };
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `limit_reached` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `insufficient_storage` */
            507: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getResumableContentOffset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `upl`. */
                datasetUploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Bytes that were received and stored: the offset to resume at. */
                        offsetBytes: number;
                        sizeBytes: number | null;
                    };
                };
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `upload_in_progress` */
            423: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    beginResumableContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `upl`. */
                datasetUploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Begun; `Location` is where to send the content. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `upload_in_progress` */
            423: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `insufficient_storage` */
            507: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getResumableUploadSupport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `upl`. */
                datasetUploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    appendResumableContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `upl`. */
                datasetUploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description `Upload-Offset` says where to go on. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `invalid_state`, `upload_offset_mismatch` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `upload_in_progress` */
            423: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `insufficient_storage` */
            507: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelDatasetUpload: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `upl`. */
                datasetUploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetUpload"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDatasets: {
        parameters: {
            query?: {
                name?: string;
                metadata?: {
                    [key: string]: string;
                };
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Dataset"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `ds`. */
                datasetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `ds`. */
                datasetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `resource_in_use` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateDataset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `ds`. */
                datasetId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description New name.
                     * @example Customers, March
                     */
                    name?: string;
                    description?: string | null;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dataset"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listDatasetRows: {
        parameters: {
            query?: {
                fromIndex?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `ds`. */
                datasetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["DatasetRow"][];
                        nextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `dataset_not_ready` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getDatasetRow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `ds`. */
                datasetId: string;
                /** @description Id with prefix `row`. */
                datasetRowId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DatasetRow"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `dataset_not_ready` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getColumnStatistics: {
        parameters: {
            query?: {
                fromColumn?: number;
            };
            header?: never;
            path: {
                /** @description Id with prefix `ds`. */
                datasetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ColumnStatistics"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `dataset_not_ready` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJobSpecs: {
        parameters: {
            query?: {
                name?: string;
                metadata?: {
                    [key: string]: string;
                };
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["JobSpec"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createJobSpec: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the job spec is called.
                     * @example Label reviews
                     */
                    name: string;
                    description?: string;
                    processor: {
                        /** @constant */
                        type: "transform";
                        /** @enum {string} */
                        language?: "javascript";
                        /**
                         * @description A JavaScript module whose default export is a function from a row to a JSON value. It runs in a sandbox without network, files or clock.
                         * @example export default (row) => ({ name: row.name.toUpperCase() })
                         */
                        code: string;
                    } | {
                        /** @constant */
                        type: "llm";
                        /**
                         * @description A connection of type `openai_compatible` or `anthropic`.
                         * @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz
                         */
                        connection: string;
                        /**
                         * @description As the provider names it.
                         * @example gpt-5-mini
                         */
                        model: string;
                        messages: {
                            /** @enum {string} */
                            role: "system" | "user" | "assistant";
                            /**
                             * @description Text with `{{row.field}}` templates, or a list of text and image parts.
                             * @example Label this review: {{row.review}}
                             */
                            content: string | ({
                                /** @constant */
                                type: "text";
                                /**
                                 * @description Text of the part.
                                 * @example What is in this picture?
                                 */
                                text: string;
                            } | {
                                /** @constant */
                                type: "image";
                                /**
                                 * @description Where the provider finds the image.
                                 * @example {{row.photoUrl}}
                                 */
                                url?: string;
                                /**
                                 * @description The image itself, in base64. Either this or `url`.
                                 * @example {{row.photo}}
                                 */
                                base64?: string;
                                /** @description Type of a `base64` image (`image/png`). */
                                mediaType?: string;
                            })[];
                        }[];
                        parameters?: {
                            /** @description Most tokens of one answer. */
                            maxOutputTokens?: number;
                            temperature?: number;
                            topP?: number;
                            topK?: number;
                            presencePenalty?: number;
                            frequencyPenalty?: number;
                            seed?: number;
                            stopSequences?: string[];
                        };
                        /** @description A JSON Schema (2020-12). Remote references are refused; patterns are RE2. */
                        outputSchema?: Record<string, unknown> | boolean;
                        /** @description Follow-up messages in which the model may repair an output that does not fit `outputSchema` (1). */
                        repairAttempts?: number;
                        /** @description Asked one after the other when the provider before cannot answer. */
                        fallbacks?: {
                            /**
                             * @description Another connection; the same one if absent.
                             * @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz
                             */
                            connection?: string;
                            /**
                             * @description As the provider names it.
                             * @example gpt-5-mini
                             */
                            model: string;
                        }[];
                    } | {
                        /** @constant */
                        type: "http";
                        /** @enum {string} */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        /**
                         * @description A path on the `baseUrl` of `connection`; without one, absolute. Values from the row are percent-encoded and stay within their part of the URL; one that is the whole URL is taken as it is.
                         * @example https://api.example.com/customers/{{row.id}}
                         */
                        url: string;
                        /**
                         * @description A connection of type `http`.
                         * @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz
                         */
                        connection?: string;
                        /**
                         * @description Templates, which may also name `{{connection.secret}}`.
                         * @example {
                         *       "authorization": "Bearer {{connection.secret}}"
                         *     }
                         */
                        headers?: {
                            [key: string]: string;
                        };
                        /**
                         * @description A text with templates, or a JSON value whose strings are templates; one that is a single template keeps the value's type.
                         * @example {
                         *       "id": "{{row.id}}",
                         *       "note": "Order {{row.number}}"
                         *     }
                         */
                        body?: unknown;
                        expect?: {
                            /** @description Statuses that are a success (200 to 299). */
                            status: number[];
                        };
                        /** @description Which part of a JSON response is the output, such as `data.items.0.name`; the whole response if absent: its JSON value, else its text. */
                        responsePath?: string;
                        /** @description Longest time for one request, to the last byte of its response (30000). */
                        timeoutMs?: number;
                        /** @description Largest body of a response, unpacked (1 MiB). */
                        maxResponseBytes?: number;
                    } | {
                        /** @constant */
                        type: "mock";
                        /** @description Rows with (index + 1) divisible by this fail. */
                        failEvery?: number;
                        /** @description They fail only in runs whose `retryNumber` is below this. */
                        failUntilRetry?: number;
                        /**
                         * @description Their failure code (`provider_overloaded`).
                         * @enum {string}
                         */
                        code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                        /** @description How long each row takes. */
                        delayMs?: number;
                    };
                    /** @description A JSON Schema (2020-12). Remote references are refused; patterns are RE2. */
                    inputSchema?: Record<string, unknown> | boolean;
                    /** @description A JSON Schema (2020-12). Remote references are refused; patterns are RE2. */
                    outputSchema?: Record<string, unknown> | boolean;
                    retry?: components["schemas"]["RetryPolicy"];
                    /** @description Longest time for one row, all attempts included. */
                    timeoutSeconds?: number;
                    /** @description Most rows of a run in flight at once. */
                    concurrency?: number;
                    failurePolicy?: components["schemas"]["FailurePolicy"];
                    cache?: components["schemas"]["CachePolicy"];
                    /**
                     * @description `exact`: rows of a run with the same content are processed once, and the others get the same result with `usage.cached`.
                     * @enum {string}
                     */
                    dedupe?: "none" | "exact";
                    execution?: components["schemas"]["Execution"];
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSpec"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `job_spec_invalid`, `schema_invalid` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getJobSpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `spec`. */
                jobSpecId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSpec"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    archiveJobSpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `spec`. */
                jobSpecId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateJobSpec: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `spec`. */
                jobSpecId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description New name.
                     * @example Label reviews, second try
                     */
                    name?: string;
                    description?: string | null;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSpec"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listJobSpecVersions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `spec`. */
                jobSpecId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["JobSpecVersion"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createJobSpecVersion: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `spec`. */
                jobSpecId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    processor: {
                        /** @constant */
                        type: "transform";
                        /** @enum {string} */
                        language?: "javascript";
                        /**
                         * @description A JavaScript module whose default export is a function from a row to a JSON value. It runs in a sandbox without network, files or clock.
                         * @example export default (row) => ({ name: row.name.toUpperCase() })
                         */
                        code: string;
                    } | {
                        /** @constant */
                        type: "llm";
                        /**
                         * @description A connection of type `openai_compatible` or `anthropic`.
                         * @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz
                         */
                        connection: string;
                        /**
                         * @description As the provider names it.
                         * @example gpt-5-mini
                         */
                        model: string;
                        messages: {
                            /** @enum {string} */
                            role: "system" | "user" | "assistant";
                            /**
                             * @description Text with `{{row.field}}` templates, or a list of text and image parts.
                             * @example Label this review: {{row.review}}
                             */
                            content: string | ({
                                /** @constant */
                                type: "text";
                                /**
                                 * @description Text of the part.
                                 * @example What is in this picture?
                                 */
                                text: string;
                            } | {
                                /** @constant */
                                type: "image";
                                /**
                                 * @description Where the provider finds the image.
                                 * @example {{row.photoUrl}}
                                 */
                                url?: string;
                                /**
                                 * @description The image itself, in base64. Either this or `url`.
                                 * @example {{row.photo}}
                                 */
                                base64?: string;
                                /** @description Type of a `base64` image (`image/png`). */
                                mediaType?: string;
                            })[];
                        }[];
                        parameters?: {
                            /** @description Most tokens of one answer. */
                            maxOutputTokens?: number;
                            temperature?: number;
                            topP?: number;
                            topK?: number;
                            presencePenalty?: number;
                            frequencyPenalty?: number;
                            seed?: number;
                            stopSequences?: string[];
                        };
                        /** @description A JSON Schema (2020-12). Remote references are refused; patterns are RE2. */
                        outputSchema?: Record<string, unknown> | boolean;
                        /** @description Follow-up messages in which the model may repair an output that does not fit `outputSchema` (1). */
                        repairAttempts?: number;
                        /** @description Asked one after the other when the provider before cannot answer. */
                        fallbacks?: {
                            /**
                             * @description Another connection; the same one if absent.
                             * @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz
                             */
                            connection?: string;
                            /**
                             * @description As the provider names it.
                             * @example gpt-5-mini
                             */
                            model: string;
                        }[];
                    } | {
                        /** @constant */
                        type: "http";
                        /** @enum {string} */
                        method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
                        /**
                         * @description A path on the `baseUrl` of `connection`; without one, absolute. Values from the row are percent-encoded and stay within their part of the URL; one that is the whole URL is taken as it is.
                         * @example https://api.example.com/customers/{{row.id}}
                         */
                        url: string;
                        /**
                         * @description A connection of type `http`.
                         * @example conn_01jd3v8m7qe6t9yb4c2xk5w0hz
                         */
                        connection?: string;
                        /**
                         * @description Templates, which may also name `{{connection.secret}}`.
                         * @example {
                         *       "authorization": "Bearer {{connection.secret}}"
                         *     }
                         */
                        headers?: {
                            [key: string]: string;
                        };
                        /**
                         * @description A text with templates, or a JSON value whose strings are templates; one that is a single template keeps the value's type.
                         * @example {
                         *       "id": "{{row.id}}",
                         *       "note": "Order {{row.number}}"
                         *     }
                         */
                        body?: unknown;
                        expect?: {
                            /** @description Statuses that are a success (200 to 299). */
                            status: number[];
                        };
                        /** @description Which part of a JSON response is the output, such as `data.items.0.name`; the whole response if absent: its JSON value, else its text. */
                        responsePath?: string;
                        /** @description Longest time for one request, to the last byte of its response (30000). */
                        timeoutMs?: number;
                        /** @description Largest body of a response, unpacked (1 MiB). */
                        maxResponseBytes?: number;
                    } | {
                        /** @constant */
                        type: "mock";
                        /** @description Rows with (index + 1) divisible by this fail. */
                        failEvery?: number;
                        /** @description They fail only in runs whose `retryNumber` is below this. */
                        failUntilRetry?: number;
                        /**
                         * @description Their failure code (`provider_overloaded`).
                         * @enum {string}
                         */
                        code?: "provider_auth_failed" | "model_not_found" | "template_error" | "secret_missing" | "input_schema_invalid" | "context_length_exceeded" | "content_rejected" | "output_schema_invalid" | "output_not_json" | "output_truncated" | "refused" | "provider_rate_limited" | "provider_overloaded" | "provider_error" | "provider_timeout" | "network_error" | "http_4xx" | "http_5xx" | "egress_denied" | "transform_error" | "transform_memory" | "transform_timeout" | "schema_check_limit" | "row_timeout" | "budget_exhausted" | "deadline_exceeded" | "worker_lost" | "poison_row" | "internal_error";
                        /** @description How long each row takes. */
                        delayMs?: number;
                    };
                    /** @description A JSON Schema (2020-12). Remote references are refused; patterns are RE2. */
                    inputSchema?: Record<string, unknown> | boolean;
                    /** @description A JSON Schema (2020-12). Remote references are refused; patterns are RE2. */
                    outputSchema?: Record<string, unknown> | boolean;
                    retry?: components["schemas"]["RetryPolicy"];
                    /** @description Longest time for one row, all attempts included. */
                    timeoutSeconds?: number;
                    /** @description Most rows of a run in flight at once. */
                    concurrency?: number;
                    failurePolicy?: components["schemas"]["FailurePolicy"];
                    cache?: components["schemas"]["CachePolicy"];
                    /**
                     * @description `exact`: rows of a run with the same content are processed once, and the others get the same result with `usage.cached`.
                     * @enum {string}
                     */
                    dedupe?: "none" | "exact";
                    execution?: components["schemas"]["Execution"];
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSpecVersion"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `job_spec_invalid`, `schema_invalid` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getJobSpecVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `spec`. */
                jobSpecId: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSpecVersion"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testJobSpec: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `spec`. */
                jobSpecId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Rows to try, or */
                    rows?: {
                        [key: string]: unknown;
                    }[];
                    /**
                     * @description the dataset whose first `count` rows are tried.
                     * @example ds_01jd3v8m7qe6t9yb4c2xk5w0hz
                     */
                    datasetId?: string;
                    /** @description 5 if absent. */
                    count?: number;
                    jobSpecVersion?: number;
                    /** @description Whether each row shows its calls: the rendered request and the raw response (false). */
                    details?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobSpecTestResult"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `dataset_not_ready`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `job_spec_invalid` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                state?: string;
                datasetId?: string;
                jobSpecId?: string;
                name?: string;
                metadata?: {
                    [key: string]: string;
                };
                createdAfter?: string;
                createdBefore?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Run"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createRun: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description An existing dataset.
                     * @example ds_01jd3v8m7qe6t9yb4c2xk5w0hz
                     */
                    datasetId: string;
                    /**
                     * @description An existing job spec.
                     * @example spec_01jd3v8m7qe6t9yb4c2xk5w0hz
                     */
                    jobSpecId: string;
                    /** @description The latest if absent. */
                    jobSpecVersion?: number;
                    scope: components["schemas"]["RunScope"];
                    /**
                     * @description What people call the run.
                     * @example First hundred customers
                     */
                    name?: string;
                    /** @description 5 is served first (3). */
                    priority?: number;
                    /** @description Most rows of a run in flight at once. */
                    concurrency?: number;
                    failurePolicy?: components["schemas"]["FailurePolicy"];
                    budget?: components["schemas"]["Budget"];
                    execution?: components["schemas"]["Execution"];
                    /**
                     * Format: date-time
                     * @description A run that is not ended by then expires.
                     * @example 2026-11-20T09:30:00.000Z
                     */
                    deadlineAt?: string;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                    /** @description Creates no run, and returns 200 with what it would take and cost: some rows are rendered, nothing is called. */
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description With `dryRun`: what the run would take and cost. There is no run. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEstimate"];
                };
            };
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `dataset_not_ready`, `invalid_state`, `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `job_spec_invalid`, `scope_invalid` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `insufficient_storage` */
            507: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: {
                waitSeconds?: number;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `resource_in_use` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string | null;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                    /** @description 5 is served first (3). */
                    priority?: number;
                    /** @description Most rows of a run in flight at once. */
                    concurrency?: number;
                    failurePolicy?: components["schemas"]["FailurePolicy"] | null;
                    budget?: components["schemas"]["Budget"] | null;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    pauseRun: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `budget_exceeded` */
            402: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    selection?: components["schemas"]["RetrySelection"];
                    /** @description The parent's if absent. */
                    jobSpecVersion?: number;
                    /**
                     * @description What people call the run.
                     * @example First hundred customers
                     */
                    name?: string;
                    /** @description 5 is served first (3). */
                    priority?: number;
                    /** @description Most rows of a run in flight at once. */
                    concurrency?: number;
                    failurePolicy?: components["schemas"]["FailurePolicy"];
                    budget?: components["schemas"]["Budget"];
                    execution?: components["schemas"]["Execution"];
                    /**
                     * Format: date-time
                     * @description A run that is not ended by then expires.
                     * @example 2026-11-20T09:30:00.000Z
                     */
                    deadlineAt?: string;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                    /** @description Creates no run, and returns 200 with what it would take and cost: some rows are rendered, nothing is called. */
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description With `dryRun`: what the run would take and cost. There is no run. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEstimate"];
                };
            };
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `job_spec_invalid`, `nothing_to_retry`, `scope_invalid` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `insufficient_storage` */
            507: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunLineage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lineage"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunEvents: {
        parameters: {
            query?: {
                type?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["RunEvent"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamRunEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getRunMap: {
        parameters: {
            query?: {
                cells?: number;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunMap"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunRows: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                fromIndex?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["RunRow"][];
                        nextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOutputs: {
        parameters: {
            query?: {
                datasetRowId?: string;
                fromIndex?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Output"][];
                        nextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listFailures: {
        parameters: {
            query?: {
                code?: string;
                retryable?: "true" | "false";
                fromIndex?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Failure"][];
                        nextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listResolvedResults: {
        parameters: {
            query?: {
                resultState?: string;
                fromIndex?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["ResolvedResult"][];
                        nextCursor: string | null;
                    };
                    "application/x-ndjson": string;
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETagUnlessStreamed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listFailureGroups: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["FailureGroup"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listRunExports: {
        parameters: {
            query?: {
                status?: string;
                type?: string;
                format?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Export"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createExport: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path: {
                /** @description Id with prefix `run`. */
                runId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    type: "outputs" | "failures" | "resolved_results" | "rows";
                    /** @enum {string} */
                    format: "jsonl" | "csv" | "parquet";
                    /**
                     * @description Of the whole file (`none`). A Parquet file is compressed inside, page by page, and stays a Parquet file: `zstd` (its default), `gzip`, or `none` for uncompressed pages.
                     * @enum {string}
                     */
                    compression?: "none" | "gzip" | "zstd";
                    /**
                     * @description `nested` (default), or `flat`: a table of input, output and state of each row, for `resolved_results`.
                     * @enum {string}
                     */
                    layout?: "nested" | "flat";
                    /** @description Adds each row's input, under `input` if the layout is `nested`. Default: `true` for `flat`, else `false`. */
                    includeInput?: boolean;
                    /** @description The columns of the file in this order, such as `index`, `data.label`, `input.city`, or `city`, `label`, `row_state` with `layout: flat`. Not for a nested JSONL file, which has no columns. A name that cannot be a column is refused; one that only the rows could have, and no row has, ends the export as `failed` with `unknown_column`. If absent: the columns of the contract, the job spec's output schema and the dataset, and all others that rows have. */
                    columns?: string[];
                    /** @description CSV only: a cell that a spreadsheet would run as a formula gets a leading `'` (default `false`, since it changes data such as `+49 171`). `guardedCells` counts them. */
                    formulaGuard?: boolean;
                    /** @description CSV only: the file is for a spreadsheet. `true` is `formulaGuard: true`. */
                    spreadsheet?: boolean;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `insufficient_storage` */
            507: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listExports: {
        parameters: {
            query?: {
                runId?: string;
                status?: string;
                type?: string;
                format?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Export"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `exp`. */
                exportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    cancelExport: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `exp`. */
                exportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    downloadExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `exp`. */
                exportId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `export_expired` */
            410: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `range_not_satisfiable` */
            416: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listBulkActions: {
        parameters: {
            query?: {
                resource?: string;
                state?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["BulkAction"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createBulkAction: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the action is about (`runs`). Datasets and exports can be deleted.
                     * @enum {string}
                     */
                    resource?: "runs" | "datasets" | "exports";
                    /** @enum {string} */
                    action: "cancel" | "pause" | "resume" | "retry" | "delete";
                    filter?: components["schemas"]["BulkActionFilter"];
                    /**
                     * @description In place of `filter`: the things themselves.
                     * @example [
                     *       "run_01jd3v8m7qe6t9yb4c2xk5w0hz"
                     *     ]
                     */
                    ids?: string[];
                    /** @description Of `action: retry`: what each retry run gets, as in `POST /v1/runs/{runId}/retry`. */
                    retry?: {
                        selection?: components["schemas"]["RetrySelection"];
                        /**
                         * @description What people call the run.
                         * @example First hundred customers
                         */
                        name?: string;
                        /** @description 5 is served first (3). */
                        priority?: number;
                        /** @description Most rows of a run in flight at once. */
                        concurrency?: number;
                        failurePolicy?: components["schemas"]["FailurePolicy"];
                        budget?: components["schemas"]["Budget"];
                        execution?: components["schemas"]["Execution"];
                        /**
                         * Format: date-time
                         * @description A run that is not ended by then expires.
                         * @example 2026-11-20T09:30:00.000Z
                         */
                        deadlineAt?: string;
                        /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                        metadata?: {
                            [key: string]: string;
                        };
                    };
                    /** @description Only counts, and responds 200. */
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description With `dryRun`: the exact count. Nothing is made. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkActionCount"];
                };
            };
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAction"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getBulkAction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `bulk`. */
                bulkActionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAction"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    abortBulkAction: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `bulk`. */
                bulkActionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkAction"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                type?: string;
                follow?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listConnections: {
        parameters: {
            query?: {
                type?: string;
                name?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Connection"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createConnection: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "openai_compatible";
                    /**
                     * @description How people call it; need not be unique.
                     * @example OpenAI
                     */
                    name: string;
                    /**
                     * @description API key or token: visible ASCII, no line break. Write-only: it is stored encrypted and never returned.
                     * @example your-api-key
                     */
                    secret?: string;
                    /**
                     * @description What paths are put behind. Public HTTPS on the default port, or an origin that the operator has admitted; without query, credentials or fragment.
                     * @example https://api.openai.com/v1
                     */
                    baseUrl: string;
                    rateLimit?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                    };
                    prices?: {
                        /**
                         * @description By the model's name, as job specs ask for it; `*` is the price of every other one.
                         * @example {
                         *       "gpt-5-mini": {
                         *         "inputUsdPerMillionTokens": "0.25",
                         *         "outputUsdPerMillionTokens": "2.00"
                         *       }
                         *     }
                         */
                        models: {
                            [key: string]: {
                                /**
                                 * @description US dollars for a million input tokens.
                                 * @example 12.345600
                                 */
                                inputUsdPerMillionTokens: string;
                                /**
                                 * @description US dollars for a million output tokens.
                                 * @example 12.345600
                                 */
                                outputUsdPerMillionTokens: string;
                                /** @description How much less rows cost in provider batches (0). */
                                batchDiscountPercent?: number;
                            };
                        };
                    } | "list" | null;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                } | {
                    /** @constant */
                    type: "anthropic";
                    /**
                     * @description How people call it; need not be unique.
                     * @example OpenAI
                     */
                    name: string;
                    /**
                     * @description API key or token: visible ASCII, no line break. Write-only: it is stored encrypted and never returned.
                     * @example your-api-key
                     */
                    secret?: string;
                    /**
                     * @description What paths are put behind. Public HTTPS on the default port, or an origin that the operator has admitted; without query, credentials or fragment.
                     * @default https://api.anthropic.com/v1
                     * @example https://api.openai.com/v1
                     */
                    baseUrl?: string;
                    rateLimit?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                    };
                    prices?: {
                        /**
                         * @description By the model's name, as job specs ask for it; `*` is the price of every other one.
                         * @example {
                         *       "gpt-5-mini": {
                         *         "inputUsdPerMillionTokens": "0.25",
                         *         "outputUsdPerMillionTokens": "2.00"
                         *       }
                         *     }
                         */
                        models: {
                            [key: string]: {
                                /**
                                 * @description US dollars for a million input tokens.
                                 * @example 12.345600
                                 */
                                inputUsdPerMillionTokens: string;
                                /**
                                 * @description US dollars for a million output tokens.
                                 * @example 12.345600
                                 */
                                outputUsdPerMillionTokens: string;
                                /** @description How much less rows cost in provider batches (0). */
                                batchDiscountPercent?: number;
                            };
                        };
                    } | "list" | null;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                } | {
                    /** @constant */
                    type: "http";
                    /**
                     * @description How people call it; need not be unique.
                     * @example OpenAI
                     */
                    name: string;
                    /**
                     * @description API key or token: visible ASCII, no line break. Write-only: it is stored encrypted and never returned.
                     * @example your-api-key
                     */
                    secret?: string;
                    /**
                     * @description What paths are put behind. Public HTTPS on the default port, or an origin that the operator has admitted; without query, credentials or fragment.
                     * @example https://api.openai.com/v1
                     */
                    baseUrl: string;
                    rateLimit?: {
                        requestsPerMinute?: number | null;
                    };
                    prices?: {
                        /**
                         * @description US dollars for one request.
                         * @example 12.345600
                         */
                        requestUsd: string;
                    } | null;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `connection_url_not_allowed` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `conn`. */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `conn`. */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `resource_in_use` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `conn`. */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description How people call it; need not be unique.
                     * @example OpenAI
                     */
                    name?: string;
                    /**
                     * @description What paths are put behind. Public HTTPS on the default port, or an origin that the operator has admitted; without query, credentials or fragment.
                     * @example https://api.openai.com/v1
                     */
                    baseUrl?: string;
                    secret?: string | null;
                    rateLimit?: {
                        requestsPerMinute?: number | null;
                        tokensPerMinute?: number | null;
                    };
                    prices?: {
                        /**
                         * @description By the model's name, as job specs ask for it; `*` is the price of every other one.
                         * @example {
                         *       "gpt-5-mini": {
                         *         "inputUsdPerMillionTokens": "0.25",
                         *         "outputUsdPerMillionTokens": "2.00"
                         *       }
                         *     }
                         */
                        models?: {
                            [key: string]: {
                                /**
                                 * @description US dollars for a million input tokens.
                                 * @example 12.345600
                                 */
                                inputUsdPerMillionTokens: string;
                                /**
                                 * @description US dollars for a million output tokens.
                                 * @example 12.345600
                                 */
                                outputUsdPerMillionTokens: string;
                                /** @description How much less rows cost in provider batches (0). */
                                batchDiscountPercent?: number;
                            };
                        };
                        /**
                         * @description US dollars for one request.
                         * @example 12.345600
                         */
                        requestUsd?: string;
                    } | "list" | null;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `connection_url_not_allowed` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testConnection: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `conn`. */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionTest"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getConnectionLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `conn`. */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionLimits"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listModelPrices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelPriceList"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["WebhookEndpoint"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Public HTTPS URL on the default port, without credentials or fragment. Answers show its origin and last four characters only.
                     * @example https://hooks.example.com/rowmill
                     */
                    url: string;
                    /** @description Event types (run.created, run.started, run.paused, run.resumed, run.succeeded, run.partially_succeeded, run.failed, run.canceled, run.expired, run.finished, row.succeeded, row.failed, export.ready, export.failed, dataset.ready, dataset.failed, bulk_action.finished, test.ping, webhook_endpoint.failing, webhook_endpoint.disabled) or patterns (*, run.*, row.*, export.*, dataset.*, bulk_action.*, test.*, webhook_endpoint.*). */
                    eventTypes: string[];
                    description?: string;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_url_not_allowed`, `event_type_unknown` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `whe`. */
                webhookEndpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `whe`. */
                webhookEndpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `whe`. */
                webhookEndpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Public HTTPS URL on the default port, without credentials or fragment. Answers show its origin and last four characters only.
                     * @example https://hooks.example.com/rowmill
                     */
                    url?: string;
                    /** @description Event types (run.created, run.started, run.paused, run.resumed, run.succeeded, run.partially_succeeded, run.failed, run.canceled, run.expired, run.finished, row.succeeded, row.failed, export.ready, export.failed, dataset.ready, dataset.failed, bulk_action.finished, test.ping, webhook_endpoint.failing, webhook_endpoint.disabled) or patterns (*, run.*, row.*, export.*, dataset.*, bulk_action.*, test.*, webhook_endpoint.*). */
                    eventTypes?: string[];
                    description?: string | null;
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `webhook_url_not_allowed`, `event_type_unknown` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `whe`. */
                webhookEndpointId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The type to imitate (`test.ping`). */
                    eventType?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `event_type_unknown` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateWebhookEndpointSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `whe`. */
                webhookEndpointId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    replayWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `whe`. */
                webhookEndpointId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: date-time
                     * @description Events created at this time or later.
                     * @example 2026-11-20T09:30:00.000Z
                     */
                    since: string;
                    /**
                     * Format: date-time
                     * @description Events created before this time; now, if absent.
                     * @example 2026-11-20T09:30:00.000Z
                     */
                    until?: string;
                    /** @description What became of the event's delivery: missed, succeeded, failed, canceled. Default: all but succeeded. */
                    statuses?: ("missed" | "succeeded" | "failed" | "canceled")[];
                    /** @description Event types (run.created, run.started, run.paused, run.resumed, run.succeeded, run.partially_succeeded, run.failed, run.canceled, run.expired, run.finished, row.succeeded, row.failed, export.ready, export.failed, dataset.ready, dataset.failed, bulk_action.finished, test.ping, webhook_endpoint.failing, webhook_endpoint.disabled) or patterns (*, run.*, row.*, export.*, dataset.*, bulk_action.*, test.*, webhook_endpoint.*). */
                    eventTypes?: string[];
                    /** @description Only count. */
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `event_type_unknown` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                webhookEndpointId?: string;
                status?: string;
                eventType?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["WebhookDelivery"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `whd`. */
                webhookDeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getWebhookDeliveryContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `whd`. */
                webhookDeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryContent"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `whd`. */
                webhookDeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlertRules: {
        parameters: {
            query?: {
                enabled?: "true" | "false";
                eventType?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["AlertRule"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createAlertRule: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What alerts are headed with.
                     * @example Runs that fail
                     */
                    name: string;
                    /**
                     * @description One of: run.created, run.started, run.paused, run.resumed, run.succeeded, run.partially_succeeded, run.failed, run.canceled, run.expired, run.finished, row.succeeded, row.failed, export.ready, export.failed, dataset.ready, dataset.failed, bulk_action.finished, webhook_endpoint.failing, webhook_endpoint.disabled.
                     * @example run.failed
                     */
                    eventType: string;
                    destination: components["schemas"]["AlertDestination"];
                    enabled?: boolean;
                    filter?: string | null;
                    trigger?: components["schemas"]["AlertTrigger"];
                    /** @description After an alert, further ones are suppressed for this many seconds (300). */
                    cooldownSeconds?: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleWithSecret"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `event_type_unknown`, `condition_invalid`, `webhook_url_not_allowed` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    previewAlertRule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description One of: run.created, run.started, run.paused, run.resumed, run.succeeded, run.partially_succeeded, run.failed, run.canceled, run.expired, run.finished, row.succeeded, row.failed, export.ready, export.failed, dataset.ready, dataset.failed, bulk_action.finished, webhook_endpoint.failing, webhook_endpoint.disabled.
                     * @example run.failed
                     */
                    eventType: string;
                    filter?: string | null;
                    trigger?: components["schemas"]["AlertTrigger"];
                    /** @description After an alert, further ones are suppressed for this many seconds (300). */
                    cooldownSeconds?: number;
                    /**
                     * @description Days before now (7). Events older than `ROWMILL_WEBHOOK_RETENTION_DAYS` are no longer kept.
                     * @default 7
                     */
                    days?: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertPreview"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `event_type_unknown`, `condition_invalid` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `alr`. */
                alertRuleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRule"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `alr`. */
                alertRuleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateAlertRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `alr`. */
                alertRuleId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What alerts are headed with.
                     * @example Runs that fail
                     */
                    name?: string;
                    /**
                     * @description One of: run.created, run.started, run.paused, run.resumed, run.succeeded, run.partially_succeeded, run.failed, run.canceled, run.expired, run.finished, row.succeeded, row.failed, export.ready, export.failed, dataset.ready, dataset.failed, bulk_action.finished, webhook_endpoint.failing, webhook_endpoint.disabled.
                     * @example run.failed
                     */
                    eventType?: string;
                    destination?: components["schemas"]["AlertDestination"];
                    enabled?: boolean;
                    filter?: string | null;
                    trigger?: components["schemas"]["AlertTrigger"];
                    /** @description After an alert, further ones are suppressed for this many seconds (300). */
                    cooldownSeconds?: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleWithSecret"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `event_type_unknown`, `condition_invalid`, `webhook_url_not_allowed` */
            422: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    rotateAlertRuleSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `alr`. */
                alertRuleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertRuleWithSecret"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    testAlertRule: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id with prefix `alr`. */
                alertRuleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertDelivery"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAlertDeliveries: {
        parameters: {
            query?: {
                alertRuleId?: string;
                status?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["AlertDelivery"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAlertDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `ald`. */
                alertDeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertDelivery"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Organization"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `admin_required` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What people call it; names may repeat.
                     * @example Acme
                     */
                    name: string;
                    /** @description A unique short name: lower-case letters, digits and inner hyphens. */
                    slug?: string;
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `admin_required` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `already_exists`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What people call it.
                     * @example Acme
                     */
                    name?: string;
                    /** @enum {string} */
                    state?: "active" | "suspended";
                    /** @description Limits of this organization; null or absent means the service's default. */
                    limits?: {
                        rowsPerRun?: number | null;
                        runsInProgress?: number | null;
                        webhookEndpoints?: number | null;
                        apiKeys?: number | null;
                        requestsPerMinute?: number | null;
                        storageBytes?: number | null;
                    };
                    /** @description Your own labels: up to 50 keys of 40 characters, values of 500. */
                    metadata?: {
                        [key: string]: string;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `admin_required`, `organization_suspended`, `origin_not_allowed`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["ApiKey"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What the key is for.
                     * @example Nightly import
                     */
                    name: string;
                    scopes?: ("*" | "datasets:read" | "datasets:write" | "job_specs:read" | "job_specs:write" | "runs:read" | "runs:write" | "results:read" | "results:write" | "exports:read" | "exports:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "organization:read" | "organization:write" | "api_keys:read" | "api_keys:write" | "invitations:read" | "invitations:write" | "connections:read" | "connections:write" | "audit:read")[];
                    /**
                     * Format: date-time
                     * @description When the key stops working; absent means never.
                     * @example 2026-11-20T09:30:00.000Z
                     */
                    expiresAt?: string;
                    /** @description A limit for this key and those made with it; absent, the limit of its maker, if it has one. */
                    requestsPerMinute?: number;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
                /** @description Id with prefix `key`. */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                cascade?: boolean;
            };
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
                /** @description Id with prefix `key`. */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                state?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Invitation"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createInvitation: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key": string;
            };
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Upper and lower case make no difference.
                     * @example ada@example.com
                     */
                    email: string;
                    /**
                     * @description `owner` may do everything; `developer` everything but make keys, invite people and change the organization; `operator` keeps datasets, runs, exports, webhooks and alerts going; `viewer` reads.
                     * @enum {string}
                     */
                    role: "owner" | "developer" | "operator" | "viewer";
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInvitation"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_required`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `already_exists`, `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
                /** @description Id with prefix `inv`. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
                /** @description Id with prefix `inv`. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new unique value per intended operation, such as a UUID. The same key with the same body is the same operation: the first response is returned again.
                 * @example 3f0c8a52-7d1e-4b9a-9c41-2f6f1f4d8e10
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description What stands behind `#token=` in the link.
                     * @example rmi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM
                     */
                    token: string;
                    /**
                     * @description What people call you.
                     * @example Ada
                     */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptedInvitation"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field`, `idempotency_key_invalid` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state`, `already_exists`, `limit_reached`, `idempotency_conflict`, `idempotency_in_progress` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfterIfRetryable"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["Member"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
                /** @description Id with prefix `mem`. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
                /** @description Id with prefix `mem`. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
                /** @description Id with prefix `mem`. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description `owner` may do everything; `developer` everything but make keys, invite people and change the organization; `operator` keeps datasets, runs, exports, webhooks and alerts going; `viewer` reads.
                     * @enum {string}
                     */
                    role: "owner" | "developer" | "operator" | "viewer";
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                type?: string;
                actorType?: string;
                apiKeyId?: string;
                createdAfter?: string;
                createdBefore?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id with prefix `org`. */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["AuditEvent"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_found` */
            404: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listUsage: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                groupBy?: "day" | "run" | "api_key" | "job_spec" | "model";
                runId?: string;
                apiKeyId?: string;
                jobSpecId?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Items of the page. */
                        data: components["schemas"]["UsageGroup"][];
                        nextCursor: string | null;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_limit`, `invalid_cursor` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `organization_key_required`, `insufficient_scope` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getServiceInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceInfo"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getServiceHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceHealth"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `admin_required` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    by: "api_key";
                    /**
                     * @description A key of an organization, or the admin key.
                     * @example rmk_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM
                     */
                    apiKey: string;
                } | {
                    /** @constant */
                    by: "login_link";
                    /**
                     * @description What stands behind `#token=` in the link that the service prints at its start.
                     * @example rml_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json`, `unknown_field` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `login_link_invalid` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `origin_not_allowed`, `organization_suspended` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `limit_reached` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter`, `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended`, `origin_not_allowed` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `invalid_state` */
            409: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed` */
            412: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large` */
            413: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type` */
            415: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        kind: "admin" | "organization";
                        organizationId: string | null;
                        apiKeyId: string | null;
                        scopes: ("datasets:read" | "datasets:write" | "job_specs:read" | "job_specs:write" | "runs:read" | "runs:write" | "results:read" | "results:write" | "exports:read" | "exports:write" | "webhooks:read" | "webhooks:write" | "alerts:read" | "alerts:write" | "organization:read" | "organization:write" | "api_keys:read" | "api_keys:write" | "invitations:read" | "invitations:write" | "connections:read" | "connections:write" | "audit:read")[];
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `authentication_required`, `invalid_api_key`, `api_key_expired`, `api_key_revoked`, `session_ended` */
            401: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `organization_suspended` */
            403: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listErrorCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description `error.code` of responses. */
                        data: {
                            code: string;
                            status: number;
                            meaning: string;
                            action: string;
                            retryable: boolean;
                        }[];
                        /** @description `code` of failures of rows. */
                        rowFailures: {
                            code: string;
                            class: string;
                            meaning: string;
                            action: string;
                            retryable: boolean;
                        }[];
                        /** @description `errors[].code` of dataset uploads. */
                        uploadErrors: {
                            code: string;
                            meaning: string;
                        }[];
                        /** @description `stateReason` and `error.code` of runs. */
                        runReasons: {
                            code: string;
                            meaning: string;
                            action: string;
                        }[];
                    };
                    "text/html": string;
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    listEventTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            type: string;
                            object: string;
                            meaning: string;
                            deliverable: boolean;
                        }[];
                        /** @description What webhook endpoints may subscribe to beside single types. Alert rules take single types. */
                        patterns: {
                            /**
                             * @description `*`, or the first part of a type and `.*`.
                             * @example run.*
                             */
                            pattern: string;
                            /** @description The types that it stands for now; later ones join them. */
                            types: string[];
                        }[];
                    };
                };
            };
            /** @description `If-None-Match` names the `ETag` of the response: it is unchanged. */
            304: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_parameter` */
            400: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable` */
            406: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `rate_limited` */
            429: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `internal_error` */
            500: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable` */
            503: {
                headers: {
                    "Request-Id": components["headers"]["RequestId"];
                    "Retry-After": components["headers"]["RetryAfter"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
