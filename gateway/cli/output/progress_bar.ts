import type { CliIo } from "../io.ts";

/** Time between two drawings, in milliseconds. */
const REDRAW_MS = 100;
/** Before that no rate is told, in milliseconds: it would only be a guess. */
const RATE_AFTER_MS = 500;
const BAR_WIDTH = 24;
const ERASE_LINE = "\r\x1b[K";

/** What a bar needs of the world. */
export type BarIo = Pick<CliIo, "stderr" | "env" | "progressColumns">;

/** How far something has come, in one line of standard error that is drawn over again. */
export interface ProgressBar {
  /** Draws the line, unless that was done just now. */
  show(done: number, total: number): void;
  /** Takes the line away. To be called in any case, also more than once. */
  end(): void;
}

/** A bar; one that draws nothing where `quiet` or where standard error is no terminal. */
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
  /** What is counted. */
  readonly unit: string;
  readonly done: number;
  readonly total: number;
  /** So many a second; absent while it is not known. */
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

/** As much of it as the line has room for, the most telling first. */
function barLine(progress: Progress, width: number, colours: Colours): string {
  const { label, unit, done, total, rate } = progress;
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const filled = Math.round(share * BAR_WIDTH);
  const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
  const left = rate === undefined || rate <= 0 ? "" : `  ${timeText((total - done) / rate)} left`;
  const speed = rate === undefined ? "" : `  ${count(rate).padStart(7)}/s`;
  const all = count(total);
  const counts = `  ${count(done).padStart(all.length)} of ${all} ${unit}`;
  const bar = `  ${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}`;
  const parts = [`${label} ${percent}`, left, bar, speed, counts];
  let room = width;
  const [head = "", time, drawn, pace, amount] = parts.map((text) => {
    if (text.length > room) return "";
    room -= text.length;
    return text;
  });
  const coloured = drawn === "" || drawn === undefined
    ? ""
    : `  ${colours.filled}${"#".repeat(filled)}${colours.plain}${drawn.slice(2 + filled)}`;
  return `${head}${coloured}${amount}${pace}${time}`;
}

function count(number: number): string {
  return Math.round(number).toLocaleString("en");
}

function timeText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}
