export function minutes(count: number): number {
  return count * 60_000;
}

export function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
