/**
 * The parts that pages are made of. A page imports them under one name:
 * `import * as ui from "../../components/mod.ts"`.
 *
 * @module
 */

export * from "./badge.tsx";
export * from "./column.ts";
export * from "./confirm.tsx";
export * from "./copy_text.tsx";
export * from "./credits.tsx";
export * from "./credits_order.ts";
export * from "./data_table.tsx";
export * from "./definition_list.tsx";
export * from "./empty_state.tsx";
export * from "./error_page.tsx";
export * from "./filter_form.tsx";
export * from "./form.tsx";
export * from "./form_page.tsx";
export * from "./layout.tsx";
export * from "./link_nav.tsx";
export * from "./list_page.tsx";
export * from "./measures.tsx";
export * from "./measures_text.ts";
export * from "./notice.tsx";
export * from "./own_range.tsx";
export * from "./page_head.tsx";
export * from "./pager.tsx";
export * from "./panel.tsx";
export * from "./refresh.tsx";
export * from "./relative_text.ts";
export * from "./sheet.tsx";
export * from "./short_id.tsx";
export * from "./shown_text.ts";
export * from "./sign_in_panel.tsx";
export * from "./table_frame.tsx";
export * from "./table_order.ts";
export * from "./time.tsx";
export * from "./time_range.ts";
