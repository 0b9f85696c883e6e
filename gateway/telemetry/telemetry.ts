/**
 * The observation of the service: metrics always, traces if the runtime exports them.
 *
 * @module
 */

import { AUDIT_KEY_ID } from "../domain/policy/key.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import type { Tracer } from "../ports/tracer.ts";
import { watchEventLoop } from "./event_loop.ts";
import type { OtelMetrics } from "./otel_metrics.ts";
import type { OtelTracer } from "./otel_tracer.ts";
import { passingOn } from "./passed_on.ts";
import { ServiceMetrics } from "./service_metrics.ts";
import type { StateMetrics } from "./state_metrics.ts";

/** The parts that use the exporter of the runtime. */
export interface Exported {
  readonly tracer: OtelTracer;
  readonly metrics: OtelMetrics;
}

/** Observes one service. */
export class Telemetry {
  readonly metrics = new ServiceMetrics();
  readonly tracer: Tracer;
  readonly #exported: Exported | undefined;
  readonly #unwatch: () => void;
  /** The current state for `/metrics`; set once the service is assembled. */
  state: StateMetrics | undefined;

  constructor(exported?: Exported) {
    this.#exported = exported;
    this.tracer = exported?.tracer ?? passingOn;
    this.#unwatch = watchEventLoop((ms) => this.metrics.loopDelayed(ms));
  }

  /** Counts a request whose log row is durable, and ends its span. */
  readonly requestEnded = (record: RequestRecord): void => {
    this.metrics.requestEnded(record);
    if (record.keyId === AUDIT_KEY_ID) return;
    this.#exported?.metrics.requestEnded(record);
    this.#exported?.tracer.ended(record);
  };

  /** Returns the text for Prometheus, format 0.0.4. */
  async page(): Promise<string> {
    await this.state?.read();
    const all = [...this.metrics.all, ...this.state?.all ?? []];
    return all.map((metric) => metric.text()).join("");
  }

  /** Stops the observation. */
  close(): void {
    this.#unwatch();
  }
}
