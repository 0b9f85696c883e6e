/**
 * Qualities of known models for the catalog: scores at MMLU as their makers published them. With
 * chain of thought where the maker states that, else with five examples.
 *
 * @module
 */

const PUBLISHED: Readonly<Record<string, number>> = {
  // Mixtral of Experts (arXiv 2401.04088), table 2.
  "mistralai/Mixtral-8x7B-Instruct-v0.1": 0.706,
  // GPT-4 technical report (arXiv 2303.08774), table 2; the turbo version has none of its own.
  "gpt-4-1106-preview": 0.864,
  // "Hello GPT-4o", openai.com, May 2024.
  "gpt-4o-2024-08-06": 0.887,
  // "GPT-4o mini: advancing cost-efficient intelligence", openai.com, July 2024.
  "gpt-4o-mini-2024-07-18": 0.82,
  // GPT-4 technical report, table 2, the column of GPT-3.5.
  "gpt-3.5-turbo-0125": 0.7,
  // The Claude 3 model family, model card, March 2024, table 1.
  "claude-3-opus-20240229": 0.882,
  "claude-3-haiku-20240307": 0.767,
  // The model card's addendum of June 2024, for the version before.
  "claude-3-5-sonnet-20241022": 0.904,
  // Gemini 1.5 report (arXiv 2403.05530).
  "gemini-1.5-flash": 0.789,
  "gemini-1.5-pro": 0.859,
  // The Llama 3 herd of models (arXiv 2407.21783), table 2.
  "Meta-Llama-3.1-8B-Instruct": 0.73,
  "Meta-Llama-3.1-70B-Instruct": 0.86,
  // "Large Enough", mistral.ai, July 2024.
  "Mistral-Large-2": 0.84,
  // DeepSeek-V3 technical report (arXiv 2412.19437), table 6.
  "deepseek-v2.5-0908": 0.806,
};

/** Returns the published quality of a model, 0 to 1; `undefined` for a model without one here. */
export function publishedQuality(model: string): number | undefined {
  return Object.hasOwn(PUBLISHED, model) ? PUBLISHED[model] : undefined;
}
