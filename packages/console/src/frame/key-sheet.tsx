import { useLocation } from "@tanstack/react-router";
import { Dialog } from "../components/dialog.tsx";
import { keyNames, shortcuts } from "../lib/shortcuts.ts";
import { places } from "./navigation.ts";

type Key = readonly [names: readonly string[], label: string];

const INSIDE: Key[] = [
  [["j", "k"], "Next and previous row, also while one is open"],
  [["Enter"], "Open the row"],
  [["Esc"], "Close what is open"],
];

/** What the keys do: first on this screen, then in each list, then everywhere. */
export function KeySheet({ onClose }: { onClose: () => void }) {
  const { pathname } = useLocation();
  const place = places.find(({ to }) => to === pathname || (to !== "/" && pathname.startsWith(`${to}/`)));
  const all = shortcuts().filter(({ keys }) => keys !== "");
  const groupOf = (group: "Everywhere" | "Go to" | undefined): Key[] => [
    ...new Map(
      all.flatMap(({ keys, label, group: own }) =>
        own === group ? [[keys, [keyNames(keys), label.replace(/^Go to /, "")] as const] as const] : [],
      ),
    ).values(),
  ];
  const groups: [string, Key[]][] = [
    [place === undefined ? "On this screen" : `On this screen: ${place.label}`, groupOf(undefined)],
    ["In lists and rows", INSIDE],
    ["Everywhere", groupOf("Everywhere")],
    ["Go to", groupOf("Go to")],
  ];
  return (
    <Dialog title="Keyboard" onClose={onClose} width="max-w-3xl">
      <div className="gap-x-10 sm:columns-2">
        {groups.map(
          ([title, keys]) =>
            keys.length > 0 && (
              <section key={title} className="mb-4 break-inside-avoid">
                <h3 className="mb-1 font-semibold [overflow-wrap:anywhere]">{title}</h3>
                <dl>
                  {keys.map(([names, label]) => (
                    <div key={label} className="grid grid-cols-[72px_1fr] items-center gap-x-4 py-1">
                      <dt className="flex gap-1">
                        {names.map((name) => (
                          <kbd
                            key={name}
                            className="min-w-6 rounded border border-edge bg-raised px-1.5 py-0.5 text-center font-sans text-xs"
                          >
                            {name}
                          </kbd>
                        ))}
                      </dt>
                      <dd>{label}</dd>
                    </div>
                  ))}
                </dl>
              </section>
            ),
        )}
      </div>
    </Dialog>
  );
}
