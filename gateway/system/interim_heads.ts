import { Buffer } from "node:buffer";
import type { Socket } from "node:net";

/** `HTTP/1.1 1`, where the minor version may be any. */
const START = new TextEncoder().encode("HTTP/1._ 1");
/** The status 101 ends the protocol, and is left to the reader. */
const SWITCHING = "01";
/** Length of a start with its status. */
const STATUS_BYTES = START.length + SWITCHING.length;
const ANY = "_".charCodeAt(0);
const END = "\r\n\r\n";
/** Maximum length of such a head, in bytes. */
const HEAD_MAX_BYTES = 8 * 1024;

/**
 * Lets a connection skip interim heads, such as `100 Continue`, while it awaits that of an answer. Servers may send it unasked (RFC
 * 9110, 15.2.1), and undici takes it for a broken answer.
 */
export function withoutInterim(socket: Socket, awaitsHead: () => boolean): void {
  const read = socket.read.bind(socket);
  let partial: Buffer | undefined;
  socket.read = (size?: number): Buffer | null => {
    while (true) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || (partial === undefined && !awaitsHead())) return chunk;
      const bytes = partial === undefined ? chunk : Buffer.concat([partial, chunk]);
      partial = undefined;
      const rest = afterInterim(bytes);
      if (rest === undefined) partial = bytes;
      else if (rest.length > 0) return rest;
    }
  };
}

/** Returns what follows interim heads; `undefined` where their end has not arrived. */
function afterInterim(bytes: Buffer): Buffer | undefined {
  let rest = bytes;
  while (mayBeInterim(rest)) {
    if (rest.length < STATUS_BYTES) return rest.length === 0 ? rest : undefined;
    const end = rest.indexOf(END);
    if (end < 0) return rest.length > HEAD_MAX_BYTES ? rest : undefined;
    rest = rest.subarray(end + END.length);
  }
  return rest;
}

function mayBeInterim(bytes: Buffer): boolean {
  const isStart = START.every((byte, at) =>
    at >= bytes.length || byte === ANY || bytes[at] === byte
  );
  return isStart && bytes.toString("latin1", START.length, STATUS_BYTES) !== SWITCHING;
}
