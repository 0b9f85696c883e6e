import { catalogue } from "../../messages/catalogue.ts";

/** Endings, as pages tell them apart. */
export type OutcomeName = "ok" | "refused" | "failed" | "client_left" | "cut" | "killed";

/** How requests, attempts, holds and tasks end. */
export const outcomeMessages = catalogue({
  names: {
    ok: "Answered",
    refused: "Refused",
    failed: "Failed",
    client_left: "Caller left",
    cut: "Cut off",
    killed: "Killed",
  },
  sentences: {
    ok: "The caller has the whole answer.",
    refused: "The request was refused: the fault, or the limit, is the caller's own.",
    failed: "The caller got no answer, and no fault of theirs is known.",
    client_left: "The caller left before the end; what was delivered until then is charged.",
    cut: "The answer broke off on its way; the caller has only a part of it.",
    killed: "The gateway stopped while it answered; what was on record by then is charged.",
  },
  attempts: {
    ok: "Answered",
    connect_failed: "No connection",
    timeout: "Timed out",
    rate_limited: "Rate limited",
    refused_credentials: "Credentials refused",
    refused_input: "Input refused",
    server_error: "Server error",
    malformed: "Malformed answer",
    cut: "Cut off",
    cancelled: "Cancelled",
  },
  holds: {
    open: "Open",
    settled: "Settled",
    voided: "Voided",
    expired: "Expired",
    unknown: "Not found",
  },
  tasks: { done: "Done", failed: "Failed", skipped: "Skipped" },
  stages: {
    endpoint: "Endpoint",
    modality: "Kind of input",
    tools: "Tools",
    json: "JSON",
    context: "Length",
    policy: "Key's policy",
    tier: "Tier",
    price: "Price",
    affordable: "Wallet",
    available: "Availability",
  },
}, {
  zh: {
    names: {
      ok: "已答复",
      refused: "已拒绝",
      failed: "失败",
      client_left: "调用方离开",
      cut: "中断",
      killed: "网关中止",
    },
    sentences: {
      ok: "调用方已收到完整答复。",
      refused: "请求被拒绝：原因或限制在调用方。",
      failed: "调用方没有得到答复，也未发现是其过错。",
      client_left: "调用方在结束前离开；此前已送达的部分已计费。",
      cut: "答复在途中断开；调用方只收到一部分。",
      killed: "网关在答复时停止；此前已记录的部分已计费。",
    },
    attempts: {
      ok: "已答复",
      connect_failed: "无法连接",
      timeout: "超时",
      rate_limited: "被限流",
      refused_credentials: "凭据被拒",
      refused_input: "输入被拒",
      server_error: "服务器错误",
      malformed: "答复格式错误",
      cut: "中断",
      cancelled: "已取消",
    },
    holds: {
      open: "进行中",
      settled: "已结算",
      voided: "已作废",
      expired: "已过期",
      unknown: "未找到",
    },
    tasks: { done: "完成", failed: "失败", skipped: "跳过" },
    stages: {
      endpoint: "端点",
      modality: "输入类型",
      tools: "工具",
      json: "JSON",
      context: "长度",
      policy: "密钥策略",
      tier: "档位",
      price: "价格",
      affordable: "钱包",
      available: "可用性",
    },
  },
});

/** What a code is called; a code that is not known stands for itself. */
export function nameOf(names: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(names, code) ? names[code] ?? code : code;
}
