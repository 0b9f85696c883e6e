import type { Child } from "@hono/hono/jsx";

/** A message that is read out at once: a success, a problem, or a piece of information. */
export function Notice({ kind, children }: { kind: "done" | "problem" | "info"; children: Child }) {
  return (
    <div class={`notice notice-${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </div>
  );
}
