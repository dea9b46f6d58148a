/** One form for each processor. */
import type { Processor } from "../../lib/specs.ts";
import { Http } from "./processor-http.tsx";
import { Llm } from "./processor-llm.tsx";
import { Mock, Transform } from "./processors-here.tsx";

export function ProcessorForm({
  processor,
  onChange,
  columns,
}: {
  processor: Processor;
  onChange: (processor: Processor) => void;
  columns: readonly string[] | undefined;
}) {
  switch (processor.type) {
    case "llm":
      return <Llm processor={processor} onChange={onChange} columns={columns} />;
    case "http":
      return <Http processor={processor} onChange={onChange} columns={columns} />;
    case "transform":
      return <Transform processor={processor} onChange={onChange} columns={columns} />;
    case "mock":
      return <Mock processor={processor} onChange={onChange} columns={columns} />;
  }
}
