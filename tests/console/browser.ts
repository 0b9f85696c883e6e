/**
 * A real browser on the console: the machine's own Chromium, driven by `playwright-core`. Where there is
 * none, tests of the console say so and are ignored.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { ADMIN_TOKEN, TestService } from "../fixtures/service.ts";

export type { Page } from "playwright-core";

const USUAL_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Longest wait for anything of a page, in milliseconds: only a hang takes so long. */
const PATIENCE_MS = 60_000;

/**
 * Switches that spare work which no test sees: the pop-ups of the address bar, the spare process for
 * a next site and the emulated graphics card. `--disable-features` replaces the driver's list, so
 * the entries of that list which matter here are repeated: no delay before the first paint, no
 * change of `http:` addresses, no call to a provider.
 */
const SWITCHES = [
  "--disable-gpu",
  `--disable-features=${
    [
      ...["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"],
      ...["SpareRendererForSitePerProcess", "PaintHolding", "DestroyProfileOnBrowserClose"],
      ...["AvoidUnnecessaryBeforeUnloadCheckSync", "ThirdPartyStoragePartitioning"],
      ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "MediaRouter", "LensOverlay"],
      ...["OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
    ].join(",")
  }`,
];

/** The browser of this machine, named by `CHROMIUM_PATH` or at a usual place. */
export function chromiumPath(): string | undefined {
  const named = Deno.env.get("CHROMIUM_PATH");
  return [...(named ? [named] : []), ...USUAL_PATHS].find(isFile);
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A phone and a desk, in pixels. */
export const SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
} as const;

/** The look of the console in a browser. */
export interface Look {
  /** @default {"wide"} */
  readonly size?: keyof typeof SIZES;
  /** @default {"light"} */
  readonly colours?: "light" | "dark";
  /** @default {"en"} */
  readonly language?: "en" | "zh";
  /** @default {true} */
  readonly scripts?: boolean;
}

/** A service, and pages of a browser on its console. Both end with it; the browser does not. */
export class ConsoleVisit implements AsyncDisposable {
  readonly service: TestService;
  /** Faults of pages: errors, breaches of the policy, requests to other hosts. */
  readonly complaints: string[] = [];
  readonly #browser: Browser;

  private constructor(service: TestService, browser: Browser) {
    this.service = service;
    this.#browser = browser;
  }

  /** Starts a service on a store in memory, with the simulator. */
  static async start(browser: Browser): Promise<ConsoleVisit> {
    return new ConsoleVisit(await TestService.start({}), browser);
  }

  /** The console's address, or that of a path below it. */
  url(path = ""): string {
    return `${this.service.running.adminUrl}/console${path}`;
  }

  /** A page of somebody who has not signed in. */
  async stranger(look: Look = {}): Promise<Page> {
    const { size = "wide", colours = "light", language = "en", scripts = true } = look;
    const options: BrowserContextOptions = {
      viewport: SIZES[size],
      colorScheme: colours,
      locale: language === "zh" ? "zh-CN" : "en-GB",
      timezoneId: "UTC",
      javaScriptEnabled: scripts,
      reducedMotion: "reduce",
    };
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    this.#watch(page);
    return page;
  }

  /** A page of somebody who has signed in, on the console's first page or at `path`. */
  async signedIn(path = "", look: Look = {}): Promise<Page> {
    const page = await this.stranger(look);
    await page.goto(this.url(path));
    await signIn(page);
    return page;
  }

  /** Fails where any page did what it may not do. */
  assertNoComplaint(): void {
    assertEquals(this.complaints, []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each context has cookies and settings of its own; nothing is left for the next visit.
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
    await this.service[Symbol.asyncDispose]();
  }

  #watch(page: Page): void {
    const { adminUrl, publicUrl } = this.service.running;
    const own = [adminUrl, publicUrl].map((url) => new URL(url).host);
    page.on("console", (message) => {
      if (!["error", "warning"].includes(message.type())) return;
      // The answer to a form that was refused is shown; the browser notes its status besides.
      if (/the server responded with a status of 4\d\d/.test(message.text())) return;
      this.complaints.push(`${message.type()}: ${message.text()} at ${page.url()}`);
    });
    page.on("pageerror", (error) => this.complaints.push(`uncaught: ${error.message}`));
    page.on("request", (request) => {
      const { protocol, host } = new URL(request.url());
      if (protocol !== "data:" && !own.includes(host)) {
        this.complaints.push(`request: ${request.url()}`);
      }
    });
  }
}

/** Fills in the sign-in page that is shown. */
export async function signIn(page: Page, token: string = ADMIN_TOKEN): Promise<void> {
  await page.locator("input[name=token]").fill(token);
  await follow(page, page.locator("main button[type=submit]"));
}

/** Clicks what leads to a page, and waits until that one is there. */
export async function follow(page: Page, target: Locator): Promise<void> {
  await Promise.all([page.waitForEvent("load"), target.click()]);
}

/** Starts the browser of this machine, without a page. */
export async function launch(): Promise<Browser> {
  // Else the package looks at files of the machine that tests may not read, as it is loaded.
  Deno.env.set("__IS_WSL_TEST__", "1");
  const { chromium } = await import("playwright-core");
  const path = chromiumPath();
  if (path === undefined) throw new Error("There is no Chromium; name one by CHROMIUM_PATH");
  return await chromium.launch({
    executablePath: path,
    // Its sandbox does not start for root, nor in most containers.
    args: [...SWITCHES, ...Deno.uid() === 0 ? ["--no-sandbox"] : []],
  });
}

let isPrepared = false;
let browser: Browser | undefined;

/** Starts one browser for all tests of a file: its start takes longer than most of them. */
function prepare(ignore: boolean): void {
  if (isPrepared) return;
  isPrepared = true;
  if (ignore) {
    console.warn(
      "No Chromium here: the console is NOT tested in a browser; name one by CHROMIUM_PATH",
    );
    return;
  }
  Deno.test.beforeAll(async () => {
    browser = await launch();
  });
  Deno.test.afterAll(async () => {
    await browser?.close();
  });
}

/** A test in the browser; ignored where the machine has none, which each file prints once. */
export function browserTest(name: string, run: (visit: ConsoleVisit) => Promise<void>): void {
  const ignore = chromiumPath() === undefined;
  prepare(ignore);
  Deno.test({
    name,
    ignore,
    async fn() {
      if (browser === undefined) throw new Error("The browser has not been started");
      await using visit = await ConsoleVisit.start(browser);
      await run(visit);
      visit.assertNoComplaint();
    },
  });
}
