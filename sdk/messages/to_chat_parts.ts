import { ConfigurationError } from "../errors.ts";
import type {
  Base64Source,
  ContentBlockParam,
  ContentPart,
  ContentSource,
  DocumentBlockParam,
  ImageBlockParam,
  PlainTextSource,
  RedactedThinkingBlock,
  TextBlockParam,
  TextPart,
  ThinkingBlock,
  ToolResultBlockParam,
  ToolUseBlockParam,
  UrlSource,
} from "../protocol/mod.ts";

/** A search result of the application for the model to read, with its source. */
interface SearchResultBlock {
  readonly [field: string]: unknown;
  readonly type: "search_result";
  readonly source: string;
  readonly title: string;
  readonly content: readonly TextBlockParam[];
}

/** A block of a kind that can be sent. */
export type KnownBlock =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | SearchResultBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlockParam
  | ToolResultBlockParam;

type KnownSource = Base64Source | PlainTextSource | ContentSource | UrlSource;

/** Kinds of blocks that can be sent, with the text fields that each must have. */
const BLOCKS: Readonly<Record<KnownBlock["type"], readonly string[]>> = {
  text: ["text"],
  image: [],
  document: [],
  search_result: ["source", "title"],
  thinking: ["thinking"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name"],
  tool_result: ["tool_use_id"],
};
/** Kinds of sources that can be sent, with the text fields that each must have. */
const SOURCES: Readonly<Record<KnownSource["type"], readonly string[]>> = {
  base64: ["media_type", "data"],
  text: ["data"],
  content: [],
  url: ["url"],
};

/** Returns the blocks of a message. Throws a `ConfigurationError` at one that cannot be sent. */
export function knownBlocks(blocks: readonly ContentBlockParam[], path: string): KnownBlock[] {
  if (!Array.isArray(blocks)) {
    throw new ConfigurationError(
      `Cannot send what is without content (${path}): write text or a list of blocks`,
    );
  }
  return blocks.map((block, at) => {
    if (!isKnown(block)) throw unsendable(`a block of the type "${block?.type}"`, `${path}.${at}`);
    refuseGaps(block, { texts: BLOCKS[block.type], path: `${path}.${at}` });
    return block;
  });
}

function refuseGaps(
  whole: ContentBlockParam | KnownSource,
  { texts, path }: { readonly texts: readonly string[]; readonly path: string },
): void {
  const missing = texts.find((field) => typeof whole[field] !== "string");
  if (missing === undefined) return;
  throw new ConfigurationError(
    `Cannot send what is of the type "${whole.type}" without its ${missing} (${path})`,
  );
}

function isKnown(block: ContentBlockParam | null | undefined): block is KnownBlock {
  return typeof block?.type === "string" && Object.hasOwn(BLOCKS, block.type);
}

/** Returns the error for content that Chat cannot express, with its path. */
export function unsendable(what: string, path: string): ConfigurationError {
  return new ConfigurationError(
    `Cannot send ${what} (${path}): Chat Completions, to which it is converted, has no field for it`,
  );
}

/** Converts a text; its further fields, such as `cache_control`, are kept. */
export function textPart({ type, text, citations, ...rest }: TextBlockParam): TextPart {
  const isCited = Array.isArray(citations) && citations.length > 0;
  return { ...rest, ...(isCited ? { citations } : {}), type, text };
}

/** Returns parts in Chat's simplest form: a single plain text becomes a string. */
export function contentOf(parts: ContentPart[]): string | ContentPart[] {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && isPlain(only) ? only.text : parts;
}

/** True for a part with a text and no other field. */
export function isPlain(part: ContentPart): part is TextPart {
  return part.type === "text" && Object.keys(part).length === 2;
}

/** Returns the content that a user or a tool shows the model. */
export function contentParts(block: KnownBlock, path: string): ContentPart[] {
  switch (block.type) {
    case "text":
      return [textPart(block)];
    case "image":
      return [imagePart(block, path)];
    case "document":
      return documentParts(block, path);
    case "search_result": {
      const { type: _, source, title, content, citations, ...rest } = block;
      refuseCitations(citations, path);
      const texts = knownBlocks(content, `${path}.content`).map((block) => {
        if (block.type === "text") return block.text;
        throw unsendable(`a block of the type "${block.type}" here`, `${path}.content`);
      });
      const text = [title, source, ...texts].join("\n\n");
      return [{ ...rest, type: "text", text }];
    }
    default:
      throw unsendable(`a block of the type "${block.type}" here`, path);
  }
}

function imagePart({ type: _, source: written, ...rest }: ImageBlockParam, path: string) {
  const source = knownSource(written, path);
  if (source.type !== "base64" && source.type !== "url") {
    throw unsendable(`an image from a source of the type "${source.type}"`, path);
  }
  return { ...rest, type: "image_url", image_url: { url: addressOf(source) } };
}

/** Converts a document: a PDF becomes a file, text stays text, under its title. */
function documentParts(block: DocumentBlockParam, path: string): ContentPart[] {
  const { type: _, source: written, title, context, citations, ...rest } = block;
  refuseCitations(citations, path);
  const source = knownSource(written, path);
  const heads = [title, context].filter((head) => typeof head === "string" && head !== "");
  const head = heads.length === 0 ? [] : [{ type: "text", text: heads.join("\n") }];
  switch (source.type) {
    case "text":
      return [...head, { ...rest, type: "text", text: source.data }];
    case "content": {
      const { content } = source;
      const blocks = typeof content === "string"
        ? [{ type: "text" as const, text: content }]
        : knownBlocks(content, `${path}.source.content`);
      const parts = blocks.flatMap((one) => contentParts(one, `${path}.source.content`));
      const last = parts.pop();
      return last === undefined ? head : [...head, ...parts, { ...rest, ...last }];
    }
    default: {
      const file = { filename: title || "document.pdf", file_data: addressOf(source) };
      const about = context ? [{ type: "text", text: context }] : [];
      return [...about, { ...rest, type: "file", file }];
    }
  }
}

function knownSource(source: ImageBlockParam["source"], path: string): KnownSource {
  if (!isKnownSource(source)) {
    throw unsendable(`a source of the type "${source?.type}"`, `${path}.source`);
  }
  refuseGaps(source, { texts: SOURCES[source.type], path: `${path}.source` });
  return source;
}

function isKnownSource(source: ImageBlockParam["source"] | null): source is KnownSource {
  return typeof source?.type === "string" && Object.hasOwn(SOURCES, source.type);
}

function addressOf(source: Base64Source | UrlSource): string {
  return source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`;
}

function refuseCitations(citations: unknown, path: string): void {
  if (Object(citations).enabled === true) throw unsendable("citations", `${path}.citations`);
}
