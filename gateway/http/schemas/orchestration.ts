import { z } from "zod";

const status = z.enum(["done", "failed", "skipped"]);

/** Tokens in the shape of Chat Completions. */
export const chatUsageSchema = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
});

/** Tasks of a split request; their charges add up to the bill. */
export const orchestrationSchema = z.looseObject({
  tasks: z.array(z.strictObject({
    task_id: z.string(),
    title: z.string(),
    depends_on: z.array(z.string()),
    status,
    model: z.string().optional(),
    usage: chatUsageSchema.optional(),
    charged: z.string().regex(/^\d+\.\d{6}$/).optional(),
  })),
  final_task_id: z.literal("final"),
}).meta({ id: "Orchestration" });

/** The task of a split request that a chunk belongs to. */
export const chunkOrchestrationSchema = z.looseObject({
  task_id: z.string(),
  title: z.string().optional(),
  status: z.enum(["started", ...status.options]).optional(),
}).meta({ id: "ChunkOrchestration" });
