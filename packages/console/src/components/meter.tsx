/** A bar of parts, in the order in which they are given; what is left is the track. */
export interface Part {
  value: number;
  look: "good" | "bad" | "busy" | "quiet";
}
const LOOKS: Record<Part["look"], string> = {
  good: "bg-bar-good",
  bad: "bg-bar-bad",
  busy: "bg-bar-busy bg-[length:16px_16px] bg-[linear-gradient(135deg,rgb(255_255_255/0.28)_25%,transparent_25%_50%,rgb(255_255_255/0.28)_50%_75%,transparent_75%)] animate-[stripes_1s_linear_infinite]",
  quiet: "bg-edge",
};

export function Meter({
  parts,
  total,
  label,
  className = "h-1.5",
}: {
  parts: Part[];
  total: number;
  label: string;
  className?: string;
}) {
  return (
    <div role="img" aria-label={label} className={`flex w-full overflow-hidden rounded-full bg-line ${className}`}>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ value, look }) => (
          <span
            key={look}
            className={`${LOOKS[look]} min-w-[2px] transition-[width] duration-500`}
            style={{ width: `${Math.min(100, (100 * value) / (total > 0 ? total : 1))}%` }}
          />
        ))}
    </div>
  );
}
