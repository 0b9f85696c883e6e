const ENTER = /[\r\n]/;
const CTRL_C = "\x03";
const CTRL_D = "\x04";
const ERASE = /[\x7f\b]/;
/** Maximum length of the input, in characters: more is no secret. */
const LONGEST = 4_096;

/** Ctrl-C instead of a secret: the command ends without a message. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** Source of a secret: standard input, or a stand-in. */
export interface SecretSource {
  isTerminal(): boolean;
  setRaw(raw: boolean): void;
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Reads a secret: on a terminal the typed text up to Enter, without echo; else the first line of
 * the input. Empty without input.
 *
 * @throws {Interrupted} When Ctrl-C was typed.
 */
export async function readSecret(
  question: string,
  show: (text: string) => void,
  source: SecretSource = Deno.stdin,
): Promise<string> {
  if (!source.isTerminal()) return (await firstLine(source)).trim();
  show(question);
  source.setRaw(true);
  try {
    return await firstLine(source);
  } finally {
    source.setRaw(false);
    show("\n");
  }
}

async function firstLine({ readable }: SecretSource): Promise<string> {
  // Released, never cancelled: another secret may be read after this one.
  const reader = readable.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      for (const character of decoder.decode(value, { stream: !done })) {
        if (character === CTRL_C) throw new Interrupted("Interrupted");
        if (ENTER.test(character) || character === CTRL_D || text.length > LONGEST) return text;
        text = ERASE.test(character) ? text.slice(0, -1) : text + character;
      }
      if (done) return text;
    }
  } finally {
    reader.releaseLock();
  }
}
