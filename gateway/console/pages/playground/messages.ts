import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the playground. */
export const playgroundMessages = catalogue({
  title: ["Playground", "试验场"],
  intro:
    both`A call like an application's: it is routed, billed to the chosen wallet, and logged. Its key is created for it and expires within ten minutes.
    像应用一样发起调用：经过路由，从所选钱包扣费，并记入日志。所用密钥专为此生成，十分钟内失效。`,
  kinds: {
    chat: ["Chat", "对话"],
    responses: ["Response", "Responses"],
    images: ["Image", "图像"],
  },
  kindTabs: ["Kind of call", "调用类型"],
  wallet: ["Wallet that pays", "付费钱包"],
  walletChoice: (
    id: string,
    available: string,
  ) => [`${id}: ${available} credits`, `${id}：${available} 点`],
  system: ["Instructions", "指令"],
  systemHint: ["Role and rules for the model; optional", "模型的角色与规则，可不填"],
  prompt: ["Message", "消息"],
  imagePrompt: ["Description of the image", "图像描述"],
  maxTokens: ["Maximum answer, in tokens", "回答最长词元数"],
  maxTokensHint: ["Empty: the model's maximum", "留空：以模型上限为准"],
  size: ["Size", "尺寸"],
  orchestration: ["Orchestration", "编排"],
  orchestrations: {
    "": ["Set by the tier", "按档位设置"],
    off: ["Off", "关闭"],
    final: ["Only the final answer is streamed", "只流式输出最终回答"],
    all: ["All tasks are streamed", "流式输出所有任务"],
  },
  send: ["Send", "发送"],
  stop: ["Stop", "停止"],
  code: ["Show as code", "显示为代码"],
  noWallet: ["There is no wallet to pay from", "没有可付费的钱包"],
  noWalletHint: both`Create one first: every call is paid from a wallet.
    请先创建：每次调用都由钱包付费。`,
  wallets: ["Wallets", "钱包"],
  answer: ["Answer", "回答"],
  emptyPrompt: ["Enter a message", "请输入消息"],
  badTokens: ["Enter a whole number", "请输入整数"],
  images: ["Images", "图像"],
  drawn: ["Generated image", "生成的图像"],
  states: {
    waiting: ["Waiting for the first byte", "等待首字节"],
    streaming: ["Streaming", "正在流式输出"],
    done: ["Done", "完成"],
    stopped: ["Stopped", "已停止"],
    failed: ["Failed", "失败"],
  },
  firstText: ["first text after", "首段文字用时"],
  whole: ["whole answer after", "完整回答用时"],
  bill: ["Route and bill", "路由与账单"],
  fields: {
    model: ["Model", "模型"],
    provider: ["Provider", "供应商"],
    tier: ["Tier", "档位"],
    charged: ["Charged, credits", "扣费（点）"],
    input: ["Input tokens", "输入词元"],
    output: ["Output tokens", "输出词元"],
    reason: ["Why this model", "选择原因"],
    attempts: ["Attempts", "尝试"],
    request: ["Request", "请求"],
  },
  estimated: ["estimated", "估算"],
  hints: {
    insufficient_balance: both`Add credits on the wallet's page, or choose another wallet.
      请在钱包页面充值，或选择其他钱包。`,
    no_model_available: both`Find the failing upstreams on the page Upstreams, and probe them.
      请在“上游”页面查看并探测出问题的上游。`,
    policy_denied:
      both`The tier of this wallet has no model for this request; choose another wallet.
      此钱包的档位没有可用模型，请选择其他钱包。`,
    rate_limit_exceeded: ["Wait a moment and send it again.", "请稍候再发送。"],
    upstream_error:
      both`Every candidate failed: the request's page has the reasons; probe the upstream.
      所有候选均失败：详见请求页面；请探测该上游。`,
    upstream_timeout: both`Every candidate took too long: the request's page lists them.
      所有候选均超时：详见请求页面。`,
    context_length_exceeded: ["Shorten the message.", "请缩短消息。"],
    body_too_large: both`Shorten the message: the playground sends up to one megabyte.
      请缩短消息：试验场最多发送一兆字节。`,
    invalid_request: both`Correct the field named in the message and send it again.
      请按提示更正后重新发送。`,
  },
  anyHint: ["Details are on the request's page.", "详见请求页面。"],
  left: ["The connection broke before the answer was complete.", "回答完成前连接中断。"],
  codeTitle: ["As code", "代码"],
  codeHint: (placeholder: string) =>
    both`Replace ${placeholder} with one of your keys.
    请把 ${placeholder} 换成您自己的密钥。`,
  snippets: {
    curl: ["curl", "curl"],
    sdk: ["SDK (TypeScript)", "SDK（TypeScript）"],
    openai: ["OpenAI client (TypeScript)", "OpenAI 客户端（TypeScript）"],
    python: ["OpenAI client (Python)", "OpenAI 客户端（Python）"],
  },
});
