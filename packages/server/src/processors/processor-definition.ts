/**
 * What a processor's folder says of it: its traits, and how it is made. See `processors.ts` for the list, `processor.ts` for what it does.
 */
import type { Schema } from "../platform/json-schema/schemas.ts";
import type { Connection } from "./connection-parts.ts";
import type { Processor } from "./processor.ts";
import type { BatchApi, BatchParts } from "./provider-batches.ts";

/** A text of a configuration that may have templates. */
export interface TemplateText {
  /** JSON pointer into the job spec, such as `/processor/url`. */
  path: string;
  text: string;
}

/** What a configuration alone says, before anything is prepared. Pure functions. */
export interface ProcessorTraits<Config> {
  /** `computing` rows need the processors of this machine for moments; `calling` rows wait for others, and need next to nothing. */
  kind: "computing" | "calling";
  /** Ids (`conn_…`) of all connections that rows may be sent to, each once. */
  connectionsOf(config: Config): string[];
  /** The model that rows are sent to first; usage is added up by it. Absent: it calls no models. */
  modelOf?(config: Config): string;
  /** JSON Schemas of the customer in the configuration. Absent: it has none. */
  schemasOf?(config: Config): Schema[];
  /** Absent: it has no templates. */
  templates?: {
    textsOf(config: Config): Iterable<TemplateText>;
    /** Where a reference to the row is missed first, if there is none: a JSON pointer into the job spec. */
    mainPath: string;
  };
  /** Absent: rows cannot be sent in batches of a provider. Where it is there, steps are `BatchStep`s. */
  batches?: {
    /** Whose batches: the id of a connection (`conn_…`), and a model. */
    modelOf(config: Config): { connectionId: string; model: string };
    /** The batch endpoints behind a connection. Undefined: rows of this processor are not sent there. */
    apiOf(parts: BatchParts, connection: Connection): BatchApi | undefined;
  };
}

/** A processor as its folder exports it. `create` is called once in a process. */
export interface ProcessorDefinition<Config, Parts> extends ProcessorTraits<Config> {
  create(parts: Parts): Processor<Config>;
}
