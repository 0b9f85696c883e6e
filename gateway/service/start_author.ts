import type { TrailAuthor } from "../domain/operators/trail.ts";

/** Author of the changes that a start makes by itself: of the files and variables that it was given. */
export const START: TrailAuthor = {
  ...{ kind: "nobody", id: "start", name: "Start of the service", address: null, requestId: "" },
};
