/**
 * The search: a dialog that `/` opens. Its index is fetched from the service when it is first needed, and works without a network then.
 * Text from the index is only ever set as text.
 */
import type { SearchDocument } from "../search-format.ts";
import { createSearch } from "./search-engine.ts";

interface Hit {
  href: string;
  path: string;
  title: string;
  excerpt: string;
  terms: string[];
}

const MAX_HITS = 12;
const EXCERPT_LENGTH = 170;
/** Of a hit before its first found word. */
const EXCERPT_LEAD = 60;

let index: Promise<(words: string) => Hit[]> | undefined;

export function offerSearch(): void {
  const button = document.querySelector<HTMLButtonElement>("#find");
  if (button === null) return;
  const { dialog, input } = makeDialog();
  const open = (): void => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    void prepare();
  };
  button.hidden = false;
  button.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof HTMLElement ? event.target : undefined;
    const isTyping =
      target !== undefined && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    const isSlash = event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isCombination = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!isSlash && !isCombination) return;
    event.preventDefault();
    open();
  });
}

/** Where no page was found: what the words of the address lead to. */
export function searchForMissingPage(): void {
  const place = document.querySelector<HTMLElement>("#search-here");
  if (place === null) return;
  const words = decodeURIComponent(location.pathname)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && word !== "guide" && word !== "md")
    .join(" ");
  const { input, list, status } = makeFields("missing");
  place.append(input, status, list);
  input.value = words;
  void showHits(input.value, list, status);
  input.addEventListener("input", () => void showHits(input.value, list, status));
}

function makeDialog(): { dialog: HTMLDialogElement; input: HTMLInputElement } {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-label", "Search the guide");
  const { input, list, status } = makeFields("dialog");
  dialog.append(input, status, list);
  document.body.append(dialog);
  input.addEventListener("input", () => void showHits(input.value, list, status));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || (event.target instanceof Element && event.target.closest("a") !== null))
      dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll<HTMLAnchorElement>("a")];
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (at <= 0 ? input : links[at - 1])?.focus();
    else if (event.key === "Enter" && at === -1 && links[0] !== undefined) links[0].click();
    else return;
    event.preventDefault();
  });
  return { dialog, input };
}

function makeFields(name: string): { input: HTMLInputElement; list: HTMLUListElement; status: HTMLElement } {
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Search the guide";
  input.setAttribute("aria-label", "Search the guide");
  input.setAttribute("aria-controls", `hits-${name}`);
  input.autocomplete = "off";
  const list = document.createElement("ul");
  list.id = `hits-${name}`;
  list.className = "hits";
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  status.className = "soft";
  return { input, list, status };
}

async function showHits(words: string, list: HTMLUListElement, status: HTMLElement): Promise<void> {
  const asked = words.trim();
  list.dataset["asked"] = asked;
  let hits: Hit[] = [];
  try {
    hits = asked === "" ? [] : (await prepare())(asked);
  } catch {
    status.textContent = "The index of the search cannot be read. Is the service reachable?";
    return;
  }
  // Meanwhile more was typed.
  if (list.dataset["asked"] !== asked) return;
  status.textContent =
    asked === "" ? "" : hits.length === 0 ? `Nothing was found for “${asked}”.` : `${hits.length} results`;
  list.replaceChildren(...hits.map(hitItem));
}

function hitItem({ href, path, title, excerpt, terms }: Hit): HTMLLIElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = href;
  const [head, where, text] = [
    document.createElement("strong"),
    document.createElement("span"),
    document.createElement("p"),
  ];
  head.textContent = title;
  where.textContent = path;
  where.className = "soft";
  text.append(...marked(cut(excerpt, terms), terms));
  link.append(head, where, text);
  item.append(link);
  return item;
}

function cut(excerpt: string, terms: readonly string[]): string {
  const found = terms.map((term) => excerpt.toLowerCase().indexOf(term)).filter((at) => at !== -1);
  const first = found.length === 0 ? 0 : Math.min(...found);
  if (first < EXCERPT_LENGTH - EXCERPT_LEAD) return shortened(excerpt);
  return `…${shortened(excerpt.slice(excerpt.indexOf(" ", first - EXCERPT_LEAD)))}`;
}

const shortened = (text: string): string =>
  text.length <= EXCERPT_LENGTH ? text : `${text.slice(0, text.lastIndexOf(" ", EXCERPT_LENGTH))}…`;

function marked(text: string, terms: readonly string[]): (string | HTMLElement)[] {
  if (terms.length === 0) return [text];
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(${terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`,
    "giu",
  );
  return text.split(pattern).map((part, at) => {
    if (at % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
}

/** A failed attempt is not kept: the next search tries again. */
function prepare(): Promise<(words: string) => Hit[]> {
  index ??= loadIndex().catch((error: unknown) => {
    index = undefined;
    throw error;
  });
  return index;
}

async function loadIndex(): Promise<(words: string) => Hit[]> {
  const { root = "./", search: file = "" } = document.documentElement.dataset;
  const base = new URL(root, location.href);
  const response = await fetch(new URL(file, base));
  if (!response.ok) throw new Error(`the index cannot be read: ${response.status}`);
  const searched = (await response.json()) as SearchDocument;
  const { pages, sections } = searched;
  const search = createSearch(searched);
  return (words) => {
    return search(words)
      .slice(0, MAX_HITS)
      .flatMap(({ section: found, terms }) => {
        const [page = 0, anchor = "", title = "", excerpt = ""] = sections[found] ?? [];
        const [address = "", pageTitle = "", section = ""] = pages[page] ?? [];
        const url = new URL(address === "" ? "./" : address, base);
        if (anchor !== "") url.hash = anchor;
        const path = title === "" ? section : `${section} › ${pageTitle}`;
        return [{ href: url.href, path, title: title === "" ? pageTitle : title, excerpt, terms }];
      });
  };
}
