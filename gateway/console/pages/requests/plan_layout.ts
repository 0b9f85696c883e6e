/** A task in the drawing of a plan. */
export interface PlacedTask {
  readonly taskId: string;
  /** Top left corner. */
  readonly x: number;
  readonly y: number;
}

/** An arrow from a task to one that waits for it. */
export interface PlacedArrow {
  readonly from: string;
  readonly to: string;
  /** The `d` of an SVG path. */
  readonly path: string;
}

/** A drawing of a plan. */
export interface PlanLayout {
  readonly width: number;
  readonly height: number;
  readonly tasks: readonly PlacedTask[];
  readonly arrows: readonly PlacedArrow[];
}

/** Size of a task's box. */
export const BOX = { width: 168, height: 60 } as const;
const GAP = { x: 56, y: 20 } as const;
/** Room for the outline of a box at the edge. */
const EDGE = 2;

interface Planned {
  readonly taskId: string;
  readonly dependsOn: readonly string[];
}

/**
 * Lays a plan out by depth, from left to right: each task one column after the last of those that it
 * waits for; tasks of one depth stand under each other, in the middle.
 */
export function layOut(tasks: readonly Planned[]): PlanLayout {
  const depths = depthsOf(tasks);
  const columns: string[][] = [];
  for (const { taskId } of tasks) (columns[depths.get(taskId) ?? 0] ??= []).push(taskId);
  const filled = columns.filter((column) => column.length > 0);
  const most = Math.max(1, ...filled.map((column) => column.length));
  const height = spanOf(most, BOX.height, GAP.y) + 2 * EDGE;
  const placed = filled.flatMap((column, at) => {
    const top = (height - spanOf(column.length, BOX.height, GAP.y)) / 2;
    return column.map((taskId, row) => ({
      taskId,
      x: EDGE + at * (BOX.width + GAP.x),
      y: top + row * (BOX.height + GAP.y),
    }));
  });
  const places = new Map(placed.map((task) => [task.taskId, task]));
  return {
    width: spanOf(filled.length, BOX.width, GAP.x) + 2 * EDGE,
    height,
    tasks: placed,
    arrows: tasks.flatMap(({ taskId, dependsOn }) =>
      dependsOn.flatMap((from) => arrow(places.get(from), places.get(taskId)))
    ),
  };
}

/** A column for each: after all that it waits for. What waits for itself, over corners, has none. */
function depthsOf(tasks: readonly Planned[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const depthOf = (task: Planned, above: ReadonlySet<string>): number => {
    const known = depths.get(task.taskId);
    if (known !== undefined) return known;
    if (above.has(task.taskId)) return 0;
    const path = new Set([...above, task.taskId]);
    const before = task.dependsOn.flatMap((id) => byId.get(id) ?? []);
    const depth = Math.max(-1, ...before.map((each) => depthOf(each, path))) + 1;
    depths.set(task.taskId, depth);
    return depth;
  };
  for (const task of tasks) depthOf(task, new Set());
  return depths;
}

function arrow(from: PlacedTask | undefined, to: PlacedTask | undefined): PlacedArrow[] {
  if (from === undefined || to === undefined) return [];
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x - 2, to.y + BOX.height / 2];
  const middle = (x1 + x2) / 2;
  const path = `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  return [{ from: from.taskId, to: to.taskId, path }];
}

function spanOf(count: number, size: number, gap: number): number {
  return count * size + Math.max(0, count - 1) * gap;
}
