import type { SimulatedRequest } from "./chat_request.ts";

const HAN = /\p{Script=Han}/u;
const LONGEST_QUOTE = 200;

/**
 * The answer in words: labelled as simulated, in the language of the question. It says what was
 * asked, what was seen and what the tools returned, so that a demo shows what reached the model.
 */
export function answerText(
  request: SimulatedRequest,
  options: { model: string; choice: number },
): string {
  const parts = HAN.test(request.question) ? chinese(request, options.model) : english(
    request,
    options.model,
  );
  if (options.choice > 0) parts.push(`(#${options.choice + 1})`);
  return parts.join(" ");
}

function english(request: SimulatedRequest, model: string): string[] {
  const { question, system, images, results } = request;
  const parts = ["[simulated]"];
  if (results.length > 0) parts.push(`The tools returned: ${listResults(request)}.`);
  parts.push(question === "" ? "You asked nothing." : `You asked: "${quote(question)}".`);
  if (images.length > 0) {
    parts.push(
      `I was shown ${images.length} image${images.length > 1 ? "s" : ""}: ${images.join(", ")}.`,
    );
  }
  if (system !== "") parts.push(`My instructions begin: "${quote(system)}".`);
  parts.push(pick(ENGLISH_CLOSINGS, request.seed).replace("{model}", model));
  return parts;
}

function chinese(request: SimulatedRequest, model: string): string[] {
  const { question, system, images, results } = request;
  const parts = ["【模拟】"];
  if (results.length > 0) parts.push(`工具返回：${listResults(request)}。`);
  parts.push(`您问的是：“${quote(question)}”。`);
  if (images.length > 0) parts.push(`我收到 ${images.length} 张图片：${images.join("、")}。`);
  if (system !== "") parts.push(`我的指令开头是：“${quote(system)}”。`);
  parts.push(pick(CHINESE_CLOSINGS, request.seed).replace("{model}", model));
  return parts;
}

const ENGLISH_CLOSINGS = [
  "This is {model}, a built-in stand-in: no language model was asked.",
  "{model} is a built-in stand-in; add a provider to get real answers.",
  "No language model was asked: {model} is built in, for tests and demos.",
] as const;

const CHINESE_CLOSINGS = [
  "我是内置的替身 {model}，没有调用真实的语言模型。",
  "{model} 是内置的替身；添加提供商后即可获得真实回答。",
  "没有调用真实的语言模型：{model} 内置于网关，仅供测试和演示。",
] as const;

function pick(closings: readonly [string, ...string[]], seed: number): string {
  return closings[seed % closings.length] ?? closings[0];
}

function listResults(request: SimulatedRequest): string {
  return request.results.map(({ name, text }) => `${name}: ${quote(text)}`).join("; ");
}

function quote(text: string): string {
  if (text.length <= LONGEST_QUOTE) return text;
  return `${text.slice(0, LONGEST_QUOTE).toWellFormed().replace(/\uFFFD$/, "")}…`;
}
