import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import type { Wallet } from "../wallets/answers.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { AnswerPanel } from "./answer_panel.tsx";
import { callOf, type Kind, kindOf, KINDS, type Problem, SIZES } from "./call.ts";
import { playgroundMessages } from "./messages.ts";
import { callGateway } from "./send.ts";
import { KEY_PLACEHOLDER, type Snippets, snippets } from "./snippets.ts";

/** A call, its answer, its route and its bill. */
export const playgroundPage: Page = {
  path: "/playground",
  show: (view) => shown(view, { fields: view.query }),
  change,
};

/** What there is to show beside the form. */
interface Stage {
  readonly fields: URLSearchParams;
  readonly answer?: Answer;
  readonly problem?: Problem;
  readonly code?: Snippets;
}

/** Without the script: the whole answer at once. Also shows the call as code, which calls nobody. */
async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const call = callOf(form, { stream: false });
  if ("problem" in call) {
    return { ...await shown(view, { fields: form, problem: call.problem }), status: 422 };
  }
  if (form.get("do") === "code") {
    const { publicUrl } = await view.load("GET /service");
    const code = snippets(call, publicUrl ?? "http://127.0.0.1:8787");
    return await shown(view, { fields: form, code });
  }
  const response = await callGateway(view, call);
  const body: unknown = await response.json();
  return await shown(view, { fields: form, answer: readAnswer(body, view.requestId) });
}

async function shown(view: View, stage: Stage): Promise<Shown> {
  const say = view.say(playgroundMessages);
  const { wallets } = await view.load("GET /wallets");
  const kind = kindOf(stage.fields);
  return {
    title: say.title,
    scripts: ["playground.js"],
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro} />
        {wallets.length === 0
          ? (
            <ui.EmptyState title={say.noWallet} hint={say.noWalletHint}>
              <a class="button" href="/console/wallets">{say.wallets}</a>
            </ui.EmptyState>
          )
          : (
            <>
              <KindTabs view={view} kind={kind} />
              <div class="playground">
                <CallForm view={view} stage={stage} kind={kind} wallets={wallets} />
                <AnswerPanel view={view} answer={stage.answer} />
              </div>
              {stage.code !== undefined && <CodePanel view={view} code={stage.code} />}
            </>
          )}
      </>
    ),
  };
}

function KindTabs({ view, kind }: InView<{ kind: Kind }>) {
  const say = view.say(playgroundMessages);
  return (
    <nav class="tabs" aria-label={say.kindTabs}>
      {KINDS.map((each) => (
        <a
          href={`/console/playground?kind=${each}`}
          aria-current={each === kind ? "page" : undefined}
        >
          {say.kinds[each]}
        </a>
      ))}
    </nav>
  );
}

function CallForm(
  { view, stage, kind, wallets }: InView<{ stage: Stage; kind: Kind; wallets: readonly Wallet[] }>,
) {
  const say = view.say(playgroundMessages);
  const { fields, problem } = stage;
  return (
    <section class="panel">
      <form
        method="post"
        action={`/console/playground?kind=${kind}`}
        class="change"
        data-playground="/console/feeds/playground"
      >
        <ui.TextArea
          name="prompt"
          label={kind === "images" ? say.imagePrompt : say.prompt}
          rows={5}
          value={fields.get("prompt") ?? ""}
          error={problem === "emptyPrompt" ? say.emptyPrompt : undefined}
        />
        {kind !== "images" && (
          <ui.TextArea
            name="system"
            label={say.system}
            hint={say.systemHint}
            rows={2}
            value={fields.get("system") ?? ""}
          />
        )}
        <Choices view={view} stage={stage} kind={kind} wallets={wallets} />
        <div class="actions form-end">
          <button type="submit" class="button primary" name="do" value="send">{say.send}</button>
          <button type="submit" class="button" name="do" value="code">{say.code}</button>
        </div>
        <input type="hidden" name="kind" value={kind} />
      </form>
    </section>
  );
}

function Choices(
  { view, stage, kind, wallets }: InView<{ stage: Stage; kind: Kind; wallets: readonly Wallet[] }>,
) {
  const say = view.say(playgroundMessages);
  const { fields, problem } = stage;
  const choices = wallets.map(({ id, available }) => ({
    value: id,
    text: say.walletChoice(id, ui.groupedCredits(available.replace(/\..*/, ""))),
  }));
  const fallback = wallets.find(({ id }) => id === "default")?.id;
  const orchestrations = Object.entries(say.orchestrations);
  return (
    <div class="field-row">
      <ui.SelectField
        name="wallet"
        label={say.wallet}
        value={fields.get("wallet") ?? fallback}
        options={choices}
      />
      {kind === "images"
        ? (
          <ui.SelectField
            name="size"
            label={say.size}
            value={fields.get("size") ?? undefined}
            options={SIZES.map((size) => ({ value: size, text: size.replace("x", " × ") }))}
          />
        )
        : (
          <>
            <ui.SelectField
              name="orchestration"
              label={say.orchestration}
              value={fields.get("orchestration") ?? ""}
              options={orchestrations.map(([value, text]) => ({ value, text }))}
            />
            <ui.TextField
              name="maxTokens"
              label={say.maxTokens}
              hint={say.maxTokensHint}
              inputmode="numeric"
              value={fields.get("maxTokens") ?? ""}
              error={problem === "badTokens" ? say.badTokens : undefined}
            />
          </>
        )}
    </div>
  );
}

function CodePanel({ view, code }: InView<{ code: Snippets }>) {
  const say = view.say(playgroundMessages);
  return (
    <ui.Panel title={say.codeTitle}>
      <p class="hint">{say.codeHint(KEY_PLACEHOLDER)}</p>
      <div class="snippets">
        {(["curl", "sdk", "openai", "python"] as const).map((name) => (
          <div>
            <h3>{say.snippets[name]}</h3>
            <ui.CopyText view={view} label={say.snippets[name]} text={code[name]} />
          </div>
        ))}
      </div>
    </ui.Panel>
  );
}
