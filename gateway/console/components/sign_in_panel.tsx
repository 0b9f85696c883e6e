import { sharedMessages } from "../messages/shared.ts";
import { signInMessages } from "../messages/sign_in.ts";
import type { InReading } from "../page.ts";
import { ChangeForm, Field } from "./form.tsx";

/** Properties of the panel. */
interface SignInPanelProps {
  readonly problem: string | undefined;
  /** Address of the sign-in at the identity provider; absent without one. */
  readonly signOn: string | undefined;
}

/** The form that takes an admin token. What was entered is never sent back. */
export function SignInPanel({ view, problem, signOn }: InReading<SignInPanelProps>) {
  const say = view.say(signInMessages);
  return (
    <section class="panel sign-in">
      <p class="brand">
        <span class="brand-mark" aria-hidden="true"></span>
        {view.say(sharedMessages).product}
      </p>
      <h1>{say.title}</h1>
      <p class="intro">{say.intro}</p>
      <ChangeForm>
        <Field
          name="token"
          type="password"
          label={say.token}
          hint={say.tokenHint}
          error={problem}
          autocomplete="current-password"
          maxLength={256}
          isRequired
        />
        <button type="submit" class="button primary wide">{say.submit}</button>
      </ChangeForm>
      {signOn !== undefined && <a class="button wide" href={signOn}>{say.signOn}</a>}
    </section>
  );
}
