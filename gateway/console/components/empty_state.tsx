import type { Child } from "@hono/hono/jsx";

/** Says that there is nothing, and what to do about it; `children` are actions. */
export function EmptyState(
  { title, hint, children }: { title: string; hint: string; children?: Child },
) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{hint}</p>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}
