/**
 * The shapes of one surface (Chat, Responses, Messages), named together so that ports, events and
 * results carry one type parameter. Types only: there are no values of it.
 */
export interface LoopShapes {
  /** All that the next turn is asked with, usually the request body. Never changed in place. */
  conversation: unknown;
  /** A complete assistant turn, as the surface has it: a completion, a message, output items. */
  turn: unknown;
  /** A complete tool call or item, as the surface has it, signatures and unknown fields included. */
  call: unknown;
  /** A raw chunk or event of a stream. */
  chunk: unknown;
}
