import type { AnswerOf } from "../../../admin_api/operations.ts";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { InView, Outcome, Page, Shown, View } from "../../page.ts";
import { unreadForm } from "../../view.ts";
import { roleFields, roleIn } from "./create.tsx";
import { operatorMessages } from "./messages.ts";

type Operator = AnswerOf<"GET /operators/{id}">;

/** One operator: role, tokens, state and sessions. */
export const operatorPage: Page = {
  path: "/operators/:id",
  show: async (view) => shown(view, await operatorOf(view)),
  change,
};

function operatorOf(view: View): Promise<Operator> {
  return view.load("GET /operators/{id}", { id: view.param("id") });
}

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  const id = view.param("id");
  const say = view.say(operatorMessages);
  const goTo = `/operators/${encodeURIComponent(id)}`;
  const todo = form.get("do");
  if (todo === "token") return await createToken(view, form);
  const [call, done] = todo === "role"
    ? [view.api.call("POST /operators/{id}/role", { id, body: roleIn(form) }), say.roleSet]
    : todo === "disable"
    ? [view.api.call("POST /operators/{id}/disable", { id }), say.changed]
    : todo === "enable"
    ? [view.api.call("POST /operators/{id}/enable", { id }), say.changed]
    : todo === "end"
    ? [view.api.call("DELETE /operators/{id}/sessions", { id }), say.changed]
    : todo === "revoke"
    ? [revoke(view, id, form.get("token") ?? ""), say.revoked]
    : [undefined, ""];
  if (call === undefined) throw unreadForm(view);
  const changed = await call;
  return changed.ok ? { goTo, done } : shown(view, await operatorOf(view), changed.refusal);
}

function revoke(view: View, id: string, tokenId: string) {
  return view.api.call("DELETE /operators/{id}/tokens/{tokenId}", { id, tokenId });
}

async function createToken(view: View, form: URLSearchParams): Promise<Outcome> {
  const id = view.param("id");
  const say = view.say(operatorMessages);
  const body = { name: form.get("name")?.trim() ?? "", days: Number(form.get("days")) };
  const made = await view.api.call("POST /operators/{id}/tokens", { id, body });
  if (!made.ok) return shown(view, await operatorOf(view), made.refusal);
  return {
    title: say.token,
    body: (
      <>
        <ui.PageHead title={say.token}>
          <a class="button primary" href={`/console/operators/${encodeURIComponent(id)}`}>
            {say.back}
          </a>
        </ui.PageHead>
        <div class="panel">
          <ui.Notice kind="info">{say.tokenOnce}</ui.Notice>
          <ui.CopyText view={view} label={say.token} text={made.value.token} />
        </div>
      </>
    ),
  };
}

function shown(view: View, operator: Operator, refusal?: Refusal): Shown {
  const say = view.say(operatorMessages);
  const fields = new URLSearchParams({ role: operator.role });
  for (const grant of operator.grants) fields.set(grant, "on");
  return {
    title: operator.name,
    status: refusal?.status ?? 200,
    body: (
      <>
        <ui.PageHead title={operator.name} intro={say.states[operator.state]} />
        {refusal !== undefined && <ui.Notice kind="problem">{refusal.message}</ui.Notice>}
        <ui.Panel title={say.role}>
          <ui.ChangeForm>
            <ui.HiddenFields values={{ do: "role" }} />
            {roleFields(view, fields)}
            <button type="submit" class="button primary">{say.setRole}</button>
          </ui.ChangeForm>
        </ui.Panel>
        <TokenPanel view={view} operator={operator} />
        <ui.Panel title={say.state}>
          <StateButtons view={view} operator={operator} />
        </ui.Panel>
      </>
    ),
  };
}

function StateButtons({ view, operator }: InView<{ operator: Operator }>) {
  const say = view.say(operatorMessages);
  const isActive = operator.state === "active";
  const todo = [isActive ? "disable" : "enable", "end"] as const;
  const names = { disable: say.disable, enable: say.enable, end: say.endSessions };
  return (
    <>
      {todo.map((name) => (
        <form method="post">
          <ui.HiddenFields values={{ do: name }} />
          <button type="submit" class="button">{names[name]}</button>
        </form>
      ))}
    </>
  );
}

function TokenPanel({ view, operator }: InView<{ operator: Operator }>) {
  const say = view.say(operatorMessages);
  const { tokens } = operator;
  const input = ui.inputs(ui.formState(new URLSearchParams(), undefined));
  const revoke = ({ id, name }: Operator["tokens"][number]) => (
    <form method="post">
      <ui.HiddenFields values={{ do: "revoke", token: id }} />
      <button type="submit" class="button" aria-label={`${say.revoke}: ${name}`}>
        {say.revoke}
      </button>
    </form>
  );
  return (
    <ui.Panel title={say.tokens}>
      {tokens.length === 0
        ? <p class="hint">{say.noTokens}</p>
        : (
          <ui.Sheet<Operator["tokens"][number]>
            caption={say.tokens}
            rows={tokens}
            columns={[
              ui.column(say.tokenName, ({ name }) => name, { isHeader: true }),
              ui.column(say.expires, ({ expiresAt, isInForce }) =>
                isInForce
                  ? <ui.Time at={expiresAt} />
                  : <ui.Badge kind="warn">{say.isExpired}</ui.Badge>),
              ui.endColumn(say.revoke, revoke),
            ]}
          />
        )}
      <ui.ChangeForm>
        <ui.HiddenFields values={{ do: "token" }} />
        {input("name", say.tokenName, { maxLength: 100, isRequired: true })}
        {input("days", say.days, { type: "number", value: "90", isRequired: true })}
        <button type="submit" class="button">{say.createToken}</button>
      </ui.ChangeForm>
    </ui.Panel>
  );
}
