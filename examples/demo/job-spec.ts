/** What happens to a row: a model says who the film is for. The first version does not say what to do about a film without a rating. */
import type { Body } from "@rowmill/client";
import { MODEL } from "./model.ts";

const OUTPUT_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["audience", "confidence"],
  properties: {
    audience: { enum: ["children", "everyone", "adults"] },
    confidence: { type: "number", minimum: 0, maximum: 1 },
  },
};

const film =
  "Title: {{row.title}}\nYear: {{row.year}}\nGenre: {{row.genre}}\nRating: {{row.rating}}\nDirector: {{row.director}}";
const task = "Which audience is this film for?";

export const FIRST_PROMPT = task;
export const CORRECTED_PROMPT = `${task} If it has no rating, judge by the genre.`;

export const definition = (connection: string, prompt: string): Pick<Body<"createJobSpec">, "processor" | "cache"> => ({
  processor: {
    type: "llm",
    connection,
    model: MODEL,
    messages: [
      { role: "system", content: prompt },
      { role: "user", content: film },
    ],
    parameters: { maxOutputTokens: 60 },
    outputSchema: OUTPUT_SCHEMA,
    // Asked again, this model says the same.
    repairAttempts: 0,
  },
  // Rows of the sample are not paid for twice.
  cache: { mode: "read_write" },
});
