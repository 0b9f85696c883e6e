import type { CliIo } from "../io.ts";

/** Minimum time between two drawings, in milliseconds. */
const REDRAW_MS = 100;
/** Time before a rate is shown, in milliseconds: earlier it would be a guess. */
const RATE_AFTER_MS = 500;
const BAR_WIDTH = 24;
const ERASE_LINE = "\r\x1b[K";

/** Output of a progress bar. */
export type BarIo = Pick<CliIo, "stderr" | "env" | "progressColumns">;

/** Progress in one line of standard error that is redrawn. */
export interface ProgressBar {
  /** Draws the line, unless it was drawn a moment ago. */
  show(done: number, total: number): void;
  /** Removes the line. Call it in any case; may be called again. */
  end(): void;
}

/**
 * Creates a progress bar; one that draws nothing if `quiet`, or if standard error is no terminal.
 */
export function progressBar(
  io: BarIo,
  options: { label: string; quiet: boolean; unit?: string; nowMs?: () => number },
): ProgressBar {
  const { label, quiet, unit = "entries", nowMs = () => performance.now() } = options;
  const { progressColumns: columns } = io;
  if (quiet || columns === undefined) return { show: () => {}, end: () => {} };
  const startMs = nowMs();
  let first: number | undefined;
  let drawnMs = -Infinity;
  let isDrawn = false;
  return {
    show(done, total) {
      const timeMs = nowMs();
      first ??= done;
      if (timeMs - drawnMs < REDRAW_MS) return;
      drawnMs = timeMs;
      isDrawn = true;
      const tookMs = timeMs - startMs;
      const rate = tookMs < RATE_AFTER_MS ? undefined : (done - first) * 1_000 / tookMs;
      // One column stays free: a full line would make some terminals begin the next.
      io.stderr(
        ERASE_LINE + barLine({ label, unit, done, total, rate }, columns - 1, colours(io.env)),
      );
    },
    end() {
      if (isDrawn) io.stderr(ERASE_LINE);
      isDrawn = false;
    },
  };
}

interface Progress {
  readonly label: string;
  /** Name of the counted items. */
  readonly unit: string;
  readonly done: number;
  readonly total: number;
  /** Items per second; absent while unknown. */
  readonly rate: number | undefined;
}

interface Colours {
  readonly filled: string;
  readonly plain: string;
}

/** https://no-color.org: any value but the empty one turns colours off. */
function colours(env: CliIo["env"]): Colours {
  return env.NO_COLOR ? { filled: "", plain: "" } : { filled: "\x1b[36m", plain: "\x1b[0m" };
}

/** Composes as many parts as fit, the most important first. */
function barLine(progress: Progress, width: number, colours: Colours): string {
  const { label, unit, done, total, rate } = progress;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const remaining = rate === undefined || rate <= 0
    ? ""
    : `  ${timeText((total - done) / rate)} left`;
  const speed = rate === undefined ? "" : `  ${count(rate).padStart(7)}/s`;
  const all = count(total);
  const counts = `  ${count(done).padStart(all.length)} of ${all} ${unit}`;
  const bar = `  ${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}`;
  const parts = [`${label} ${percent}`, remaining, bar, speed, counts];
  let room = width;
  const [head = "", time, barText, pace, amount] = parts.map((text) => {
    if (text.length > room) return "";
    room -= text.length;
    return text;
  });
  const coloured = barText === "" || barText === undefined
    ? ""
    : `  ${colours.filled}${"#".repeat(filled)}${colours.plain}${barText.slice(2 + filled)}`;
  return `${head}${coloured}${amount}${pace}${time}`;
}

function count(number: number): string {
  return Math.round(number).toLocaleString("en");
}

function timeText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}
