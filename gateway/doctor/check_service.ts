import { explainListen, type PortFlag } from "../config/settings.ts";
import { isClaimed } from "../stores/kv/file.ts";
import { failure, type Finding, ok, skipped, warning } from "./finding.ts";
import { reasonOf } from "../system/reason.ts";
import type { DoctorContext, ServiceState } from "./context.ts";

/** Finds out whether the service runs and accepts the operator's token. */
export async function findService(context: DoctorContext): Promise<ServiceState> {
  const { ask, classifyFailure, settings: { store } } = context;
  try {
    return { kind: "running", about: await ask("GET /service") };
  } catch (error) {
    const why = classifyFailure(error);
    const path = store.kind === "kv" && !/^(?::memory:$|https?:)/.test(store.path)
      ? store.path
      : undefined;
    // Without a request, the lock of the store tells whether a process has it.
    const isThere = why === "refused" || (path !== undefined && await isClaimed(path));
    return isThere ? { kind: "closed", reason: reasonOf(error) } : { kind: "stopped" };
  }
}

/** Checks the running service: catalog in force, and version. */
export function serviceFindings(service: ServiceState, { version }: DoctorContext): Finding[] {
  if (service.kind === "stopped") return [skipped("service", "It is not running")];
  if (service.kind === "closed") {
    const advice =
      "set SERVICE_ADMIN_URL and SERVICE_ADMIN_TOKEN, or run this as the service's user";
    return [failure("service", service.reason, advice)];
  }
  const running = service.about.version;
  if (running === version) return [ok("service", `svc ${running} is running`)];
  return [
    warning(
      "service",
      `svc ${running} is running, this is svc ${version}`,
      "restart the service after an upgrade",
    ),
  ];
}

/** Checks that a service could listen on its configured ports. */
export function portFindings(service: ServiceState, { settings }: DoctorContext): Finding[] {
  if (service.kind !== "stopped") return [];
  const { host, port, adminHost, adminPort, metrics } = settings;
  return [
    portFinding("port", host, port),
    portFinding("admin-port", adminHost, adminPort),
    ...metrics === undefined ? [] : [portFinding("metrics-port", metrics.host, metrics.port)],
    ...[host, adminHost, metrics?.host ?? ""].some(isOpenToAll) ? [openToAll] : [],
  ];
}

const openToAll = warning(
  "listeners",
  "A listener is bound to every address of this machine, without TLS",
  "bind to loopback, behind a server that terminates TLS (docs/deployment.md)",
);

function isOpenToAll(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

function portFinding(flag: PortFlag, host: string, port: number): Finding {
  const address = `${host}:${port}`;
  try {
    Deno.listen({ hostname: host, port }).close();
    return ok(flag, port === 0 ? "Any free port" : `${address} is free`);
  } catch (error) {
    const { message } = explainListen(error, { flag, address });
    const [problem = message, advice = ""] = message.split("; ");
    return failure(flag, problem, advice);
  }
}
