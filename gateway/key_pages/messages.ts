import { both, catalogue } from "../console/messages/catalogue.ts";

/** Messages of the pages of key holders. */
export const ownMessages = catalogue({
  sections: { key: ["Key", "密钥"], usage: ["Usage", "用量"], requests: ["Requests", "请求"] },
  signIn: ["Sign in", "登录"],
  signInIntro: both`To the records of one key, to read only. A link signs in once, for an hour.
    查看一个密钥的记录，仅可读取。链接只能登录一次，有效一小时。`,
  code: ["Code of the link", "链接中的代码"],
  codeHint:
    both`Filled in when you open the link. Otherwise paste what follows the "#". Ask the operator, or the holder of the key, for a link.
    打开链接时自动填入；否则请粘贴“#”之后的内容。链接可向运营者或密钥的持有方索取。`,
  submit: ["Sign in", "登录"],
  wrong: both`This link was used, is over, or was never valid. Ask for a new one.
    此链接已使用、已失效或不存在。请索取新的链接。`,
  missing: ["Enter the code of a link", "请输入链接中的代码"],
  wait: (seconds: number) =>
    both`Too many wrong codes came from this address; wait ${seconds} s and try again
    此地址提交的错误代码过多；请等待 ${seconds} 秒后重试`,
  signedOut: ["You are signed out.", "您已退出登录。"],
  ended: both`Your session has ended. Ask for a new link to sign in again.
    您的会话已结束。请索取新的链接再登录。`,
  keyIntro: (time: string) => [`Signed in until ${time} UTC`, `登录有效至 ${time}（UTC）`],
  names: {
    id: ["Id", "编号"],
    hint: ["Begins with", "开头"],
    created: ["Created", "创建时间"],
    lastUsed: ["Last used", "最近使用"],
  },
  about: ["About this key", "关于此密钥"],
  noLimits: ["This key has no limits of its own.", "此密钥没有单独的限制。"],
  policy: ["Policy", "策略"],
  expires: ["Expires", "到期时间"],
  never: ["never", "从不"],
  wallet: ["Wallet", "钱包"],
  walletHidden: ["not shown to the holder of this key", "不向此密钥的持有者显示"],
  tier: ["Tier", "档位"],
  available: ["Available", "可用"],
  held: ["Held by calls in flight", "进行中的调用所冻结"],
  left: ["What is left", "剩余"],
  limit: ["Limit", "限制"],
  remaining: ["Left / limit", "剩余 / 上限"],
  limits: {
    day: ["Credits today", "今日点数"],
    month: ["Credits this month", "本月点数"],
    total: ["Credits in all", "总点数"],
    requestsPerMinute: ["Requests a minute", "每分钟请求数"],
    tokensPerMinute: ["Tokens a minute", "每分钟词元数"],
    concurrentRequests: ["Requests at once", "并发请求数"],
  },
  logContent: ["Content logging", "内容记录"],
  contentOn: both`on: operators can read prompts and answers of this key
    开：运营者可以阅读此密钥的提问和答复`,
  contentOff: ["off", "关"],
  usageIntro: both`Of this key alone, by UTC, as it was charged.
    仅此密钥的用量，按 UTC 和实际扣费统计。`,
  last: (days: string) => [`Last ${days} days`, `最近 ${days} 天`],
  calls: ["Requests", "请求数"],
  input: ["Input tokens", "输入词元"],
  cached: ["Of them cached", "其中缓存"],
  output: ["Output tokens", "输出词元"],
  charged: ["Credits", "费用（点）"],
  noUsage: ["Nothing was used in this time", "此时段没有用量"],
  noRequests: ["No request has ended yet", "尚无已结束的请求"],
  noRequestsHint: both`Requests appear here once they have ended.
    请求结束后会显示在这里。`,
  requestsIntro: both`The calls of this key, without their text.
    此密钥的调用，不含文本。`,
  search: ["Request id", "请求编号"],
  notFound: ["The key has no such request", "此密钥没有这个请求"],
  notFoundHint: both`It may still be running, or be older than the log.
    它可能仍在进行，或早于日志保留期。`,
});
