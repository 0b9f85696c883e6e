import { ORCHESTRATION_FINAL_TASK_ID } from "@svc/sdk/protocol";
import type { SimulatedRequest } from "./chat_request.ts";
import { type CitedSource, citedSources } from "./cited_sources.ts";

const HAN = /\p{Script=Han}/u;
const LONGEST_QUOTE = 200;

/**
 * Returns the answer's text: labelled as simulated, in the language of the question. It repeats the
 * question, the images and the results of tools, so that a demo shows the input of the model. Of
 * search results it names the first sources, each cited by its number in square brackets.
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
  const { question, system, images, task } = request;
  const { sources, others } = resultsIn(request);
  const parts = ["[simulated]"];
  if (task?.id === ORCHESTRATION_FINAL_TASK_ID) {
    parts.push(`I was given the results of ${listed(task.resultIds)}.`);
    if (task.missing.length > 0) parts.push(`Missing are those of ${listed(task.missing)}.`);
  } else if (task !== undefined) parts.push(`My part is ${task.id}.`);
  if (sources?.length === 0) parts.push("The search found nothing.");
  else if (sources !== undefined) parts.push(`I found ${sources.map(sentenceOf).join("; ")}.`);
  if (others !== "") parts.push(`The tools returned: ${others}.`);
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
  const { question, system, images, task } = request;
  const { sources, others } = resultsIn(request);
  const parts = ["【模拟】"];
  if (task?.id === ORCHESTRATION_FINAL_TASK_ID) {
    parts.push(`我收到了这些部分的结果：${task.resultIds.join("、") || "无"}。`);
    if (task.missing.length > 0) parts.push(`缺少：${task.missing.join("、")}。`);
  } else if (task !== undefined) parts.push(`我负责的部分是 ${task.id}。`);
  if (sources?.length === 0) parts.push("没有搜索到任何内容。");
  else if (sources !== undefined) parts.push(`我找到：${sources.map(toldInChinese).join("；")}。`);
  if (others !== "") parts.push(`工具返回：${others}。`);
  parts.push(`您问的是：“${quote(question)}”。`);
  if (images.length > 0) parts.push(`我收到 ${images.length} 张图片：${images.join("、")}。`);
  if (system !== "") parts.push(`我的指令开头是：“${quote(system)}”。`);
  parts.push(pick(CHINESE_CLOSINGS, request.seed).replace("{model}", model));
  return parts;
}

function listed(ids: readonly string[]): string {
  return ids.join(", ") || "none";
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

/**
 * Returns the sources that searches returned, `undefined` without a search; and all other results.
 */
function resultsIn({ results }: SimulatedRequest): {
  readonly sources: readonly CitedSource[] | undefined;
  readonly others: string;
} {
  const others: string[] = [];
  let sources: CitedSource[] | undefined;
  for (const { name, text } of results) {
    const searched = citedSources(text);
    if (searched === undefined) others.push(`${name}: ${quote(text)}`);
    else (sources ??= []).push(...searched);
  }
  return { sources, others: others.join("; ") };
}

function sentenceOf({ name, number, passage }: CitedSource): string {
  return passage === "" ? `"${name}" [${number}]` : `in ${name}: "${passage}" [${number}]`;
}

function toldInChinese({ name, number, passage }: CitedSource): string {
  return passage === "" ? `《${name}》[${number}]` : `${name} 中的“${passage}”[${number}]`;
}

function quote(text: string): string {
  if (text.length <= LONGEST_QUOTE) return text;
  return `${text.slice(0, LONGEST_QUOTE).toWellFormed().replace(/\uFFFD$/, "")}…`;
}
