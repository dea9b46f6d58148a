/** Where tree and contents stand beside the text, they are open for programs that read a page aloud, too, and not only to the eye. */
const WIDTHS = { tree: "(min-width: 56rem)", contents: "(min-width: 78rem)" };

export function openBesideText(): void {
  for (const [id, width] of Object.entries(WIDTHS)) {
    const details = document.querySelector<HTMLDetailsElement>(`#${id}`);
    if (details === null) continue;
    const query = matchMedia(width);
    details.open = query.matches;
    query.addEventListener("change", () => (details.open = query.matches));
  }
}
