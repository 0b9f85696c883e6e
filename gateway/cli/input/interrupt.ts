const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];
/** Exit code of what was interrupted, as shells have it. */
export const INTERRUPTED = 130;

/** Takes back what is unfinished when the command is interrupted, which then ends. */
export function onInterrupt(takeBack: () => void): { off(): void } {
  const onSignal = () => {
    takeBack();
    Deno.exit(INTERRUPTED);
  };
  for (const signal of SIGNALS) Deno.addSignalListener(signal, onSignal);
  return {
    off() {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, onSignal);
    },
  };
}
