import { Dialog } from "../components/dialog.tsx";
import { keyNames, shortcuts } from "../lib/shortcuts.ts";

const INSIDE: [string, string][] = [
  ["j k", "Next and previous row of a list or grid, from anywhere"],
  ["Enter", "Open the row"],
  ["Esc", "Close what is open"],
];

export function KeySheet({ onClose }: { onClose: () => void }) {
  const own = new Map(
    shortcuts()
      .filter(({ keys }) => keys !== "")
      .map(({ keys, label }) => [keys, label]),
  );
  return (
    <Dialog title="Keyboard" onClose={onClose} width="max-w-3xl">
      <dl className="gap-x-10 sm:columns-2">
        {[
          ...[...own].map(([keys, label]) => [keyNames(keys), label] as const),
          ...INSIDE.map(([keys, label]) => [keys.split(" "), label] as const),
        ].map(([keys, label]) => (
          <div key={label} className="grid break-inside-avoid grid-cols-[72px_1fr] items-center gap-x-4 py-1">
            <dt className="flex justify-end gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6 rounded border border-edge bg-raised px-1.5 py-0.5 text-center font-sans text-xs"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
