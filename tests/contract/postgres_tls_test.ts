import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { postgresBin, startPostgres } from "../fixtures/postgres.ts";

const bin = await postgresBin();

/** Makes a certificate for `localhost` that signs itself; the server's user may read its key. */
async function makeCertificate(folder: string, name: string): Promise<string> {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const { success } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
      ...["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
    ],
    ...{ stdout: "null", stderr: "null" },
  }).output();
  if (!success) throw new Error("openssl made no certificate");
  await Deno.chmod(key, 0o600);
  if (Deno.uid() === 0) {
    await new Deno.Command("chown", { args: ["nobody", key] }).output();
    await Deno.chmod(folder, 0o755);
  }
  return certificate;
}

async function hasOpenssl(): Promise<boolean> {
  try {
    return (await new Deno.Command("openssl", { args: ["version"] }).output()).success;
  } catch {
    return false;
  }
}

if (bin === undefined || !await hasOpenssl()) {
  console.error("SKIPPED: no PostgreSQL or no openssl: install Debian's packages of these names");
} else {
  Deno.test("TLS to PostgreSQL: as strict as sslmode says", async () => {
    const folder = await Deno.makeTempDir();
    const own = await makeCertificate(folder, "own");
    const other = await makeCertificate(folder, "other");
    const settings = ["ssl=on", `ssl_cert_file=${own}`, `ssl_key_file=${join(folder, "own.key")}`];
    await using server = await startPostgres(bin, { settings });
    const ask = async (host: string, query: string) => {
      const url = server.urlOf("postgres").replace("127.0.0.1", host);
      const sql = connect(`${url}?${query}`, { max: 1 });
      try {
        const [row] = await sql<{ ssl: boolean }[]>`
          select ssl from pg_stat_ssl where pid = pg_backend_pid()
        `;
        return row?.ssl;
      } finally {
        await sql.end({ timeout: 1 });
      }
    };
    try {
      assertEquals(await ask("127.0.0.1", "sslmode=disable"), false);
      for (const query of ["", "sslmode=require", `sslmode=verify-ca&sslrootcert=${own}`]) {
        assertEquals(await ask("127.0.0.1", query), true, query);
      }
      assertEquals(await ask("localhost", `sslmode=verify-full&sslrootcert=${own}`), true);
      await assertRejects(() => ask("127.0.0.1", `sslmode=verify-full&sslrootcert=${own}`));
      for (const mode of ["verify-ca", "verify-full"]) {
        await assertRejects(() => ask("localhost", `sslmode=${mode}&sslrootcert=${other}`));
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
