const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];
/** Exit code of an interrupted command, as in shells. */
export const INTERRUPTED = 130;

/** Runs a cleanup when the command is interrupted, and then ends it. */
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
