/**
 * Everything that watches the service: metrics always, traces where the runtime exports.
 *
 * @module
 */

import type { RequestRecord } from "../ports/request_log.ts";
import type { Tracer } from "../ports/tracer.ts";
import { watchEventLoop } from "./event_loop.ts";
import type { OtelMetrics } from "./otel_metrics.ts";
import type { OtelTracer } from "./otel_tracer.ts";
import { passingOn } from "./passed_on.ts";
import { ServiceMetrics } from "./service_metrics.ts";
import type { StateMetrics } from "./state_metrics.ts";

/** What is sent by the runtime's exporter. */
export interface Exported {
  readonly tracer: OtelTracer;
  readonly metrics: OtelMetrics;
}

/** Watches one service. */
export class Telemetry {
  readonly metrics = new ServiceMetrics();
  readonly tracer: Tracer;
  readonly #exported: Exported | undefined;
  readonly #unwatch: () => void;
  /** What `/metrics` tells of the moment; set once the service stands. */
  state: StateMetrics | undefined;

  constructor(exported?: Exported) {
    this.#exported = exported;
    this.tracer = exported?.tracer ?? passingOn;
    this.#unwatch = watchEventLoop((ms) => this.metrics.loopDelayed(ms));
  }

  /** A request's row is durable. */
  readonly requestEnded = (record: RequestRecord): void => {
    this.metrics.requestEnded(record);
    this.#exported?.metrics.requestEnded(record);
    this.#exported?.tracer.ended(record);
  };

  /** The text that Prometheus reads, format 0.0.4. */
  async page(): Promise<string> {
    await this.state?.read();
    const all = [...this.metrics.all, ...this.state?.all ?? []];
    return all.map((metric) => metric.text()).join("");
  }

  /** Ends the watch. */
  close(): void {
    this.#unwatch();
  }
}
