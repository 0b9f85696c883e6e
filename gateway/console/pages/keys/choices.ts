import { ENDPOINTS } from "../../../domain/requests/endpoints.ts";
import type { View } from "../../page.ts";
import type { ListField } from "./policy_form.ts";

/** The choices of each list of a policy. */
export type Choices = Readonly<Record<ListField, readonly string[]>>;

/** Returns the choices that the catalog in force offers, and those that `fields` name besides. */
export async function choicesFor(view: View, fields: URLSearchParams): Promise<Choices> {
  const { content } = await view.load("GET /catalog");
  const { upstreams, models, tiers } = content;
  const all = (field: ListField, known: readonly string[]) => [
    ...new Set([...known, ...fields.getAll(field)]),
  ];
  return {
    endpoints: ENDPOINTS,
    models: all("models", models.map(({ id }) => id)),
    providers: all("providers", upstreams.map(({ provider }) => provider)),
    tiers: all("tiers", tiers.map(({ id }) => id)),
    featureTags: all("featureTags", models.flatMap(({ featureTags }) => featureTags)),
    industryPacks: all("industryPacks", models.flatMap(({ industryPacks }) => industryPacks)),
    hostedTools: ["web_search_preview", "file_search"],
  };
}
