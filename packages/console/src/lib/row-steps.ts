import { useNavigate } from "@tanstack/react-router";

/**
 * From the open row to another one. The row is that of the address: of two keys in quick succession, the second comes before the screen
 * shows the row of the first.
 */
export function useRowSteps(rowAfter: (row: number, step: number) => number | undefined): (step: number) => void {
  const navigate = useNavigate();
  return (step) =>
    void navigate({
      to: ".",
      search: (now) => ({ ...now, row: rowAfter(Number(now.row), step)?.toString() ?? now.row }),
      replace: true,
      resetScroll: false,
    });
}
