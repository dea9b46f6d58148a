/** The log that Fastify writes to. */
import type { FastifyBaseLogger } from "fastify";

/**
 * Fastify makes a child of its logger for each request, so that its lines have the request's id, and writes to hardly any of them. A child
 * of this one is made when it is written to.
 */
export function withLazyChildren(log: FastifyBaseLogger): FastifyBaseLogger {
  const child: FastifyBaseLogger["child"] = (...of) => new LazyChild(() => log.child(...of));
  return Object.create(log, { child: { value: child } }) as FastifyBaseLogger; // all the rest is inherited
}

class LazyChild implements FastifyBaseLogger {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | undefined;

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }

  get #log(): FastifyBaseLogger {
    return (this.#made ??= this.#make());
  }

  get level() {
    return this.#log.level;
  }
  set level(level) {
    this.#log.level = level;
  }
  get fatal() {
    return this.#log.fatal.bind(this.#log);
  }
  get error() {
    return this.#log.error.bind(this.#log);
  }
  get warn() {
    return this.#log.warn.bind(this.#log);
  }
  get info() {
    return this.#log.info.bind(this.#log);
  }
  get debug() {
    return this.#log.debug.bind(this.#log);
  }
  get trace() {
    return this.#log.trace.bind(this.#log);
  }
  get silent() {
    return this.#log.silent.bind(this.#log);
  }
  get child() {
    return this.#log.child.bind(this.#log);
  }
}
