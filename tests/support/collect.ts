/** Walks collect what went wrong, so that the first surprise does not hide the others. */
export class Surprises {
  readonly #found: string[] = [];

  add(...parts: unknown[]): void {
    this.#found.push(parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" → "));
  }

  /** Runs one step; what it throws is a surprise. */
  async collect(title: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.add(title, error instanceof Error ? error.message : String(error));
    }
  }

  list(): readonly string[] {
    return this.#found;
  }
}

export function expectNone(surprises: Surprises): void {
  const list = surprises.list();
  if (list.length > 0) throw new Error(`${list.length} surprises:\n${list.join("\n")}`);
}
