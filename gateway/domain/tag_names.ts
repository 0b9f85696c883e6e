import type { Locale } from "@svc/sdk/protocol";

type Described = Readonly<Record<Locale, readonly [name: string, description: string]>>;

/** Names of the tags, SKUs and packs that the service itself gives meaning to. */
const TAGS: Readonly<Record<string, Described>> = {
  tools: {
    en: ["Tools", "Calls functions that the application declares"],
    zh: ["工具调用", "可调用应用声明的函数"],
  },
  vision: { en: ["Vision", "Reads images"], zh: ["视觉", "可理解图片"] },
  json: {
    en: ["Structured output", "Answers in JSON that follows a schema"],
    zh: ["结构化输出", "按给定模式输出 JSON"],
  },
  reasoning: {
    en: ["Reasoning", "Thinks before it answers"],
    zh: ["推理", "先思考再作答"],
  },
  audio: { en: ["Audio", "Hears and speaks"], zh: ["音频", "可处理语音"] },
  files: { en: ["Files", "Reads attached files"], zh: ["文件", "可阅读附件"] },
  text: { en: ["Text", "Billed by token"], zh: ["文本", "按词元计费"] },
  image: { en: ["Images", "Billed by image"], zh: ["图像", "按图片计费"] },
};

/** Name and description of a tag; an operator's own tags are their own names. */
export function describeTag(id: string, locale: Locale): { name: string; description: string } {
  const [name, description] = TAGS[id]?.[locale] ?? [id, ""];
  return { name, description };
}
