/** Marks the section that is read in the list of contents, and brings the current page of the tree into view. */
export function followReading(): void {
  const current = document.querySelector<HTMLElement>("#tree [aria-current=page]");
  const tree = document.querySelector<HTMLElement>("#tree");
  if (current !== null && tree !== null && current.offsetTop > tree.clientHeight)
    tree.scrollTop = current.offsetTop - tree.clientHeight / 2;

  const links = new Map(
    [...document.querySelectorAll<HTMLAnchorElement>("#contents a")].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  );
  const headings = [...links.keys()].flatMap((id) => document.getElementById(id) ?? []);
  if (headings.length === 0) return;
  const mark = (): void => {
    const read = headings.findLast((heading) => heading.getBoundingClientRect().top < window.innerHeight / 3);
    for (const [id, link] of links)
      if (id === read?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
  };
  let isDue = false;
  const later = (): void => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      mark();
    });
  };
  document.addEventListener("scroll", later, { passive: true });
  mark();
}
