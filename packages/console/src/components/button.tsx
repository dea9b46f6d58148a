import { Link } from "@tanstack/react-router";
import type { LinkComponentProps } from "@tanstack/react-router";
import { LoaderCircle } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";

type Look = "primary" | "plain" | "quiet" | "danger";

const SHAPE =
  "inline-flex min-h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border px-3 py-1 text-sm font-medium whitespace-nowrap select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:opacity-55";
const LOOKS: Record<Look, string> = {
  primary: "border-transparent bg-fill text-on-fill hover:brightness-110",
  plain: "border-edge bg-surface hover:bg-raised",
  quiet: "border-transparent text-soft hover:bg-raised hover:text-ink",
  danger: "border-edge bg-surface text-bad hover:bg-raised",
};

interface Own {
  look?: Look;
  icon?: LucideIcon;
  children?: ReactNode;
  /** Only the icon is seen; this is its name. */
  label?: string;
}

function Inside({ icon: Icon, children, label, isBusy }: Own & { isBusy?: boolean | undefined }) {
  return (
    <>
      {isBusy === true ? (
        <LoaderCircle aria-hidden size={14} className="animate-spin" />
      ) : (
        Icon !== undefined && <Icon aria-hidden size={15} strokeWidth={1.9} />
      )}
      {children}
      {label !== undefined && <span className="sr-only">{label}</span>}
    </>
  );
}

const classOf = (look: Look, isSquare: boolean, className = ""): string =>
  `${SHAPE} ${LOOKS[look]} ${isSquare ? "w-8 px-0!" : ""} ${className}`;

export function Button({
  look = "plain",
  icon,
  label,
  isBusy,
  children,
  className,
  ...rest
}: Own & ComponentProps<"button"> & { isBusy?: boolean | undefined }) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      // A button that is disabled loses the focus, and the keyboard its place: a busy one only does nothing.
      aria-disabled={isBusy === true ? true : rest["aria-disabled"]}
      onClick={isBusy === true ? (event) => event.preventDefault() : rest.onClick}
      className={classOf(look, children === undefined, className)}
    >
      <Inside {...(icon === undefined ? {} : { icon })} {...(label === undefined ? {} : { label })} isBusy={isBusy}>
        {children}
      </Inside>
    </button>
  );
}

export function ButtonLink({ look = "plain", icon, label, children, className, ...rest }: Own & LinkComponentProps) {
  return (
    <Link {...rest} className={classOf(look, children === undefined, typeof className === "string" ? className : "")}>
      <Inside {...(icon === undefined ? {} : { icon })} {...(label === undefined ? {} : { label })}>
        {children as ReactNode}
      </Inside>
    </Link>
  );
}
