import { Copy } from "../../components/copy.tsx";

/** Code to be read and copied. It can be scrolled by the keyboard. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className="relative min-w-0">
      <pre
        tabIndex={0}
        aria-label={label}
        className="max-h-[460px] overflow-auto rounded-lg border border-line bg-raised py-3 pr-10 pl-3.5 font-mono text-xs leading-5"
      >
        {code}
      </pre>
      <span className="absolute top-px right-px rounded-lg bg-raised p-1.5">
        <Copy text={code} label={`Copy ${label}`} />
      </span>
    </div>
  );
}
