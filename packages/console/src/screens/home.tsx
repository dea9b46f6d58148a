import { useQuery } from "@tanstack/react-query";
import { ButtonLink } from "../components/button.tsx";
import { Empty, Page, Section } from "../components/page.tsx";
import { Table } from "../components/table.tsx";
import { rowmill } from "../lib/client.ts";
import { useNames } from "../lib/names.ts";
import { columnsOf } from "./runs.tsx";

export function Home() {
  const nameOf = useNames();
  const { data } = useQuery({
    queryKey: ["runs", "home"],
    queryFn: async () => (await rowmill.runs.list({ limit: 8 })).data,
    refetchInterval: 3000,
  });
  return (
    <Page title="Home" tabTitle="Home">
      <Section title="Newest runs" actions={<ButtonLink to="/runs">All runs</ButtonLink>}>
        {data !== undefined && data.length > 0 ? (
          <Table label="Newest runs" items={data} keyOf={({ id }) => id} columns={columnsOf(nameOf)} />
        ) : (
          <Empty title="No runs yet.">A run applies a job spec to the rows of a dataset.</Empty>
        )}
      </Section>
    </Page>
  );
}
