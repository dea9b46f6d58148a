/** Values of rows: always text, never HTML; what cannot be seen is shown by its code. */
import { Fragment } from "react";
import { jsonInOrder, membersOf } from "../lib/columns.ts";
import { ExactNumber, isObject } from "../lib/exact-numbers.ts";
import { count, prettyJson, preview, textOf, visible } from "../lib/format.ts";
import { Copy } from "./copy.tsx";

/** One line of a row or an output: names and values. `order`: of the names, as the dataset has them. */
export function Preview({ value, order }: { value: unknown; order?: readonly string[] | undefined }) {
  if (!isObject(value)) return <bdi>{preview(value)}</bdi>;
  return (
    <bdi>
      {membersOf(value, order, 6).map(([name, item]) => (
        <span key={name} className="mr-2">
          <span className="text-soft">{preview(name, 40)}</span> {preview(item, 80)}{" "}
        </span>
      ))}
    </bdi>
  );
}

/** A name such as `run.partially_succeeded`, which a narrow place may break between its words. */
export function Breakable({ name }: { name: string }) {
  return name.split(/(?<=[._])/).map((part, at) => (
    <Fragment key={at}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** What is drawn of one value; a copy is whole. */
const SHOWN_CHARACTERS = 20_000;

/**
 * The members of an object under each other, each whole up to a length that a page can draw. `copied`: what the copy has, where
 * the value is shown in another form.
 */
export function Value({
  value,
  label,
  copied = value,
  order,
}: {
  value: unknown;
  label: string;
  copied?: unknown;
  order?: readonly string[] | undefined;
}) {
  const hasMembers = isObject(value) && Object.keys(value).length > 0;
  return (
    <div className="card overflow-hidden">
      <div className="flex items-center justify-between border-b border-line bg-raised/60 px-3 py-1.5">
        <h3 className="font-medium">{label}</h3>
        <Copy
          text={() =>
            Promise.resolve(hasMembers && order !== undefined ? jsonInOrder(value, order) : prettyJson(copied))
          }
          label={`Copy the whole ${label.toLowerCase()} as JSON`}
        />
      </div>
      {hasMembers ? (
        <dl className="divide-y divide-line">
          {membersOf(value, order).map(([name, item]) => (
            <div key={name} className="grid grid-cols-[minmax(72px,28%)_1fr] gap-2 px-3 py-1.5">
              <dt className="text-soft [overflow-wrap:anywhere]">{preview(name, 80)}</dt>
              <dd className="flex min-w-0 items-start gap-2">
                <div className="min-w-0 flex-1">
                  <Shown value={item} />
                </div>
                <Copy text={() => Promise.resolve(textOf(item))} label={`Copy ${preview(name, 40)}`} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <div className="px-3 py-2">
          <Shown value={value} />
        </div>
      )}
    </div>
  );
}

/** Texts that look like null, a truth value or a number, and are none. */
const READS_AS_OTHER = /^(?:null|true|false|-?\d[\d.,]*(?:[eE][+-]?\d+)?)$/;

function Shown({ value }: { value: unknown }) {
  if (value === null) return <span className="text-soft italic">null</span>;
  if (value === "") return <span className="text-soft italic">empty text</span>;
  const text = typeof value === "string" ? value : prettyJson(value);
  const isCut = text.length > SHOWN_CHARACTERS;
  return (
    <>
      {typeof value === "string" && READS_AS_OTHER.test(value) && (
        <span className="float-right ml-2 text-xs text-soft italic">text</span>
      )}
      <pre
        tabIndex={0}
        className={`max-h-80 overflow-auto [overflow-wrap:anywhere] whitespace-pre-wrap ${typeof value === "object" && !(value instanceof ExactNumber) ? "font-mono text-xs" : "font-sans tabular-nums"}`}
      >
        {visible(isCut ? text.slice(0, SHOWN_CHARACTERS) : text)}
      </pre>
      {isCut && (
        <p className="text-xs text-soft">
          The first {count(SHOWN_CHARACTERS)} of {count(text.length)} characters. The copy is whole.
        </p>
      )}
    </>
  );
}
