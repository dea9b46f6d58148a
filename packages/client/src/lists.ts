import { RowmillApiError, RowmillError } from "./errors.ts";
import { parseNdjson } from "./ndjson.ts";
import { chunksOfResponse } from "./streams.ts";
import { readJson } from "./transport.ts";
import type { Watch } from "./watch.ts";
import type { Transport } from "./transport.ts";
import type { ItemIn, OperationOf, PathIn, PathOf, QueryValue, RequestOptions } from "./types.ts";

/** Items per request when all pages are walked and no `limit` is given: fewer round trips than the service's 50. */
const WALKING_LIMIT = 200;

type FetchPage<T> = (defaults: { limit?: number }, cursor?: string) => Promise<Page<T>>;

export class Page<T> {
  readonly data: readonly T[];
  /** Where the next page begins; null at the end. */
  readonly nextCursor: string | null;
  readonly #next: (cursor: string) => Promise<Page<T>>;

  constructor(data: readonly T[], nextCursor: string | null, next: (cursor: string) => Promise<Page<T>>) {
    this.data = data;
    this.nextCursor = nextCursor;
    this.#next = next;
  }

  get hasNextPage(): boolean {
    return this.nextCursor !== null;
  }

  async nextPage(): Promise<Page<T>> {
    if (this.nextCursor === null) throw new RowmillError("there is no next page: check hasNextPage first");
    return this.#next(this.nextCursor);
  }
}

/**
 * A list that has not been requested yet. `await` it for its first page, walk all items of all pages with `for await`, or the
 * pages with `for await (… of list.pages())`. It has all methods of a promise of its first page, which is requested by the first
 * call of one of them.
 */
export class List<T> implements Promise<Page<T>>, AsyncIterable<T> {
  readonly [Symbol.toStringTag] = "List";
  readonly #fetchPage: FetchPage<T>;
  #first: Promise<Page<T>> | undefined;

  constructor(fetchPage: FetchPage<T>) {
    this.#fetchPage = fetchPage;
  }

  // To be awaited is what the class is for.
  // oxlint-disable-next-line unicorn/no-thenable
  then<A = Page<T>, B = never>(
    onFulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#firstPage().then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B> {
    return this.#firstPage().catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.#firstPage().finally(onFinally);
  }

  #firstPage(): Promise<Page<T>> {
    return (this.#first ??= this.#fetchPage({}));
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.#fetchPage({ limit: WALKING_LIMIT });
    for (;;) {
      yield page;
      if (!page.hasNextPage) return;
      const next = await page.nextPage();
      // Otherwise a service or cache that repeats itself is walked for ever.
      if (next.nextCursor !== null && next.nextCursor === page.nextCursor)
        throw new RowmillError("the list gave the same cursor twice");
      page = next;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }
}

/** A row-level list, which also comes as one stream: the way to read millions of rows. */
export class RowList<T> extends List<T> {
  readonly #stream: () => AsyncGenerator<T, void, undefined>;

  constructor(fetchPage: FetchPage<T>, stream: () => AsyncGenerator<T, void, undefined>) {
    super(fetchPage);
    this.#stream = stream;
  }

  /**
   * Every item in one request, a line in memory at a time. A stream that breaks off throws and cannot be taken up again: the
   * pages can.
   */
  stream(): AsyncGenerator<T, void, undefined> {
    return this.#stream();
  }
}

type ListPath = { [P in PathOf<"GET">]: [ItemIn<OperationOf<"GET", P>>] extends [never] ? never : P }[PathOf<"GET">];
type Item<P extends ListPath> = ItemIn<OperationOf<"GET", P>>;
interface AnyInput {
  path?: Readonly<Record<string, string | number>> | undefined;
  query: Readonly<Record<string, QueryValue>> | undefined;
  options: RequestOptions | undefined;
}
type Input<P extends ListPath> = AnyInput &
  ([PathIn<OperationOf<"GET", P>>] extends [never] ? { path?: undefined } : { path: PathIn<OperationOf<"GET", P>> });

export function list<P extends ListPath>(transport: Transport, path: P, input: Input<P>): List<Item<P>> {
  return new List(pageFetcher<Item<P>>(transport, path, input));
}

/** `T` is the item of the contract, whose `data` the caller may have named the type of. */
export function rowList<P extends ListPath, T = Item<P>>(transport: Transport, path: P, input: Input<P>): RowList<T> {
  async function* stream(): AsyncGenerator<T, void, undefined> {
    const request = { ...input.options, path: input.path, query: input.query, accept: "application/x-ndjson" };
    const chunks = await transport.send("GET", path, request, chunksOfResponse);
    // The lines are the items of the list, says the contract.
    if (chunks !== undefined)
      yield* parseNdjson(chunks, input.options?.parseJson) as AsyncGenerator<T, void, undefined>;
  }
  return new RowList(pageFetcher<T>(transport, path, input), stream);
}

function pageFetcher<T>(transport: Transport, path: string, input: AnyInput): FetchPage<T> {
  return async function fetchPage(defaults, cursor?: string): Promise<Page<T>> {
    const query = { ...defaults, ...input.query, ...(cursor === undefined ? {} : { cursor }) };
    const request = { ...input.options, path: input.path, query };
    const read = (response: Response, watch: Watch) => readJson(response, watch, input.options?.parseJson);
    const response = await transport.send("GET", path, request, read);
    // A list responds with this envelope, by the contract; another service at this address may respond with anything.
    const { data, nextCursor } = (response ?? {}) as { data?: T[]; nextCursor?: string | null };
    if (!Array.isArray(data))
      throw new RowmillApiError(200, new Headers(), {}, "the response of the service is not a list");
    return new Page(data, nextCursor ?? null, (next) => fetchPage(defaults, next));
  };
}
