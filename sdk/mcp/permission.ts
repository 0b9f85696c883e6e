import { isGranted } from "@svc/tools/sandbox";
import { ToolError } from "@svc/tools";

/** A call that the application is asked to permit. */
export interface McpPermissionRequest {
  /** Name of the server, as the application gave it. */
  readonly server: string;
  /** Name of the tool, as the server gave it. */
  readonly tool: string;
  /** A copy of the input of the call. */
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * Hints of the server about its tool, such as `readOnlyHint`. Only the server vouches for them.
   */
  readonly annotations: Readonly<Record<string, unknown>>;
  /** Id of the call that the model made. */
  readonly toolCallId: string;
  /** Aborted when the permission is no longer needed. */
  readonly signal: AbortSignal;
}

/** Decides on one call. Any value except `true` refuses it. */
export type McpPermission = (request: McpPermissionRequest) => boolean | Promise<boolean>;

/**
 * Asks for a call.
 *
 * @throws {ToolError} It is refused.
 */
export async function askFor(
  request: McpPermissionRequest,
  { permission, timeoutMs }: {
    readonly permission: McpPermission | undefined;
    readonly timeoutMs: number;
  },
): Promise<void> {
  if (permission === undefined) {
    throw refused(
      "the application permits no calls of this server; it can with a permission callback",
    );
  }
  const { signal } = request;
  if (await isGranted(permission, Object.freeze(request), { timeoutMs, signal })) return;
  throw refused("the application did not permit this call");
}

function refused(reason: string): ToolError {
  return new ToolError(`The tool did not run: ${reason}`, { code: "permission_denied" });
}
