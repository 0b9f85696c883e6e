import { both, catalogue } from "../../messages/catalogue.ts";

/** Endings, as pages tell them apart. */
export type OutcomeName = "ok" | "refused" | "failed" | "client_left" | "cut" | "killed";

/** Messages for the outcomes of requests, attempts, holds and tasks. */
export const outcomeMessages = catalogue({
  names: {
    ok: ["Answered", "已答复"],
    refused: ["Refused", "已拒绝"],
    failed: ["Failed", "失败"],
    client_left: ["Caller disconnected", "调用方离开"],
    cut: ["Cut off", "中断"],
    killed: ["Killed", "网关中止"],
  },
  sentences: {
    ok: ["The caller received the whole answer.", "调用方已收到完整答复。"],
    refused: both`The request was refused because of its content or a limit of the caller.
      请求被拒绝：原因或限制在调用方。`,
    failed: both`The caller received no answer, and the request itself had no known fault.
      调用方没有得到答复，也未发现是其过错。`,
    client_left:
      both`The caller disconnected before the end; the part delivered until then is charged.
      调用方在结束前离开；此前已送达的部分已计费。`,
    cut: both`The answer was interrupted; the caller received only a part of it.
      答复在途中断开；调用方只收到一部分。`,
    killed: both`The gateway stopped during the answer; the part recorded until then is charged.
      网关在答复时停止；此前已记录的部分已计费。`,
  },
  attempts: {
    ok: ["Answered", "已答复"],
    connect_failed: ["No connection", "无法连接"],
    timeout: ["Timed out", "超时"],
    rate_limited: ["Rate limited", "被限流"],
    refused_credentials: ["Credentials refused", "凭据被拒"],
    refused_input: ["Input refused", "输入被拒"],
    server_error: ["Server error", "服务器错误"],
    malformed: ["Malformed answer", "答复格式错误"],
    cut: ["Cut off", "中断"],
    cancelled: ["Cancelled", "已取消"],
  },
  holds: {
    open: ["Open", "进行中"],
    settled: ["Settled", "已结算"],
    voided: ["Voided", "已作废"],
    expired: ["Expired", "已过期"],
    unknown: ["Not found", "未找到"],
  },
  tasks: { done: ["Done", "完成"], failed: ["Failed", "失败"], skipped: ["Skipped", "跳过"] },
  stages: {
    endpoint: ["Endpoint", "端点"],
    modality: ["Kind of input", "输入类型"],
    tools: ["Tools", "工具"],
    json: ["JSON", "JSON"],
    context: ["Length", "长度"],
    policy: ["Key's policy", "密钥策略"],
    tier: ["Tier", "档位"],
    price: ["Price", "价格"],
    affordable: ["Wallet", "钱包"],
    available: ["Availability", "可用性"],
  },
});

/** Returns the name of a code; an unknown code stands for itself. */
export function nameOf(names: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(names, code) ? names[code] ?? code : code;
}
