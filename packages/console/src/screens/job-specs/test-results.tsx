/** What came of the test: each row's rendered request, its raw response, its output or failure, its tokens and cost. */
import type { JobSpecTestResult } from "@rowmill/client";
import { Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Value } from "../../components/value.tsx";
import { count, duration, plural, rowNumber, usd, visible, words } from "../../lib/format.ts";

type Tested = JobSpecTestResult["outputs"][number] | JobSpecTestResult["failures"][number];

export function TestResults({ results, firstIndex }: { results: JobSpecTestResult; firstIndex: number }) {
  const rows: Tested[] = [...results.outputs, ...results.failures].toSorted((a, b) => a.index - b.index);
  const { totals } = results;
  return (
    <Section
      title={
        results.failures.length === 0
          ? rows.length === 1
            ? "The row succeeded"
            : `All ${plural(rows.length, "row")} succeeded`
          : `${plural(results.failures.length, "row")} of ${rows.length} failed`
      }
      note={
        totals.requests === 0
          ? undefined
          : `${plural(totals.requests, "call")}, ${plural(totals.inputTokens, "token")} in, ${count(totals.outputTokens)} out, ${totals.costUsd === null ? "price unknown" : usd(totals.costUsd)}.`
      }
    >
      {rows.map((row) => (
        <article key={row.index} className="card flex flex-col gap-2 px-4 py-3">
          <header className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <h3 className="font-medium">Row {rowNumber(firstIndex + row.index)}</h3>
            <State state={"data" in row ? "succeeded" : "failed"} />
            <span className="text-soft tabular-nums">
              {duration(row.durationMs / 1000)}
              {row.usage?.inputTokens !== undefined &&
                ` · ${plural(row.usage.inputTokens, "token")} in, ${count(row.usage.outputTokens ?? 0)} out`}
              {row.usage?.costUsd !== undefined && ` · ${usd(row.usage.costUsd)}`}
            </span>
          </header>
          {"data" in row ? (
            <Value value={row.data} label="Output" />
          ) : (
            <p>
              <span className="font-medium text-bad">{words(row.code)}</span> {visible(row.message)}
            </p>
          )}
          {row.logs !== "" && <Details title="Console" text={row.logs} />}
          {row.calls?.map((call, i) => (
            <div key={i} className="flex flex-col gap-1">
              {promptOf(call.request.body).map(({ title, text }) => (
                <Details key={title} title={title} text={text} isOpen={row === rows[0]} />
              ))}
              <Details
                title={`Request ${i + 1}: ${call.request.method} ${call.request.url}`}
                text={prettyText(call.request.body ?? "")}
              />
              {call.response !== null && (
                <Details
                  title={`Response ${i + 1}: ${call.response.status}`}
                  text={prettyText(call.response.body ?? "")}
                />
              )}
            </div>
          ))}
        </article>
      ))}
    </Section>
  );
}

/** What the model was asked, as it reads it: the messages of a request in the form of OpenAI or Anthropic; of others nothing. */
function promptOf(body: string | null | undefined): { title: string; text: string }[] {
  try {
    const request: unknown = JSON.parse(body ?? "");
    if (typeof request !== "object" || request === null || !("messages" in request)) return [];
    if (!Array.isArray(request.messages)) return [];
    const texts = request.messages.map((message: unknown) => {
      if (typeof message !== "object" || message === null || !("content" in message)) return "";
      const { content } = message;
      const parts: unknown[] = Array.isArray(content) ? content : [{ text: content }];
      return parts
        .map((part) => (typeof part === "object" && part !== null && "text" in part ? String(part.text) : ""))
        .join("\n");
    });
    const text = texts.filter((one) => one !== "").join("\n\n");
    return text === "" ? [] : [{ title: "Rendered prompt", text }];
  } catch (error) {
    // Not every request has a body in JSON.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function Details({ title, text, isOpen = false }: { title: string; text: string; isOpen?: boolean }) {
  return (
    <details open={isOpen} className="rounded-md border border-line">
      <summary className="px-3 py-1.5 text-soft [overflow-wrap:anywhere] hover:text-ink">{title}</summary>
      <pre
        tabIndex={0}
        className="max-h-72 overflow-auto border-t border-line px-3 py-2 font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap"
      >
        {visible(text)}
      </pre>
    </details>
  );
}

/** A body that is JSON is easier to read in lines. */
function prettyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
