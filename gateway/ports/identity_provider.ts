/** A person as an identity provider describes them. */
export interface Person {
  /** Unique at the provider. */
  readonly subject: string;
  readonly name: string;
  readonly groups: readonly string[];
}

/** A sign-in that has begun: the values that its end must fit. */
export interface BegunSignIn {
  /** Address at the provider, to which the browser goes. */
  readonly address: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Somebody whom the provider has signed in. */
export interface SignedIn {
  readonly person: Person;
  /** Lets the provider be asked again. Secret: it may only be stored under a key of the browser. */
  readonly grant: string;
}

/** The identity provider refused a sign-in, or its answer was not valid. */
export class SignInError extends Error {
  override name = "SignInError";
  /** The person whom the provider has signed in; absent where it has not. */
  readonly person: Person | undefined;

  constructor(message: string, options: ErrorOptions & { readonly person?: Person } = {}) {
    super(message, options);
    this.person = options.person;
  }
}

/** A provider of identities, such as an OpenID Connect server. */
export interface IdentityProvider {
  /** Begins a sign-in. */
  begin(redirectUri: string): Promise<BegunSignIn>;
  /**
   * Ends a sign-in with the address to which the browser came back.
   *
   * @throws {SignInError} When anything about it is not valid.
   */
  finish(begun: BegunSignIn, address: URL): Promise<SignedIn>;
  /**
   * Asks for the person of a grant as they are now, with the grant for the next time; `undefined`
   * where the provider no longer vouches for them. Rejects where it cannot be reached.
   */
  again(grant: string): Promise<SignedIn | undefined>;
}
