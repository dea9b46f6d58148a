/** What can be done with a thing beside the first two or three actions, and the thing as a program reads it. */
import { Ellipsis, Fingerprint } from "lucide-react";
import { useShortcuts } from "../lib/shortcuts.ts";
import { copyAndSay, copyItems } from "./code-menu.tsx";
import type { Request } from "./code-menu.tsx";
import { Menu } from "./menu.tsx";
import type { MenuItem } from "./menu.tsx";

export function MoreMenu({
  label = "More actions",
  id,
  request,
  items = [],
  isInPalette = true,
}: {
  label?: string;
  id?: string;
  request: Request;
  items?: MenuItem[];
  /** False where a screen has many of them. */
  isInPalette?: boolean;
}) {
  const copies: MenuItem[] = [
    ...(id === undefined ? [] : [{ label: "Copy the id", icon: Fingerprint, run: () => void copyAndSay(id) }]),
    ...copyItems(request),
  ];
  useShortcuts(isInPalette ? copies.map(({ label: name, run }) => ({ keys: "", label: name, run })) : []);
  return (
    <Menu
      className="inline-flex size-8 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
      trigger={
        <>
          <Ellipsis aria-hidden size={16} />
          <span className="sr-only">{label}</span>
        </>
      }
      items={[
        ...items.filter(({ isDanger }) => isDanger !== true),
        ...copies,
        ...items.filter(({ isDanger }) => isDanger === true),
      ]}
    />
  );
}
