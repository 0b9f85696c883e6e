import type { Child } from "@hono/hono/jsx";
import { type AssetName, assetPath, type ScriptName } from "../assets.ts";
import { LANGUAGES } from "../messages/catalogue.ts";
import { sharedMessages } from "../messages/shared.ts";
import type { InView, Section, View } from "../page.ts";
import { THEMES } from "../theme.ts";
import type { Flash } from "../sessions.ts";
import { LinkNav } from "./link_nav.tsx";
import { Notice } from "./blocks.tsx";
import { withQuery } from "./table_order.ts";

const LANGUAGE_NAMES = { en: "English", zh: "中文" };

/** Properties of the frame of a page. */
export interface LayoutProps {
  readonly view: View;
  readonly title: string;
  /** Sections of the navigation; absent on pages outside of a session. */
  readonly sections?: readonly Section[] | undefined;
  readonly flash?: Flash | undefined;
  readonly scripts?: readonly ScriptName[] | undefined;
  /** True when language and colours can be chosen, which loads the page again. @default {true} */
  readonly hasSwitches?: boolean;
  readonly children: Child;
}

/** A whole page: head, navigation, content, and the switches at its foot. */
export function Layout(props: LayoutProps) {
  const { view, title, sections, flash, scripts = [], hasSwitches = true, children } = props;
  const say = view.say(sharedMessages);
  const styles: AssetName[] = scripts.length > 0 ? ["uplot.css", "console.css"] : ["console.css"];
  return (
    <html lang={view.language === "zh" ? "zh-CN" : "en"} data-theme={view.theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · ${say.product}`}</title>
        <link rel="icon" href="data:," />
        {styles.map((name) => <link key={name} rel="stylesheet" href={assetPath(name)} />)}
        {(["console.js", ...scripts] as const).map((name) => (
          <script key={name} type="module" src={assetPath(name)}></script>
        ))}
      </head>
      <body class={sections === undefined ? "outside" : "inside"}>
        <a class="skip" href="#content">{say.skip}</a>
        {sections !== undefined && <TopBar view={view} sections={sections} />}
        <main id="content" tabindex={-1}>
          {flash !== undefined && <Notice kind={flash.kind}>{flash.text}</Notice>}
          {children}
        </main>
        <Foot view={view} isSignedIn={sections !== undefined} hasSwitches={hasSwitches} />
      </body>
    </html>
  );
}

function TopBar({ view, sections }: InView<{ sections: readonly Section[] }>) {
  const say = view.say(sharedMessages);
  const path = view.url.pathname;
  return (
    <header class="top">
      <a class="brand" href="/console">
        <span class="brand-mark" aria-hidden="true"></span>
        {say.product}
      </a>
      <nav aria-label={say.navigation}>
        <ul>
          {sections.filter(({ pages }) => pages.length > 0).map((section) => {
            const href = `/console${section.path}`;
            const isHere = path === href || path.startsWith(`${href}/`);
            return (
              <li>
                <a href={href} aria-current={isHere ? "page" : undefined}>
                  {view.say(section.title)}
                </a>
              </li>
            );
          })}
        </ul>
      </nav>
      <form
        method="get"
        action="/console/requests"
        class="search"
        role="search"
        aria-label={say.searchRequests}
      >
        <input
          type="search"
          name="q"
          maxlength={200}
          placeholder={say.searchRequests}
          aria-label={say.searchRequests}
        />
      </form>
      <form method="post" action="/console/sign-out" class="sign-out">
        <button type="submit" class="button quiet">{say.signOut}</button>
      </form>
    </header>
  );
}

function Foot(
  { view, isSignedIn, hasSwitches }: { view: View; isSignedIn: boolean; hasSwitches: boolean },
) {
  const say = view.say(sharedMessages);
  return (
    <footer>
      {hasSwitches && <Switches view={view} />}
      {isSignedIn && (
        <form method="post" action="/console/sign-out-everywhere">
          <button type="submit" class="button quiet">{say.signOutEverywhere}</button>
        </form>
      )}
    </footer>
  );
}

function Switches({ view }: { view: View }) {
  const say = view.say(sharedMessages);
  const languages = LANGUAGES.map((lang) => ({
    ...{ lang, text: LANGUAGE_NAMES[lang], href: withQuery(view, { lang }) },
    isHere: lang === view.language,
  }));
  const themes = THEMES.map((theme) => ({
    ...{ text: say.themes[theme], href: withQuery(view, { theme }) },
    isHere: theme === view.theme,
  }));
  return (
    <>
      <LinkNav look="switch" label={say.language} links={languages} />
      <LinkNav look="switch" label={say.theme} links={themes} />
    </>
  );
}
