import type { Actor } from "../../domain/operators/operator.ts";
import { type GroupRole, mappedRole } from "../../domain/operators/group_roles.ts";
import { rightsOf } from "../../domain/operators/roles.ts";
import { randomBytes } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { ConsoleSessionStore } from "../../ports/console_session_store.ts";
import type {
  BegunSignIn,
  IdentityProvider,
  Person,
  SignedIn,
} from "../../ports/identity_provider.ts";
import { SignInError } from "../../ports/identity_provider.ts";
import { digestOf, sealedWith, unsealedWith } from "./browser_secret.ts";
import type { Granted } from "./sso_checks.ts";

/** Time that a person has at the provider, in milliseconds. */
export const SIGN_IN_MS = 10 * 60_000;
/** Maximum number of sign-ins that have begun; one more ends the oldest. */
const BEGUN_MAX = 1_000;

/** Dependencies of {@linkcode SignOn}. */
export interface SignOnDeps {
  readonly provider: IdentityProvider;
  /** Roles of groups. */
  readonly groupRoles: readonly GroupRole[];
  readonly clock: Pick<Clock, "nowMs">;
  /** Keeps sign-ins that have begun: the way back may lead to another gateway on the store. */
  readonly store: Pick<ConsoleSessionStore, "putTicket" | "takeTicket">;
}

/** A sign-in that has begun. */
export interface BegunSignOn {
  /** Secret of the one browser that may end it. */
  readonly ticket: string;
  /** Address at the provider. */
  readonly address: string;
}

/** Sign-in at an identity provider, and the rights that its groups give. */
export class SignOn {
  readonly #deps: SignOnDeps;

  constructor(deps: SignOnDeps) {
    this.#deps = deps;
  }

  /** Begins a sign-in that comes back to an address. */
  async begin(redirectUri: string): Promise<BegunSignOn> {
    const { provider, clock, store } = this.#deps;
    const begun = await provider.begin(redirectUri);
    const ticket = randomBytes(32).toHex();
    const nowMs = clock.nowMs();
    const sealed = sealedWith(ticket, JSON.stringify(begun));
    const stored = { digest: digestOf(ticket), sealed, untilMs: nowMs + SIGN_IN_MS };
    await store.putTicket(stored, { nowMs, max: BEGUN_MAX });
    return { ticket, address: begun.address };
  }

  /**
   * Ends a sign-in. A ticket is used once, whatever the result.
   *
   * @throws {SignInError} When the sign-in is not valid, or none of the groups has a role.
   */
  async finish(ticket: string, address: URL): Promise<Granted> {
    const begun = await this.#begunWith(ticket);
    if (begun === undefined) {
      throw new SignInError("This sign-in is over, or was begun in another browser; begin again");
    }
    const signedIn = await this.#deps.provider.finish(begun, address);
    const granted = this.#granted(signedIn);
    if (granted !== undefined) return granted;
    const { person } = signedIn;
    throw new SignInError(
      `None of the groups of "${person.name}" has a role here; ask an administrator`,
      { person },
    );
  }

  /**
   * Returns the person of a grant as they are now; `undefined` where the provider no longer vouches
   * for them, or none of their groups has a role. Rejects where the provider cannot be reached.
   */
  async again(grant: string): Promise<Granted | undefined> {
    const signedIn = await this.#deps.provider.again(grant);
    return signedIn && this.#granted(signedIn);
  }

  async #begunWith(ticket: string): Promise<BegunSignIn | undefined> {
    const { clock, store } = this.#deps;
    const stored = await store.takeTicket(digestOf(ticket));
    if (stored === undefined || clock.nowMs() >= stored.untilMs) return undefined;
    const text = unsealedWith(ticket, stored.sealed);
    return text === undefined ? undefined : JSON.parse(text) as BegunSignIn;
  }

  #granted({ person, grant }: SignedIn): Granted | undefined {
    const actor = this.#actorOf(person);
    return actor && { actor, grant };
  }

  #actorOf({ subject, name, groups }: Person): Actor | undefined {
    const mapped = mappedRole(this.#deps.groupRoles, groups);
    if (mapped === undefined) return undefined;
    const { role, grants } = mapped;
    return { kind: "sso", id: `sso:${subject}`, name, role, rights: rightsOf(role, grants) };
  }
}
