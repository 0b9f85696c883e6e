import type { Child } from "@hono/hono/jsx";
import { type AssetName, assetPath, type ScriptName } from "../assets.ts";
import { LANGUAGES } from "../messages/catalogue.ts";
import { sharedMessages } from "../messages/shared.ts";
import type { InReading, Reading } from "../page.ts";
import { THEMES } from "../theme.ts";
import type { Flash } from "../../ports/console_session_store.ts";
import { LinkNav, type NavLink } from "./link_nav.tsx";
import { Notice } from "./blocks.tsx";
import { withQuery } from "./table_order.ts";

const LANGUAGE_NAMES = { en: "English", zh: "中文" };

/** The bar at the top of the pages of a session. */
export interface Bar {
  /** Links to the sections. */
  readonly links: readonly NavLink[];
  /** Address of the list of requests, which the bar can search by id. */
  readonly requests: string;
  /** Name of the reader. @default {not shown} */
  readonly who?: string | undefined;
  /** True where all sessions of the reader can be ended. */
  readonly endsAll: boolean;
}

/** Properties of the frame of a page. */
export interface LayoutProps {
  readonly view: Reading;
  readonly title: string;
  /** Absent on pages outside of a session. */
  readonly bar?: Bar | undefined;
  readonly flash?: Flash | undefined;
  readonly scripts?: readonly ScriptName[] | undefined;
  /** True when language and colours can be chosen, which loads the page again. @default {true} */
  readonly hasSwitches?: boolean;
  readonly children: Child;
}

/** A whole page: head, navigation, content, and the switches at its foot. */
export function Layout(props: LayoutProps) {
  const { view, title, bar, flash, scripts = [], hasSwitches = true, children } = props;
  const say = view.say(sharedMessages);
  const styles: AssetName[] = scripts.length > 0 ? ["uplot.css", "console.css"] : ["console.css"];
  return (
    <html lang={view.language === "zh" ? "zh-CN" : "en"} data-theme={view.theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · ${productOf(view)}`}</title>
        <link rel="icon" href="data:," />
        {styles.map((name) => <link key={name} rel="stylesheet" href={assetPath(name, view)} />)}
        {(["console.js", ...scripts] as const).map((name) => (
          <script key={name} type="module" src={assetPath(name, view)}></script>
        ))}
      </head>
      <body class={bar === undefined ? "outside" : "inside"}>
        <a class="skip" href="#content">{say.skip}</a>
        {bar !== undefined && <TopBar view={view} bar={bar} />}
        <main id="content" tabindex={-1}>
          {flash !== undefined && <Notice kind={flash.kind}>{flash.text}</Notice>}
          {children}
        </main>
        <Foot view={view} endsAll={bar?.endsAll === true} hasSwitches={hasSwitches} />
      </body>
    </html>
  );
}

/** Returns the name of the pages in the reader's language. */
export function productOf({ base, say }: Reading): string {
  const { product, ownProduct } = say(sharedMessages);
  return base === "/me" ? ownProduct : product;
}

function TopBar({ view, bar: { links, requests, who } }: InReading<{ bar: Bar }>) {
  const say = view.say(sharedMessages);
  return (
    <header class="top">
      <a class="brand" href={view.base}>
        <span class="brand-mark" aria-hidden="true"></span>
        {productOf(view)}
      </a>
      <nav aria-label={say.navigation}>
        <ul>
          {links.map(({ href, isHere, text }) => (
            <li>
              <a href={href} aria-current={isHere ? "page" : undefined}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
      <form
        method="get"
        action={requests}
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
      <form method="post" action={`${view.base}/sign-out`} class="sign-out">
        {who !== undefined && <span class="who">{who}</span>}{" "}
        <button type="submit" class="button quiet">{say.signOut}</button>
      </form>
    </header>
  );
}

function Foot(
  { view, endsAll, hasSwitches }: InReading<{ endsAll: boolean; hasSwitches: boolean }>,
) {
  const say = view.say(sharedMessages);
  return (
    <footer>
      {hasSwitches && <Switches view={view} />}
      {endsAll && (
        <form method="post" action={`${view.base}/sign-out-everywhere`}>
          <button type="submit" class="button quiet">{say.signOutEverywhere}</button>
        </form>
      )}
    </footer>
  );
}

function Switches({ view }: { view: Reading }) {
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
