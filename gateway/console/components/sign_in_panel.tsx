import { sharedMessages } from "../messages/shared.ts";
import { signInMessages } from "../messages/sign_in.ts";
import type { InView } from "../page.ts";
import { ChangeForm, Field } from "./form.tsx";

/** The form that takes an admin token. What was entered is never sent back. */
export function SignInPanel({ view, problem }: InView<{ problem: string | undefined }>) {
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
    </section>
  );
}
