/**
 * A gateway that nothing is counted in: what the watched one is compared with.
 *
 * @module
 */

import { startService } from "../../gateway/service/start.ts";
import { parseServeSettings } from "../../gateway/config/settings.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import { createSystemRng } from "../../gateway/system/rng.ts";
import { ServiceMetrics } from "../../gateway/telemetry/service_metrics.ts";
import { Telemetry } from "../../gateway/telemetry/telemetry.ts";
import { untilStdinEnds } from "./until_stdin_ends.ts";

class NoMetrics extends ServiceMetrics {
  override requestEnded(): void {}
  override settled(): void {}
  override attempted(): void {}
  override committed(): void {}
}

class NoTelemetry extends Telemetry {
  override readonly metrics = new NoMetrics();
}

if (import.meta.main) {
  const parsed = parseServeSettings(Deno.args, {});
  if (!parsed.ok) throw new Error(parsed.problem);
  const encoder = new TextEncoder();
  const print = (text: string) => void Deno.stdout.writeSync(encoder.encode(text));
  const say = (event: string) => console.error(event);
  await startService(parsed.settings, {
    clock: systemClock,
    rng: createSystemRng(systemClock),
    logger: { info: say, warn: say, error: say },
    env: () => undefined,
    print,
    telemetry: new NoTelemetry(),
  });
  await untilStdinEnds();
}
