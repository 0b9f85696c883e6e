import type { Refusal } from "../../api.ts";
import * as ui from "../../components/mod.ts";
import type { Outcome, Page, Shown, View } from "../../page.ts";
import type { Rotation } from "./answers.ts";
import { unreadForm } from "../../view.ts";
import { rotationMessages } from "./rotation_messages.ts";
import { RotationSteps } from "./rotation_steps.tsx";
import { secretShown } from "./secret_once.tsx";
import { keyMessages } from "./messages.ts";

/** Replacing a key in six steps (specification 5.6), one page for all of them. */
export const rotateKey: Page = { path: "/keys/:id/rotate", show: (view) => shown(view), change };

async function change(view: View, form: URLSearchParams): Promise<Outcome> {
  switch (form.get("do")) {
    case "copy":
      return await makeCopy(view, form);
    case "verify":
      return await verify(view, form);
    case "disable":
      return await switchOld(view, "disable");
    case "enable":
      return await switchOld(view, "enable");
    default:
      throw unreadForm(view);
  }
}

async function makeCopy(view: View, form: URLSearchParams): Promise<Outcome> {
  const id = view.param("id");
  const copy = await view.api.call("POST /keys/{id}/rotate", {
    id,
    body: { name: form.get("name") ?? "", opId: form.get("once") ?? "" },
  });
  const say = view.say(rotationMessages);
  if (copy.ok) {
    const title = view.say(keyMessages).copiedTitle;
    const next = { href: `/console${pathOf(id, { copy: copy.value.id })}`, text: say.goOn };
    return await secretShown(view, copy.value, { title, next });
  }
  if (copy.refusal.status === 409 && copy.refusal.param === "opId") {
    return { goTo: pathOf(id), done: say.madeAlready };
  }
  return await shown(view, { refusal: copy.refusal, fields: form });
}

async function verify(view: View, form: URLSearchParams): Promise<Outcome> {
  const say = view.say(rotationMessages);
  const copy = form.get("copy") ?? "";
  // A call is paid for: it is made with a copy of this key or not at all.
  const { rotation } = await rotationOf(view, { copy });
  if (rotation.copy?.id !== copy) {
    const refusal = { status: 422, code: "not_found", message: say.lostCopy(copy), param: null };
    return await shown(view, { refusal, fields: form });
  }
  const verification = await view.api.call("POST /keys/{id}/verify", {
    id: copy,
    body: { key: form.get("key") ?? "", requestId: form.get("request_id") ?? "" },
  });
  if (!verification.ok) return await shown(view, { refusal: verification.refusal, fields: form });
  const { requestId, model, charged } = verification.value;
  const goTo = pathOf(view.param("id"), { copy, request_id: requestId });
  return { goTo, done: say.verified(requestId, model, charged) };
}

async function switchOld(view: View, verb: "disable" | "enable"): Promise<Outcome> {
  const say = view.say(rotationMessages);
  const id = view.param("id");
  await view.load(`POST /keys/{id}/${verb}`, { id });
  const done = verb === "disable" ? say.isDisabled : say.isEnabled;
  return { goTo: pathOf(id, placeOf(view)), done };
}

/** A step that was refused, and the values that were entered for it. */
interface Problem {
  readonly refusal: Refusal;
  readonly fields: URLSearchParams;
}

async function shown(view: View, problem?: Problem): Promise<Shown> {
  const say = view.say(rotationMessages);
  const place = placeOf(view, problem?.fields);
  const { rotation, lost } = await rotationOf(view, place);
  const isLost = lost !== undefined && rotation.next !== "done" && problem === undefined;
  const title = say.title(rotation.old.name);
  return {
    title,
    status: problem === undefined ? 200 : 422,
    body: (
      <>
        <ui.PageHead title={title} intro={say.intro} />
        {problem !== undefined && <ui.Notice kind="problem">{problem.refusal.message}</ui.Notice>}
        {isLost && <ui.Notice kind="problem">{say.lostCopy(lost)}</ui.Notice>}
        <RotationSteps
          view={view}
          rotation={rotation}
          refusal={problem?.refusal}
          entered={problem?.fields}
          requestId={place.request_id}
        />
      </>
    ),
  };
}

/**
 * Returns the progress of the rotation with the copy that is asked for. Where another operator has
 * ended that copy meanwhile, returns it with any copy there is: `lost` then names the one that was
 * asked for.
 */
async function rotationOf(
  view: View,
  place: Place,
): Promise<{ readonly rotation: Rotation; readonly lost: string | undefined }> {
  const ask = (query: Place) =>
    view.api.call("GET /keys/{id}/rotation", { id: view.param("id"), query });
  const answer = await ask(place);
  const { copy } = place;
  if (answer.ok || copy === undefined) return { rotation: view.need(answer), lost: undefined };
  return { rotation: view.need(await ask({})), lost: copy };
}

/** Which copy and which call the page is about. */
interface Place {
  readonly copy?: string;
  readonly request_id?: string;
}

/** Which those are, where the address or the form says so. */
function placeOf({ query }: Pick<View, "query">, fields = new URLSearchParams()): Place {
  const copy = query.get("copy") ?? fields.get("copy");
  const call = query.get("request_id");
  return { ...copy === null ? {} : { copy }, ...call === null ? {} : { request_id: call } };
}

function pathOf(id: string, place: Place = {}): string {
  const query = new URLSearchParams({ ...place });
  return `/keys/${encodeURIComponent(id)}/rotate${query.size === 0 ? "" : `?${query}`}`;
}
