import type { Locale } from "@svc/sdk/protocol";

type Described = Readonly<Record<Locale, readonly [name: string, description: string]>>;

/** Names of the tags, SKUs and packs that the service defines. */
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
  reasoning: { en: ["Reasoning", "Thinks before it answers"], zh: ["推理", "先思考再作答"] },
  audio: { en: ["Audio", "Hears and speaks"], zh: ["音频", "可处理语音"] },
  files: { en: ["Files", "Reads attached files"], zh: ["文件", "可阅读附件"] },
  dimensions: {
    en: ["Dimensions", "Shortens its vectors to the length asked for"],
    zh: ["可变维度", "可按要求缩短向量"],
  },
  token_ids: {
    en: ["Token ids", "Embeds texts that are given as token ids"],
    zh: ["词元编号", "可直接接收词元编号"],
  },
  software: {
    en: ["Software", "Suits writing and reviewing code"],
    zh: ["软件开发", "适合编写与审查代码"],
  },
  support: {
    en: ["Customer support", "Suits many short conversations"],
    zh: ["客户服务", "适合大量简短对话"],
  },
  education: {
    en: ["Education", "Suits explaining and practising"],
    zh: ["教育", "适合讲解与练习"],
  },
  finance: {
    en: ["Finance", "Suits figures and long reports"],
    zh: ["金融", "适合数据与长篇报告"],
  },
  legal: {
    en: ["Legal", "Suits long documents with exact wording"],
    zh: ["法律", "适合措辞严谨的长文档"],
  },
  media: {
    en: ["Media and design", "Draws for publications and designs"],
    zh: ["媒体与设计", "为出版与设计绘图"],
  },
  text: { en: ["Text", "Billed by token"], zh: ["文本", "按词元计费"] },
  embedding: { en: ["Embeddings", "Billed by token of the input"], zh: ["向量", "按输入词元计费"] },
  image: { en: ["Images", "Billed by image"], zh: ["图像", "按图片计费"] },
};

/** Returns name and description of a tag. The name of an operator's tag is its id. */
export function describeTag(id: string, locale: Locale): { name: string; description: string } {
  const [name, description] = TAGS[id]?.[locale] ?? [id, ""];
  return { name, description };
}
