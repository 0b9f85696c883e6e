/**
 * Sign-in by OpenID Connect: authorization code with PKCE, state and nonce. The library is loaded
 * with the first sign-in.
 *
 * @module
 */

import type { Configuration } from "openid-client";
import {
  type BegunSignIn,
  type IdentityProvider,
  type Person,
  type SignedIn,
  SignInError,
} from "../ports/identity_provider.ts";

/** Settings of the provider. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string | undefined;
  readonly scopes: string;
  /** Claim with the names of the groups. */
  readonly groupsClaim: string;
}

/** Longest wait for an answer of the provider, in seconds. */
const TIMEOUT_SECONDS = 10;
/** Maximum number of groups that are looked at. */
const GROUPS_MAX = 2_000;

/** Claims of a person, by name. */
type Claims = Readonly<Record<string, unknown>>;

/** Tokens of a signed-in person. */
interface Tokens extends Grant {
  readonly claims: Claims;
}

/** The part of the tokens that asks again. */
interface Grant {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  readonly subject: string;
}

/** An OpenID Connect server. */
export class OpenIdConnect implements IdentityProvider {
  readonly #settings: OpenIdSettings;
  #configuration: Promise<Configuration> | undefined;

  constructor(settings: OpenIdSettings) {
    this.#settings = settings;
  }

  async begin(redirectUri: string): Promise<BegunSignIn> {
    const client = await import("openid-client");
    const configuration = await this.#configured();
    const verifier = client.randomPKCECodeVerifier();
    const [state, nonce] = [client.randomState(), client.randomNonce()];
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...{ state, nonce },
    });
    return { address: address.href, state, nonce, verifier, redirectUri };
  }

  async finish(begun: BegunSignIn, address: URL): Promise<SignedIn> {
    const client = await import("openid-client");
    const configuration = await this.#configured();
    const tokens = await this.#judged(async () => {
      // The registered address, whatever the proxy before this listener made of it.
      const current = new URL(begun.redirectUri);
      current.search = address.search;
      const answer = await client.authorizationCodeGrant(configuration, current, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true,
      });
      return tokensOf(answer, answer.claims() ?? {});
    });
    const person = await this.#judged(() => this.#personOf(configuration, tokens));
    return { person, grant: grantText(tokens) };
  }

  async again(grant: string): Promise<SignedIn | undefined> {
    return await this.#refreshed(await this.#configured(), JSON.parse(grant) as Grant);
  }

  /** Renews the tokens where that is possible; else asks with the token that there is. */
  async #refreshed(
    configuration: Configuration,
    grant: Grant,
  ): Promise<SignedIn | undefined> {
    const client = await import("openid-client");
    const { refreshToken, accessToken, subject } = grant;
    try {
      if (refreshToken === undefined) {
        const info = await client.fetchUserInfo(configuration, accessToken, subject);
        return { grant: grantText(grant), person: this.#person({ ...info }) };
      }
      const answer = await client.refreshTokenGrant(configuration, refreshToken);
      const next = tokensOf(answer, answer.claims() ?? { sub: subject });
      if (next.subject !== subject) return undefined;
      const renewed = { ...next, refreshToken: next.refreshToken ?? refreshToken };
      return {
        grant: grantText(renewed),
        person: await this.#personOf(configuration, renewed),
      };
    } catch (error) {
      await discardBody(error);
      // A refusal ends the session. Anything else may be over soon.
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  /** Returns the person of some tokens; the provider is asked for groups that a token does not name. */
  async #personOf(configuration: Configuration, tokens: Tokens): Promise<Person> {
    const { claims, accessToken } = tokens;
    const hasInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (claims[this.#settings.groupsClaim] !== undefined || !hasInfo) return this.#person(claims);
    const client = await import("openid-client");
    const info = await client.fetchUserInfo(configuration, accessToken, String(claims.sub));
    return this.#person({ ...claims, ...info });
  }

  #person(claims: Claims): Person {
    const listed = claims[this.#settings.groupsClaim];
    const groups = Array.isArray(listed) ? listed : [listed];
    const named = [claims.name, claims.preferred_username, claims.email, claims.sub]
      .find((value) => typeof value === "string" && value !== "");
    return {
      subject: String(claims.sub),
      name: String(named).slice(0, 100).toWellFormed(),
      groups: groups.filter((group) => typeof group === "string").slice(0, GROUPS_MAX),
    };
  }

  /** Finds the provider's addresses and keys; a failure is tried again with the next sign-in. */
  #configured(): Promise<Configuration> {
    this.#configuration ??= this.#judged(() => this.#discover());
    this.#configuration.catch(() => this.#configuration = undefined);
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = this.#settings;
    const server = new URL(issuer);
    const authentication = clientSecret === undefined
      ? client.None()
      : client.ClientSecretPost(clientSecret);
    return await client.discovery(server, clientId, clientSecret, authentication, {
      timeout: TIMEOUT_SECONDS,
      // The settings allow plain http on this machine alone.
      execute: [
        // Else the library trusts the connection, and checks no signature.
        client.enableNonRepudiationChecks,
        ...server.protocol === "http:" ? [client.allowInsecureRequests] : [],
      ],
    });
  }

  async #judged<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      await discardBody(cause);
      throw new SignInError(`The identity provider's answer is not valid: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }
}

function tokensOf(
  answer: { readonly access_token: string; readonly refresh_token?: string },
  claims: Claims,
): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    subject: String(claims.sub),
    claims,
  };
}

function grantText({ accessToken, refreshToken, subject }: Grant): string {
  return JSON.stringify({ accessToken, refreshToken, subject });
}

/** True for an error with which the provider itself refuses. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name } = error;
  const status = "status" in error ? Number(error.status) : 0;
  return ["ResponseBodyError", "WWWAuthenticateChallengeError", "AuthorizationResponseError"]
    .includes(name) && [0, 400, 401, 403].includes(status);
}

/** Ends the answer that the library has left unread with its error. */
async function discardBody(error: unknown): Promise<void> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.cause instanceof Response) await cause.cause.body?.cancel().catch(() => {});
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it failed";
  const code = "error" in error && typeof error.error === "string" ? `${error.error}: ` : "";
  return code + error.message;
}
