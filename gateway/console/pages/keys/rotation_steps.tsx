import type { Child } from "@hono/hono/jsx";
import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { View } from "../../page.ts";
import type { Rotation } from "./answers.ts";
import { stateOf } from "../../../domain/policy/key.ts";
import { KeyBadge } from "./key_state.tsx";
import { LogTable } from "./log_table.tsx";
import { rotationMessages } from "./rotation_messages.ts";

/** Properties that the steps are shown with. */
interface StepsProps {
  readonly view: View;
  readonly rotation: Rotation;
  readonly refusal: Refusal | undefined;
  /** The values that were entered, where they were refused. */
  readonly entered: URLSearchParams | undefined;
  /** The call that is looked for, where the address names one. */
  readonly requestId: string | undefined;
}

/** The six steps, each with what it needs once its turn has come. */
export function RotationSteps(props: StepsProps) {
  const { view, rotation } = props;
  const say = view.say(rotationMessages);
  const { steps, next, copy } = rotation;
  if (next === "done") {
    return (
      <ui.Notice kind={copy === null ? "info" : "done"}>
        {copy === null ? say.revoked : say.complete} {copy === null ? null : keyLink(copy)}
      </ui.Notice>
    );
  }
  const place = steps.findIndex((step) => step === next);
  return (
    <section class="panel">
      <ol class="steps">
        {steps.map((step, index) => {
          // Storing, calling and finding show as one that they are done.
          const isTogether = next === "store" && (step === "verify" || step === "confirm");
          const state = index < place ? "done" : index === place || isTogether ? "now" : "later";
          const isCurrent = index === place;
          return (
            <li class={`step step-${state}`} aria-current={isCurrent ? "step" : undefined}>
              <span class="step-number" aria-hidden="true">
                {state === "done" ? "✓" : String(index + 1)}
              </span>
              <h2>
                {say.steps[step]}
                <span class="unseen">{` (${say[state]})`}</span>
              </h2>
              {contentOf(step, state, props)}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

type StepState = "done" | "now" | "later";

function contentOf(step: Rotation["steps"][number], state: StepState, props: StepsProps): Child {
  const say = props.view.say(rotationMessages);
  if (step === "copy") return <CopyStep {...props} state={state} />;
  if (step === "confirm") return <ConfirmStep {...props} state={state} />;
  if (state !== "now") return null;
  if (step === "store") return <p>{say.storeHint}</p>;
  if (step === "verify") return <VerifyStep {...props} />;
  return step === "disable" ? <DisableStep {...props} /> : <RevokeStep {...props} />;
}

function CopyStep({ view, rotation, refusal, entered, state }: StepsProps & { state: StepState }) {
  const say = view.say(rotationMessages);
  const { old, copy, otherCopies } = rotation;
  if (state === "done" && copy !== null) {
    return (
      <>
        <p>
          {say.copied} {keyLink(copy)} <KeyBadge view={view} of={copy} />
        </p>
        {otherCopies.length > 0 && (
          <ui.Notice kind="info">
            {say.others}
            <ul class="plain reach-items">
              {otherCopies.map((id) => <li key={id}>{keyLink({ id, name: id })}</li>)}
            </ul>
          </ui.Notice>
        )}
      </>
    );
  }
  if (stateOf(old, view.nowMs) !== "active") {
    return (
      <>
        <p>{say.cannotCopy}</p>
        {old.status === "disabled" && <EnableForm view={view} />}
      </>
    );
  }
  const fields = new URLSearchParams({ name: entered?.get("name") ?? old.name });
  const input = ui.inputs(ui.formState(fields, refusal));
  return (
    <>
      <p>{say.copyHint}</p>
      <ui.ChangeForm>
        <input type="hidden" name="once" value={crypto.randomUUID()} />
        {input("name", say.name, { maxLength: 100, isRequired: true })}
        <button type="submit" name="do" value="copy" class="button primary">
          {say.copySubmit}
        </button>
      </ui.ChangeForm>
    </>
  );
}

function VerifyStep({ view, rotation, refusal }: StepsProps) {
  const say = view.say(rotationMessages);
  const { copy } = rotation;
  if (copy === null) return null;
  const requestId = `verify_${crypto.randomUUID()}`;
  return (
    <>
      <p>{say.verifyHint}</p>
      <ui.ChangeForm>
        <ui.HiddenFields values={{ copy: copy.id, request_id: requestId }} />
        {ui.inputs(ui.formState(new URLSearchParams(), refusal))("key", say.key, {
          ...{ type: "password", maxLength: 256, isRequired: true },
          hint: say.keyHint(copy.hint.replace(/…$/, "")),
        })}
        <p class="hint">
          {say.requestId}: <code>{requestId}</code>
        </p>
        <button type="submit" name="do" value="verify" class="button primary">
          {say.verifySubmit}
        </button>
      </ui.ChangeForm>
    </>
  );
}

function ConfirmStep({ view, rotation, requestId, state }: StepsProps & { state: StepState }) {
  const say = view.say(rotationMessages);
  const { verified } = rotation;
  if (verified !== null) {
    return (
      <>
        <p>{say.confirmed}</p>
        <LogTable view={view} caption={say.steps.confirm} rows={[verified]} empty={null} />
      </>
    );
  }
  if (state === "later") return null;
  return (
    <>
      <p class="hint">{requestId === undefined ? say.confirmHint : say.notYet}</p>
      <a class="button" href={ui.withQuery(view, {})}>{say.reload}</a>
    </>
  );
}

function DisableStep({ view, rotation: { uses } }: StepsProps) {
  const say = view.say(rotationMessages);
  const { inUse, requests, more, lastUsedAt, since } = uses;
  const count = `${requests}${more ? "+" : ""}`;
  return (
    <>
      <p>{say.disableHint}</p>
      <ui.Notice kind={inUse ? "problem" : "info"}>
        {!inUse
          ? say.unused(shortTime(since))
          : requests === 0
          ? say.justUsed(shortTime(lastUsedAt))
          : say.inUse(count, shortTime(lastUsedAt))}
      </ui.Notice>
      <form method="post">
        <button
          type="submit"
          name="do"
          value="disable"
          class={inUse ? "button danger" : "button primary"}
        >
          {inUse ? say.disableAnyway : say.disableSubmit}
        </button>
      </form>
    </>
  );
}

function RevokeStep({ view, rotation: { old, copy } }: StepsProps) {
  const say = view.say(rotationMessages);
  const query = new URLSearchParams({ rotation: copy?.id ?? "" });
  return (
    <>
      <p>
        {say.revokeHint} <ui.Badge kind="warn">{old.hint}</ui.Badge>
      </p>
      <div class="actions">
        <a
          class="button danger"
          href={`/console/keys/${encodeURIComponent(old.id)}/revoke?${query}`}
        >
          {say.revoke}
        </a>
        <EnableForm view={view} />
      </div>
    </>
  );
}

function EnableForm({ view }: { view: View }) {
  return (
    <form method="post">
      <button type="submit" name="do" value="enable" class="button">
        {view.say(rotationMessages).enable}
      </button>
    </form>
  );
}

function keyLink({ id, name }: { id: string; name: string }) {
  return <a href={`/console/keys/${encodeURIComponent(id)}`}>{name}</a>;
}

function shortTime(at: string | null): string {
  return at === null ? "–" : `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
