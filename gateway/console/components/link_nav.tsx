/** A link of a {@linkcode LinkNav}. */
export interface NavLink {
  readonly text: string;
  readonly href: string;
  readonly isHere: boolean;
  readonly lang?: string;
}

/** Links side by side, one of which is chosen: a switch, or the tabs of a page. */
export function LinkNav(
  { look, label, links }: { look: "switch" | "tabs"; label: string; links: readonly NavLink[] },
) {
  const current = look === "tabs" ? "page" : "true";
  return (
    <nav class={look} aria-label={label}>
      {links.map(({ text, href, isHere, lang }) => (
        <a key={href} href={href} lang={lang} aria-current={isHere ? current : undefined}>{text}</a>
      ))}
    </nav>
  );
}
