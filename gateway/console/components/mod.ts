/**
 * The parts that pages are made of. A page imports them under one name:
 * `import * as ui from "../../components/mod.ts"`.
 *
 * @module
 */

export * from "./blocks.tsx";
export * from "./column.ts";
export * from "./copy_text.tsx";
export * from "./credits.tsx";
export * from "./credits_order.ts";
export * from "./data_table.tsx";
export * from "./error_page.tsx";
export * from "./filter_form.tsx";
export * from "./form.tsx";
export * from "./form_page.tsx";
export * from "./layout.tsx";
export * from "./link_nav.tsx";
export * from "./list_page.tsx";
export * from "./measures.tsx";
export * from "./measures_text.ts";
export * from "./own_range.tsx";
export * from "./refresh.tsx";
export * from "./relative_text.ts";
export * from "./short_id.tsx";
export * from "./shown_text.ts";
export * from "./sign_in_panel.tsx";
export * from "./table_frame.tsx";
export * from "./table_order.ts";
export * from "./time.tsx";
export * from "./time_range.ts";
