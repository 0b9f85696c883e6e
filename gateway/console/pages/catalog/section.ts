import { catalogue } from "../../messages/catalogue.ts";
import type { Section } from "../../page.ts";
import { catalogCheck } from "./check.tsx";
import { catalogHistory } from "./history.tsx";
import { catalogApply, catalogJson } from "./json.tsx";
import { modelPage } from "./model.tsx";
import { modelEdit, modelNew } from "./model_edit.tsx";
import { modelList } from "./models.tsx";
import { rollback } from "./rollback.tsx";
import { tierEdit, tierNew } from "./tier_edit.tsx";
import { tierList } from "./tiers.tsx";
import { versionPage } from "./version.tsx";

/** Models, prices and tiers. */
export const catalog: Section = {
  title: catalogue(["Catalog", "目录"]),
  path: "/catalog",
  pages: [
    modelList,
    modelPage,
    modelEdit,
    modelNew,
    tierList,
    tierEdit,
    tierNew,
    catalogJson,
    catalogApply,
    catalogCheck,
    catalogHistory,
    versionPage,
    rollback,
  ],
};
