import type { Child } from "@hono/hono/jsx";

/** Something to know, read out at once: done, a problem, or worth a look. */
export function Notice({ kind, children }: { kind: "done" | "problem" | "info"; children: Child }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </div>
  );
}
