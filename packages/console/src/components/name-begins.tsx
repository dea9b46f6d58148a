/** Finds others than the newest by their name, where a list to choose from has not all. */
export function NameBegins({
  one,
  value,
  className = "input",
  onChange,
}: {
  one: string;
  value: string;
  className?: string;
  onChange: (begin: string) => void;
}) {
  return (
    <input
      aria-label={`Name of the ${one} begins with`}
      type="search"
      className={className}
      placeholder={`Find another ${one}: its name begins with…`}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
