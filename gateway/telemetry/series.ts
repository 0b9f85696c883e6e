/**
 * Counters, gauges and histograms in memory, and their text for Prometheus. A client library from
 * npm takes 22 MB at rest and has no bound for its series; this module keeps both small.
 *
 * @module
 */

/** Maximum length of a label's value, in characters. */
const LABEL_CHARS_MAX = 100;
/** Label value for all series beyond a metric's maximum. */
export const OTHER = "other";

/** Options of every metric. */
export interface MetricOptions {
  /** Description, one sentence. */
  readonly help: string;
  /** Names of the labels, in the order of their values. @default {[]} */
  readonly labels?: readonly string[];
  /** Maximum series: later ones are counted as "other". @default {500} */
  readonly seriesMax?: number;
}

/** A number of a series. */
export interface Value {
  value: number;
}

/** One metric with all its series. */
export interface Metric {
  readonly name: string;
  /** Returns the metric as text: `HELP`, `TYPE`, and a line for each sample. */
  text(): string;
}

/** The series of one metric, by the values of their labels. */
class Series<T> {
  readonly #names: readonly string[];
  readonly #max: number;
  readonly #make: () => T;
  readonly #all = new Map<string, { readonly labels: string; readonly one: T }>();

  constructor({ labels = [], seriesMax = 500 }: MetricOptions, make: () => T) {
    this.#names = labels;
    this.#max = seriesMax;
    this.#make = make;
    if (labels.length === 0) this.at([]);
  }

  at(values: readonly string[]): T {
    const key = values.join("\0");
    const known = this.#all.get(key);
    if (known !== undefined) return known.one;
    // One series is reserved for all others.
    const isOver = this.#all.size >= this.#max - 1;
    const labelValues = isOver ? this.#names.map(() => OTHER) : values;
    const other = isOver ? this.#all.get(labelValues.join("\0")) : undefined;
    if (other !== undefined) return other.one;
    const one = this.#make();
    this.#all.set(labelValues.join("\0"), { labels: labelText(this.#names, labelValues), one });
    return one;
  }

  clear(): void {
    this.#all.clear();
  }

  text(write: (labels: string, one: T) => string): string {
    let out = "";
    for (const { labels, one } of this.#all.values()) out += write(labels, one);
    return out;
  }
}

/** A number that only grows. */
export class Counter implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #series: Series<Value>;

  constructor(name: string, options: MetricOptions) {
    this.name = name;
    this.#help = options.help;
    this.#series = new Series(options, () => ({ value: 0 }));
  }

  /** Returns the series with these label values. Keep it if it is used often. */
  at(...values: readonly string[]): Value {
    return this.#series.at(values);
  }

  text(): string {
    return head(this.name, "counter", this.#help) +
      this.#series.text((labels, { value }) => sample(this.name, labels, value));
  }
}

/** A number that goes up and down: `tell` sets it whenever it is read. */
export class Gauge implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #series: Series<Value>;
  readonly #tell: (gauge: Gauge) => void;
  readonly #isBare: boolean;

  constructor(name: string, options: MetricOptions & { readonly tell: (gauge: Gauge) => void }) {
    this.name = name;
    this.#help = options.help;
    this.#tell = options.tell;
    this.#series = new Series(options, () => ({ value: 0 }));
    this.#isBare = options.labels === undefined;
  }

  /** Sets one series. */
  set(value: number, ...values: readonly string[]): void {
    this.#series.at(values).value = value;
  }

  text(): string {
    // A series whose subject is gone, such as a removed upstream, is not reported any more.
    if (!this.#isBare) this.#series.clear();
    this.#tell(this);
    return head(this.name, "gauge", this.#help) +
      this.#series.text((labels, { value }) => sample(this.name, labels, value));
  }
}

/** The number of observations up to each bound. */
export class Distribution {
  readonly #bounds: readonly number[];
  /** One count per bound, and one beyond. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  /** Counts an observation. */
  observe(value: number): void {
    let at = 0;
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? Infinity)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** Returns the samples of a histogram as text. */
  text(name: string, labels: string): string {
    let out = "";
    let count = 0;
    for (const [at, bound] of [...this.#bounds, Infinity].entries()) {
      count += this.#counts[at] ?? 0;
      const le = `le="${bound === Infinity ? "+Inf" : bound}"`;
      out += sample(`${name}_bucket`, labels === "" ? le : `${labels},${le}`, count);
    }
    return out + sample(`${name}_sum`, labels, this.#sum) + sample(`${name}_count`, labels, count);
  }
}

/** A distribution of observations. */
export class Histogram implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #series: Series<Distribution>;

  constructor(name: string, options: MetricOptions & { readonly bounds: readonly number[] }) {
    this.name = name;
    this.#help = options.help;
    this.#series = new Series(options, () => new Distribution(options.bounds));
  }

  /** Returns the series with these label values. Keep it if it is used often. */
  at(...values: readonly string[]): Distribution {
    return this.#series.at(values);
  }

  text(): string {
    return head(this.name, "histogram", this.#help) +
      this.#series.text((labels, one) => one.text(this.name, labels));
  }
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function sample(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${value}\n`;
}

function labelText(names: readonly string[], values: readonly string[]): string {
  return names.map((name, at) => `${name}="${escaped(values[at] ?? "")}"`).join(",");
}

/**
 * Escapes a value. Control characters other than the end of a line are removed, as they would reach
 * a terminal.
 */
function escaped(value: string): string {
  return value.slice(0, LABEL_CHARS_MAX).toWellFormed()
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("\n", "\\n")
    .replace(/\p{Cc}/gu, " ");
}
