import { Notice } from "./notice.tsx";

/** What a key without the scope sees in place of a screen or a part of it. */
export function Hidden({ what, scope }: { what: string; scope: string }) {
  return (
    <Notice tone="info" title={`${what} hidden.`}>
      Your key lacks the scope <code className="font-mono">{scope}</code>. An owner of the organization can give you one
      that has it.
    </Notice>
  );
}
