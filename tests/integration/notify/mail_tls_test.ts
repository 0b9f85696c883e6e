/**
 * Mail to a real SMTP server that encrypts, and to servers that do so badly: neither a login nor a
 * letter may reach those.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { MailRoute } from "../../../gateway/domain/notices/target.ts";
import { type CertificateFiles, hasOpenssl, makeCertificate } from "../../fixtures/certificate.ts";
import { platformEnv } from "../../fixtures/child_env.ts";

const PROGRAM = import.meta.resolve("./send_mail_process.ts");
const PASSWORD = "quiet-password";

/** A mail server on a free port, with what reached it. */
class EncryptingServer implements AsyncDisposable {
  readonly letters: string[] = [];
  /** Logins, each with the encryption of its connection. */
  readonly logins: string[] = [];
  readonly #server: SMTPServer;

  constructor({ certificate, key }: CertificateFiles, options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      ...{ cert: Deno.readTextFileSync(certificate), key: Deno.readTextFileSync(key) },
      ...{ disableReverseLookup: true, closeTimeout: 100 },
      onAuth: ({ username = "", password }, { secure }, answer) => {
        this.logins.push(`${username} ${password === PASSWORD} ${secure}`);
        answer(null, { user: username });
      },
      onData: (stream, _session, answer) => {
        void new Response(ReadableStream.from(stream)).text().then((letter) => {
          this.letters.push(letter);
          answer();
        });
      },
      ...options,
    });
    // A client that refuses the certificate is no error of the test.
    this.#server.on("error", () => {});
  }

  /** Listens; returns the port. */
  async listen(): Promise<number> {
    const { promise: listening, resolve } = Promise.withResolvers<void>();
    const server = this.#server.listen(0, "127.0.0.1", resolve);
    await listening;
    const address = server.address();
    return address !== null && typeof address === "object" ? address.port : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Sends a message from a process that trusts one certificate; returns its problem. */
async function problemOf(
  route: Pick<MailRoute, "port" | "security"> & Partial<MailRoute>,
  trusted: string,
): Promise<string | undefined> {
  const mail: MailRoute = {
    ...{ host: "localhost", user: "svc", password: PASSWORD },
    ...{ from: "svc@example.com", to: ["ops@example.com"], ...route },
  };
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--cached-only", "-P=test", PROGRAM, JSON.stringify(mail)],
    env: { ...platformEnv(), DENO_CERT: trusted },
    clearEnv: true,
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert(text !== "", new TextDecoder().decode(stderr));
  return JSON.parse(text).problem;
}

if (!await hasOpenssl()) {
  console.error("SKIPPED: no openssl: install Debian's package openssl");
} else {
  Deno.test("mail with tls and starttls logs in and arrives, encrypted", async (t) => {
    const folder = await Deno.makeTempDir();
    const own = await makeCertificate(folder, "own");
    for (const security of ["tls", "starttls"] as const) {
      await t.step(security, async () => {
        await using server = new EncryptingServer(own, { secure: security === "tls" });
        const port = await server.listen();
        assertEquals(await problemOf({ port, security }, own.authority), undefined);
        assertEquals(server.logins, ["svc true true"]);
        assertStringIncludes(server.letters[0] ?? "", "Message-ID: <inc_1_1@svc-gateway>");
      });
    }
    await Deno.remove(folder, { recursive: true });
  });

  Deno.test("a server that does not encrypt, or is another, gets no login and no letter", async (t) => {
    const folder = await Deno.makeTempDir();
    const own = await makeCertificate(folder, "own");
    const other = await makeCertificate(folder, "other");
    const refused = async (
      name: string,
      { route, options, trusted = own }: {
        readonly route: Pick<MailRoute, "security"> & Partial<MailRoute>;
        readonly options: SMTPServerOptions;
        readonly trusted?: CertificateFiles;
      },
    ) => {
      await t.step(name, async () => {
        await using server = new EncryptingServer(own, options);
        const port = await server.listen();
        const problem = await problemOf({ port, ...route }, trusted.authority);
        assertStringIncludes(problem ?? "", "It could not be reached");
        assertEquals([server.logins, server.letters], [[], []]);
      });
    };
    const plain = { hideSTARTTLS: true, disabledCommands: ["STARTTLS"], allowInsecureAuth: true };
    await refused("starttls is not offered", { route: { security: "starttls" }, options: plain });
    for (const security of ["tls", "starttls"] as const) {
      const options = { secure: security === "tls", allowInsecureAuth: true };
      await refused(`${security}: nobody vouches for it`, {
        ...{ route: { security }, options, trusted: other },
      });
      await refused(`${security}: it has another name`, {
        ...{ route: { security, host: "127.0.0.1" }, options },
      });
    }
    await Deno.remove(folder, { recursive: true });
  });
}
