/** How providers count what a minute allows: four kinds of windows, each of requests or tokens. */
export interface Allowance {
  /** Undefined: it may pass. Otherwise milliseconds until it may. */
  take(amount: number, now: number): number | undefined;
  left(now: number): { remaining: number; resetMs: number };
}

export const windows = {
  "fixed minute": (limit: number): Allowance => {
    const offset = Math.random() * 60_000;
    const endsIn = (now: number) => 60_000 - ((now + offset) % 60_000);
    let current = -1;
    let used = 0;
    const roll = (now: number) => {
      const window = Math.floor((now + offset) / 60_000);
      if (window !== current) [current, used] = [window, 0];
    };
    return {
      take(amount, now) {
        roll(now);
        if (used + amount > limit) return endsIn(now);
        used += amount;
        return undefined;
      },
      left: (now) => ({ remaining: Math.floor(limit - used), resetMs: endsIn(now) }),
    };
  },
  "sliding minute": (limit: number): Allowance => {
    let taken: { at: number; amount: number }[] = [];
    let used = 0;
    const roll = (now: number) => {
      const old = taken.findIndex(({ at }) => at > now - 60_000);
      for (const { amount } of taken.slice(0, old === -1 ? taken.length : old)) used -= amount;
      taken = old === -1 ? [] : taken.slice(old);
    };
    const endsIn = (now: number) => Math.max(1, (taken[0]?.at ?? now) + 60_000 - now);
    return {
      take(amount, now) {
        roll(now);
        if (used + amount > limit) return endsIn(now);
        used += amount;
        taken.push({ at: now, amount });
        return undefined;
      },
      left: (now) => ({ remaining: Math.floor(limit - used), resetMs: endsIn(now) }),
    };
  },
  "bucket of a minute": (limit: number): Allowance => bucket(limit, limit),
  "bucket of a second": (limit: number): Allowance => bucket(limit, limit / 60),
};

function bucket(limit: number, burst: number): Allowance {
  const perMs = limit / 60_000;
  let level = burst;
  let filledAt = 0;
  return {
    take(amount, now) {
      level = Math.min(burst, level + (now - filledAt) * perMs);
      filledAt = now;
      if (level < amount) return (amount - level) / perMs;
      level -= amount;
      return undefined;
    },
    // Reported as of a minute, also where much less may come at once.
    left: () => ({ remaining: Math.floor(limit - (burst - level)), resetMs: (burst - level) / perMs }),
  };
}
