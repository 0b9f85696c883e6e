import { assertEquals, assertThrows } from "@std/assert";
import { fileRead } from "../file_read.ts";
import { fileSearch } from "../file_search.ts";
import { fileWrite } from "../file_write.ts";
import { listDir } from "../list_dir.ts";
import { call, refusal, scratch } from "./scratch_test.ts";
import { DEFAULT_FILE_DENY, denyList } from "./deny_list.ts";
import { ignoreRules } from "./ignore_rules.ts";

Deno.test("the default list names what holds secrets, wherever and however it is written", async () => {
  const rules = await ignoreRules(denyList(DEFAULT_FILE_DENY), { isCaseSensitive: false });
  const denied = ".env .ENV .env.local .Env.Production .envrc .env~ prod.env .env.d/x id_rsa " +
    "id_rsa.bak ID_ED25519 id_ed25519_sk a.pem A.PEM tls.key AuthKey.p8 a.p12 a.pfx a.ppk a.jks " +
    "a.keystore .netrc _netrc .npmrc .pypirc .pgpass .htpasswd .git-credentials .aws/credentials " +
    ".docker/config.json .kube/config svc.json .git/config .dev.vars .dev.vars.staging " +
    "credentials.json Service-Account.json service-account-prod.json service_account.json " +
    "application_default_credentials.json terraform.tfstate prod.tfstate.backup .vault-token " +
    ".dockercfg kubeconfig .ssh/known_hosts .ssh/id_ed25519.pub .ssh/keys/a .cargo/credentials " +
    ".cargo/credentials.toml svc.kv.admin.json data/svc.kv.admin.json .git/config.worktree " +
    ".git/modules/lib/config .git/modules/lib/modules/inner/config .git/worktrees/a/config.worktree";
  for (const path of denied.split(" ")) {
    assertEquals([rules.ignores(path), rules.ignores(`a/b/${path}`)], [true, true], path);
  }
  const open = ".env.example .ENV.Sample .env.local.example prod.env.template environment.ts " +
    "id_rsa.pub keys.ts monkey pem.md .aws/config config.json env .environment my.svc.json " +
    ".git/HEAD .git/modules/lib/HEAD admin.json .dev.vars.example dev.vars credentials.json.sample credentials.ts tfstate.md ssh/a " +
    ".cargo/config.toml kubeconfig.md service-account.md";
  for (const path of open.split(" ")) {
    assertEquals([rules.ignores(path), rules.ignores(`a/b/${path}`)], [false, false], path);
  }
});

Deno.test("every tool that reads heeds the list", async () => {
  await using lab = await scratch({ ".ssh/config": "needle", "open/a.txt": "needle" });
  await refusal(fileRead(lab), { path: ".ssh/config" }, "file_denied");
  await refusal(listDir(lab), { path: ".ssh" }, "file_denied");
  await refusal(fileSearch(lab), { path: ".ssh", query: "needle" }, "file_denied");
  const input = { path: ".ssh/config", mode: "append", content: "" };
  await refusal(fileWrite({ ...lab, permission: () => true }), input, "file_denied");
  const { matches } = Object(await call(fileSearch(lab), { query: "needle" }));
  assertEquals(matches.map(({ path }: { path: string }) => path), ["open/a.txt"]);
});

Deno.test("a pattern that would have to be left out is refused, not ignored", () => {
  const slow = Array.from({ length: 17 }, (_, n) => `**/a${n}/**`);
  const many = Array.from({ length: 1_001 }, (_, n) => `a${n}`);
  for (const fileDeny of [["**/private/**/keys/**"], slow, many]) {
    assertThrows(() => fileRead({ fileDeny }), TypeError, "Cannot deny the files");
  }
});

Deno.test("a list of the application's own replaces the default", async () => {
  await using lab = await scratch({ "customers/a.txt": "a", ".env": "A=1" });
  const tool = fileRead({ ...lab, fileDeny: ["/customers/", "caf\u00e9"] });
  await refusal(tool, { path: "customers/a.txt" }, "file_denied");
  for (const path of ["caf\u00e9", "cafe\u0301"]) {
    await refusal(tool, { path }, "file_denied");
  }
  assertEquals(Object(await call(tool, { path: ".env" })).content, "A=1");
});
