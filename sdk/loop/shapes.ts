/**
 * The shapes of one surface (Chat, Responses, Messages) in one type, so that ports, events and
 * results need one type parameter. Types only: no value has this type.
 */
export interface LoopShapes {
  /** The input of the next turn, usually the request body. Never changed in place. */
  conversation: unknown;
  /** A complete assistant turn of the surface: a completion, a message, output items. */
  turn: unknown;
  /** A complete tool call or item of the surface, signatures and unknown fields included. */
  call: unknown;
  /** A raw chunk or event of a stream. */
  chunk: unknown;
}
