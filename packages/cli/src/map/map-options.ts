/** The options of `rowmill map`, as they come from the arguments. */
import type { Reading } from "./reading.ts";

export interface MapOptions extends Reading {
  prompt?: string;
  system?: string;
  image?: string;
  model?: string;
  connection?: string;
  baseUrl?: string;
  price?: string;
  temperature?: number;
  maxOutputTokens?: number;
  cache: boolean;
  transform?: string;
  http?: string;
  header?: string[];
  body?: string;
  mock?: true;
  spec?: string;
  out?: string;
  output?: string;
  limit?: number;
  sample?: number;
  seed?: number;
  yes?: true;
  maxCost?: string;
  trial: boolean;
  concurrency?: number;
  retry?: true;
  force?: true;
  keep?: true;
  verbose?: true;
}
