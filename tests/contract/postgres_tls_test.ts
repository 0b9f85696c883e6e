import { assertEquals, assertRejects } from "@std/assert";
import { connect } from "../../gateway/stores/postgres/connection.ts";
import { type CertificateFiles, hasOpenssl, makeCertificate } from "../fixtures/certificate.ts";
import { postgresBin, startPostgres } from "../fixtures/postgres.ts";

const bin = await postgresBin();

/** Makes a certificate whose key the server's user may read. */
async function certificateOf(folder: string, name: string): Promise<CertificateFiles> {
  const files = await makeCertificate(folder, name);
  if (Deno.uid() === 0) {
    await new Deno.Command("chown", { args: ["nobody", files.key] }).output();
    await Deno.chmod(folder, 0o755);
  }
  return files;
}

if (bin === undefined || !await hasOpenssl()) {
  console.error("SKIPPED: no PostgreSQL or no openssl: install Debian's packages of these names");
} else {
  Deno.test("TLS to PostgreSQL: as strict as sslmode says", async () => {
    const folder = await Deno.makeTempDir();
    const own = await certificateOf(folder, "own");
    const other = await certificateOf(folder, "other");
    const { certificate, key, authority } = own;
    const settings = ["ssl=on", `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`];
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
      for (const query of ["", "sslmode=require", `sslmode=verify-ca&sslrootcert=${authority}`]) {
        assertEquals(await ask("127.0.0.1", query), true, query);
      }
      assertEquals(await ask("localhost", `sslmode=verify-full&sslrootcert=${authority}`), true);
      await assertRejects(() => ask("127.0.0.1", `sslmode=verify-full&sslrootcert=${authority}`));
      for (const mode of ["verify-ca", "verify-full"]) {
        await assertRejects(() =>
          ask("localhost", `sslmode=${mode}&sslrootcert=${other.authority}`)
        );
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
