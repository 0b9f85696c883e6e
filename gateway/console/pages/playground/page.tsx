import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import { type WalletChoices, walletChoices } from "../wallets/wallet_choices.ts";
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

/** The content of the page beside the form. */
interface Stage {
  readonly fields: URLSearchParams;
  readonly answer?: Answer;
  readonly problem?: Problem;
  readonly code?: Snippets;
}

/**
 * Shows the whole answer at once, for browsers without scripts. Also shows the call as code, without
 * making it.
 */
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
  const choices = await walletChoices(view);
  const kind = kindOf(stage.fields);
  return {
    title: say.title,
    scripts: ["playground.js"],
    body: (
      <>
        <ui.PageHead title={say.title} intro={say.intro} />
        {choices.wallets.length === 0
          ? (
            <ui.EmptyState title={say.noWallet} hint={say.noWalletHint}>
              <a class="button" href="/console/wallets">{say.wallets}</a>
            </ui.EmptyState>
          )
          : (
            <>
              <KindTabs view={view} kind={kind} />
              <div class="playground">
                <CallForm view={view} stage={stage} kind={kind} choices={choices} />
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
  const links = KINDS.map((each) => ({
    ...{ text: say.kinds[each], href: `/console/playground?kind=${each}`, isHere: each === kind },
  }));
  return <ui.LinkNav look="tabs" label={say.kindTabs} links={links} />;
}

function CallForm(
  { view, stage, kind, choices }: InView<{ stage: Stage; kind: Kind; choices: WalletChoices }>,
) {
  const say = view.say(playgroundMessages);
  const input = inputsOf(view, stage);
  return (
    <section class="panel">
      <form
        method="post"
        action={`/console/playground?kind=${kind}`}
        class="change"
        data-playground="/console/feeds/playground"
      >
        {input("prompt", kind === "images" ? say.imagePrompt : say.prompt, { rows: 5 })}
        {kind !== "images" && input("system", say.system, { hint: say.systemHint, rows: 2 })}
        <Choices view={view} stage={stage} kind={kind} choices={choices} />
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
  { view, stage, kind, choices }: InView<{ stage: Stage; kind: Kind; choices: WalletChoices }>,
) {
  const say = view.say(playgroundMessages);
  const { fields } = stage;
  const input = inputsOf(view, stage);
  const options = choices.wallets.map(({ id, available }) =>
    [id, say.walletChoice(id, ui.groupedCredits(available.replace(/\..*/, "")))] as const
  );
  const fallback = choices.wallets.find(({ id }) => id === "default")?.id;
  return (
    <div class="field-row">
      {input("wallet", say.wallet, {
        ...choices.isWhole ? { options } : {},
        value: fields.get("wallet") ?? fallback,
      })}
      {kind === "images"
        ? input("size", say.size, {
          options: SIZES.map((size) => [size, size.replace("x", " × ")]),
        })
        : (
          <>
            {input("orchestration", say.orchestration, { options: say.orchestrations })}
            {input("maxTokens", say.maxTokens, { hint: say.maxTokensHint, inputmode: "numeric" })}
          </>
        )}
    </div>
  );
}

/** Makes the fields of the form; a problem is the one field's that it is about. */
function inputsOf(view: View, { fields, problem }: Stage) {
  const of = { emptyPrompt: "prompt", badTokens: "maxTokens" };
  const errorOf = (name: string) =>
    problem !== undefined && of[problem] === name
      ? view.say(playgroundMessages)[problem]
      : undefined;
  return ui.inputs({ fields, errorOf });
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
