import { ToolContent, ToolError, type ToolImage } from "@svc/tools";
import { isJsonObject, type JsonObject } from "@svc/tools/json";

/** Most images of one result that are shown to the model. */
const MAX_IMAGES = 16;

/** Text and images of a result. */
interface Parts {
  readonly texts: string[];
  readonly images: ToolImage[];
}

/**
 * Returns the result of a call for the model: its texts, its images beside them, and structured
 * content unless the text says the same. Bytes of other kinds are named and left out.
 *
 * @throws {ToolError} The server reports a failure.
 */
export function resultOf(result: JsonObject): string | ToolContent {
  const { content, isError, structuredContent } = result;
  const parts: Parts = { texts: [], images: [] };
  for (const block of Array.isArray(content) ? content : []) {
    if (isJsonObject(block)) add(block, parts);
  }
  const written = parts.texts.join("\n\n");
  if (isError === true) {
    throw new ToolError(written || "The tool failed without a reason", { code: "mcp_tool_failed" });
  }
  const text = structuredContent === undefined
    ? written
    : withStructure(written, structuredContent);
  const { images } = parts;
  if (images.length === 0) return text;
  const label = text === "" ? "The result is shown below" : text;
  if (images.length <= MAX_IMAGES) return new ToolContent(label, images);
  const cut = `Only ${MAX_IMAGES} of ${images.length} images are shown`;
  return new ToolContent(`${label}\n\n${cut}`, images.slice(0, MAX_IMAGES));
}

function add(block: JsonObject, { images, texts }: Parts): void {
  switch (block["type"]) {
    case "text":
      texts.push(String(block["text"]));
      break;
    case "image":
      images.push({ mediaType: String(block["mimeType"]), data: String(block["data"]) });
      break;
    case "audio":
      texts.push(leftOut("audio", block["mimeType"], block["data"]));
      break;
    case "resource":
      addResource(block["resource"], { images, texts });
      break;
    case "resource_link": {
      const { description, mimeType, name, title, uri } = block;
      const about = [title ?? name, uri, mimeType, description];
      texts.push(`Resource: ${about.filter((one) => typeof one === "string").join(", ")}`);
      break;
    }
    default:
      texts.push(leftOut(String(block["type"]), undefined, undefined));
  }
}

/** Adds a resource that is part of the result. */
function addResource(resource: unknown, { images, texts }: Parts): void {
  if (!isJsonObject(resource)) return;
  const { blob, mimeType, text, uri } = resource;
  const head = `Resource ${String(uri)}`;
  if (typeof text === "string") {
    texts.push(`${head}:\n${text}`);
  } else if (typeof blob === "string" && /^image\//.test(String(mimeType))) {
    texts.push(`${head} is an image`);
    images.push({ mediaType: String(mimeType), data: blob });
  } else {
    texts.push(`${head}: ${leftOut("bytes", mimeType, blob)}`);
  }
}

function leftOut(kind: string, mediaType: unknown, base64: unknown): string {
  const type = typeof mediaType === "string" ? ` of the type ${mediaType}` : "";
  const bytes = typeof base64 === "string" ? `, ${Math.floor(base64.length * 3 / 4)} bytes` : "";
  return `[Left out: ${kind}${type}${bytes}]`;
}

/** Servers are asked to write structured content as text, too, which is then sent once. */
function withStructure(written: string, structure: unknown): string {
  const json = JSON.stringify(structure);
  if (written === "") return json;
  try {
    if (JSON.stringify(JSON.parse(written)) === json) return json;
  } catch {
    // A text of another kind.
  }
  return `${written}\n\n${json}`;
}
