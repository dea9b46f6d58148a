import { useLocation } from "@tanstack/react-router";
import { Dialog } from "../components/dialog.tsx";
import { screens } from "../lib/screen-keys.ts";
import type { ScreenWithKeys } from "../lib/screen-keys.ts";
import { useSession } from "../lib/session.ts";
import { keyNames, shortcuts } from "../lib/shortcuts.ts";
import { places } from "./navigation.ts";

type Key = readonly [names: readonly string[], label: string];
type Group = readonly [title: string, keys: readonly Key[]];

const INSIDE: Key[] = [
  [["j", "k"], "Next and previous row, also while one is open"],
  [["Enter"], "Open the row"],
  [["Esc"], "Close what is open"],
];

/** What the keys do: first on this screen, then in each list, then everywhere, and last on the other screens. */
export function KeySheet({ onClose }: { onClose: () => void }) {
  const { pathname } = useLocation();
  const session = useSession();
  const place = Object.values<ScreenWithKeys>(screens).find(({ path }) => path.test(pathname))?.title;
  const name = place ?? places.find(({ to }) => to === pathname)?.label;
  const groups: Group[] = [
    [name === undefined ? "On this screen" : `On this screen: ${name}`, registeredKeys(undefined)],
    ["In lists and rows", INSIDE],
    ["Everywhere", registeredKeys("Everywhere")],
    ["Go to", registeredKeys("Go to")],
  ];
  const mayUse = ({ scope }: { scope?: string }): boolean =>
    scope === undefined || session.scopes.some((own) => own === scope);
  const others = Object.values<ScreenWithKeys>(screens)
    .filter(({ path, isForOperator = false }) => !path.test(pathname) && isForOperator === (session.kind === "admin"))
    .map(({ title, keys }): Group => [
      title,
      Object.values(keys)
        .filter(mayUse)
        .map((key): Key => [keyNames(key.keys), key.label]),
    ]);
  return (
    <Dialog title="Keyboard" onClose={onClose} width="max-w-3xl">
      <Groups groups={groups} />
      <h3 className="mb-3 border-t border-line pt-4 font-semibold">On other screens</h3>
      <Groups groups={others} isBelow />
    </Dialog>
  );
}

/** As the screen in sight has them: a key that would do nothing now is not among them. */
function registeredKeys(group: "Everywhere" | "Go to" | undefined): Key[] {
  const own = shortcuts().filter((shortcut) => shortcut.keys !== "" && shortcut.group === group);
  const byKeys = new Map(own.map(({ keys, label }) => [keys, label.replace(/^Go to /, "")]));
  return [...byKeys].map(([keys, label]): Key => [keyNames(keys), label]);
}

function Groups({ groups, isBelow = false }: { groups: readonly Group[]; isBelow?: boolean }) {
  const Title = isBelow ? "h4" : "h3";
  return (
    <div className="gap-x-10 sm:columns-2">
      {groups.map(
        ([title, keys]) =>
          keys.length > 0 && (
            <section key={title} className="mb-4 break-inside-avoid">
              <Title className="mb-1 font-semibold [overflow-wrap:anywhere]">{title}</Title>
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
  );
}
