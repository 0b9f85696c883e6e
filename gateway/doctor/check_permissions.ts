import { METADATA_RANGES } from "../domain/catalog/metadata_address.ts";
import { missingFlags } from "../config/permissions.ts";
import { failure, type Finding, ok, warning } from "./finding.ts";
import type { DoctorContext } from "./context.ts";

/** Permissions that neither the service nor the command line needs. */
const NEVER: readonly Deno.PermissionDescriptor[] = [{ name: "run" }, { name: "ffi" }];
const EVERYTHING: readonly Deno.PermissionDescriptor[] = [
  ...NEVER,
  ...[{ name: "read" }, { name: "write" }, { name: "net" }, { name: "env" }] as const,
];
const TASK = "start svc by `deno task`, or as the binary (docs/deployment.md)";

/** Checks that this process has the permissions it needs and no others. */
export async function permissionFindings({ settings }: DoctorContext): Promise<Finding[]> {
  const missing = await missingFlags(settings);
  if (missing.length > 0) {
    const flags = missing.join(" ");
    return [failure("permissions", `The service could not start without ${flags}`, `add ${flags}`)];
  }
  if (await allGranted(EVERYTHING)) {
    return [warning("permissions", "This process has all permissions, as by -A", TASK)];
  }
  const wide = await tooWide();
  if (wide.length === 0) return [ok("permissions", "Only the permissions that svc needs")];
  return [
    warning(
      "permissions",
      `This process has permissions that svc does not need: ${wide.join(", ")}`,
      TASK,
    ),
  ];
}

async function tooWide(): Promise<string[]> {
  const wide: string[] = [];
  for (const permission of NEVER) {
    if (await isGranted(permission)) wide.push(`--allow-${permission.name}`);
  }
  for (const name of ["env", "sys"] as const) {
    if (await isGranted({ name })) wide.push(`--allow-${name} without names`);
  }
  const [range = ""] = METADATA_RANGES;
  const host = range.replace(/0\.0\/\d+$/, "169.254");
  if (await isGranted({ name: "net", host })) wide.push("--allow-net with metadata services");
  return wide;
}

async function allGranted(all: readonly Deno.PermissionDescriptor[]): Promise<boolean> {
  return (await Promise.all(all.map(isGranted))).every(Boolean);
}

async function isGranted(permission: Deno.PermissionDescriptor): Promise<boolean> {
  return (await Deno.permissions.query(permission)).state === "granted";
}
