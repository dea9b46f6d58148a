/** The processors of job specs, as request schemas: one variant a processor, distinguished by `type`. */
import type { Static } from "typebox";
import { Http } from "./processors/http-processor.ts";
import { Llm } from "./processors/llm-processor.ts";
import { Mock } from "./processors/mock-processor.ts";
import { Transform } from "./processors/transform-processor.ts";
import { OneOf } from "./schemas.ts";

const variants = { transform: Transform, llm: Llm, http: Http, mock: Mock };
export type ProcessorType = keyof typeof variants;

export const ProcessorSchema = OneOf("type", Object.values(variants));
export type ProcessorConfig = Static<(typeof variants)[ProcessorType]>;
export type ProcessorConfigOf<T extends ProcessorType> = Static<(typeof variants)[T]>;
