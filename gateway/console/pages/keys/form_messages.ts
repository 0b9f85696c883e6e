import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the form of a policy, and of its preview. */
export const formMessages = catalogue({
  groups: {
    identity: ["Name and wallet", "名称与钱包"],
    calls: ["Permitted calls", "允许的调用"],
    money: ["Spending limits", "花费上限"],
    pace: ["Rate limits", "调用频率"],
    place: ["Network and expiry", "来源与期限"],
    orchestration: ["Splitting hard requests", "拆分复杂请求"],
    dialect: ["Format of the answers", "回答的格式"],
    auto: ["Choice of models", "模型选择"],
    holder: ["Holder of the key", "密钥持有者"],
    files: ["Files and vector stores", "文件与向量库"],
    embeddings: ["Embedding model", "嵌入模型"],
  },
  moreCalls: both`By provider, tier, ability, industry or hosted tool
    按供应商、档位、能力、行业或托管工具`,
  name: ["Name", "名称"],
  nameHint: both`A name to recognise the key by, such as its application and environment.
    便于辨认，例如应用名称及其运行位置。`,
  wallet: ["Wallet", "钱包"],
  walletHint: both`Pays every call of the key; its tier applies.
    为此密钥的每次调用付费；适用其档位。`,
  all: ["All", "全部"],
  some: ["Only these", "仅限所选"],
  allHints: {
    endpoints: ["Every endpoint of the service.", "服务的所有端点。"],
    models: both`Every model of the wallet's tier, including later ones.
      钱包档位内的所有模型，包括以后新增的。`,
    providers: ["Models of every provider.", "所有提供商的模型。"],
    tiers: ["The tier of the wallet.", "钱包的档位。"],
    featureTags: ["Models of every ability.", "具备任何能力的模型。"],
    industryPacks: ["Models of every industry pack.", "任何行业包的模型。"],
    hostedTools: both`Every tool that the gateway runs; searches are charged separately.
      在此运行的所有工具；搜索另行计费。`,
  },
  someHints: {
    endpoints: ["Nothing chosen: no endpoint.", "一个都不选：没有可用端点。"],
    models: ["Nothing chosen: no model.", "一个都不选：没有可用模型。"],
    providers: ["Nothing chosen: no provider.", "一个都不选：没有可用提供商。"],
    tiers: both`The wallet's tier, or the highest chosen one below it, applies.
      适用钱包的档位，或其下所选的最高档位。`,
    featureTags: ["A model needs one of these.", "模型须具备其中之一。"],
    industryPacks: ["A model needs one of these.", "模型须属于其中之一。"],
    hostedTools: ["Nothing chosen: no hosted tool.", "一个都不选：没有托管工具。"],
  },
  noChoices: ["The catalog has none.", "目录中没有。"],
  fields: {
    endpoints: ["Endpoints", "端点"],
    models: ["Models", "模型"],
    providers: ["Providers", "提供商"],
    tiers: ["Tiers", "档位"],
    featureTags: ["Feature tags", "能力标签"],
    industryPacks: ["Industry packs", "行业包"],
    hostedTools: ["Hosted tools", "托管工具"],
    maxChargePerRequest: ["Maximum for one request", "单次请求上限"],
    budget_day: ["Budget a day", "每日预算"],
    budget_month: ["Budget a month", "每月预算"],
    budget_total: ["Budget in all", "总预算"],
    budgets: ["Budgets of users and tags", "用户与标签的预算"],
    requiredTags: ["Required tags", "必需的标签"],
    requiredUser: ["Required user", "必需的用户"],
    requestsPerMinute: ["Requests a minute", "每分钟请求数"],
    tokensPerMinute: ["Tokens a minute", "每分钟词元数"],
    concurrentRequests: ["Requests at once", "并发请求数"],
    ipRanges: ["IP ranges", "IP 范围"],
    expiresAt: ["Expires (UTC)", "到期时间（UTC）"],
    mode: ["Split requests", "拆分请求"],
    stream: ["Content of streams", "流式输出的内容"],
    dialect: ["Dialect", "方言"],
    auto_dial: ["Dial", "质量档"],
    auto_maxDial: ["Highest dial of a request", "请求可设的最高质量档"],
    auto_qualityFloor: ["Quality floor", "质量下限"],
    auto_verify: ["Verified answers", "核对回答"],
    auto_audits: ["Audits", "审计"],
    wallet_sight: ["Wallet for its holder", "持有者可见的钱包"],
    files_files: ["Files", "文件数"],
    files_bytes: ["Size of all files, in bytes", "文件总大小（字节）"],
    files_stores: ["Vector stores", "向量库数"],
    files_requestsPerMinute: ["Requests to files a minute", "文件接口每分钟请求数"],
    files_textBytes: ["Text in vector stores, in bytes", "向量库文本总大小（字节）"],
    embeddings_model: ["Embedding model", "嵌入模型"],
    embeddings_dimensions: ["Length of the vectors", "向量长度"],
  },
  credits: ["In credits. Empty: no limit.", "单位为点。留空：不限。"],
  budgetHint: both`In credits, by UTC. Shared with the keys that replace it.
    单位为点，按 UTC 计；与替换它的密钥共用。`,
  namedBudgets: ["By user and tag", "按用户和标签"],
  budgetsHint: both`One per line, such as day 5 user ann, or month 100 total 900 tag team=search.
    每行一个，如 day 5 user ann，或 month 100 total 900 tag team=search。`,
  requiredTagsHint: both`Names, such as team: calls without these tags are refused.
    标签名，如 team：缺少这些标签的调用会被拒绝。`,
  userChoices: {
    off: [["No", "否"], [
      "A call without a user has no user's budget.",
      "无用户的调用不计入用户预算。",
    ]],
    on: [["Yes", "是"], ["Calls without a user are refused.", "缺少用户的调用会被拒绝。"]],
  },
  count: ["Empty: no limit.", "留空：不限。"],
  ipHint: both`One per line, such as 10.0.0.0/8 or 2001:db8::/32. Empty: any address.
    每行一个，如 10.0.0.0/8 或 2001:db8::/32。留空：不限来源。`,
  expiresHint: both`Final: an expired key cannot be renewed. Empty: never.
    不可撤回：过期的密钥无法恢复。留空：永不过期。`,
  roomHint: (count: string) =>
    both`Of the wallet, up to which the key may add. Empty: ${count}.
    此密钥可将钱包用至此数。留空：${count}。`,
  embeddingsHint: both`An id of the catalog. Empty: the model of the first call stays.
    目录中的编号。留空：沿用首次调用的模型。`,
  lengthHint: both`Empty: that of the first answer stays.
    留空：沿用首次回答的长度。`,
  modes: {
    off: [["Never", "从不"], ["Every request goes to one model.", "每个请求只交给一个模型。"]],
    auto: [
      ["When useful", "按需"],
      both`The service decides for each request.
      由服务根据请求决定。`,
    ],
    always: [
      ["Whenever possible", "尽可能"],
      both`Even if one model is sufficient.
      即使一个模型就够。`,
    ],
  },
  streams: {
    all: [
      ["All tasks", "所有任务"],
      both`Chunks of sub-tasks too, where the client can tell them apart.
      在客户端能够区分时，也包含子任务的片段。`,
    ],
    final: [
      ["The answer only", "仅最终回答"],
      both`Even for clients that request more.
      即使客户端要求更多。`,
    ],
  },
  dialects: {
    auto: [
      ["By the client", "按客户端决定"],
      both`Clients built on OpenAI's types are recognised by their headers.
      基于 OpenAI 类型的客户端由其请求头识别。`,
    ],
    service: [
      ["The service's own", "本服务"],
      both`As the interface specifies it. The header X-Dialect still applies.
      按接口规范；X-Dialect 请求头仍然有效。`,
    ],
    openai: [
      ["OpenAI's", "OpenAI"],
      both`For clients built on OpenAI's types. The header X-Dialect still applies.
      适用于基于 OpenAI 类型的客户端；X-Dialect 请求头仍然有效。`,
    ],
  },
  dialHint: both`0 to 1, or economy, balanced or best. Empty: the tier's.
    0 到 1，或 economy、balanced、best。留空：按档位。`,
  maxDialHint: both`For the header X-Auto. Empty: up to best.
    用于 X-Auto 请求头。留空：不限。`,
  qualityFloorHint: both`0 to 1: models below it are never tried. Empty: none.
    0 到 1：低于此值的模型不会被试用。留空：不限。`,
  verifyModes: {
    off: [["Never", "从不"], ["Also if a request asks for it.", "即使请求要求。"]],
    request: [
      ["If a request asks for it", "请求要求时"],
      ["With the header X-Auto: verify.", "使用请求头 X-Auto: verify。"],
    ],
    auto: [
      ["When it is worth it", "值得时"],
      both`Where the audited record of the task says so.
      当任务的审计记录表明值得时。`,
    ],
  },
  auditChoices: {
    off: [["No", "否"], ["No other model sees its requests.", "其他模型看不到其请求。"]],
    on: [
      ["Yes", "是"],
      both`A share of its requests may be asked of other models too, at the operator's cost.
      部分请求也可能发给其他模型，费用由运营方承担。`,
    ],
  },
  walletSights: {
    shown: [
      ["Shown", "显示"],
      both`The holder of the key sees what the wallet has left.
      密钥的持有者可查看钱包余额。`,
    ],
    hidden: [
      ["Hidden", "隐藏"],
      both`The holder sees the key's own limits and usage only.
      持有者只能查看此密钥自身的限额与用量。`,
    ],
  },
  pinned: ["Pinned embedding model", "已固定的嵌入模型"],
  pin: (model: string, dimensions: number | null) =>
    dimensions === null
      ? both`${model}, length not known yet
      ${model}，长度尚未确定`
      : both`${model}, ${dimensions} dimensions
      ${model}，${dimensions} 维`,
  create: ["Create the key", "创建密钥"],
  preview: ["Preview", "预览"],
  leaves: ["Preview of this policy", "此策略的预览"],
  reaches: ["Permitted models and endpoints", "可用的模型与端点"],
  reachHint:
    both`By the catalog in force, independent of the wallet's balance and of the upstreams' present state.
    依据当前目录，与钱包余额及上游当前是否应答无关。`,
  summary: (models: number, allModels: number, endpoints: number, allEndpoints: number) =>
    both`${models} of ${allModels} models, ${endpoints} of ${allEndpoints} endpoints
    ${allModels} 个模型中的 ${models} 个，${allEndpoints} 个端点中的 ${endpoints} 个`,
  atTier: ["Tier", "档位"],
  noTier: ["No tier applies", "没有适用的档位"],
  endpoints: ["Endpoints", "端点"],
  models: ["Models", "模型"],
  leftOut: (count: number) => [`Left out: ${count}`, `已排除：${count}`],
  nothing: ["This policy permits no call.", "此策略下没有任何可调用的内容。"],
  modelCount: (count: number) => [count === 1 ? "1 model" : `${count} models`, `${count} 个模型`],
  moreModels: (
    count: number,
  ) => [count === 1 ? "1 more model" : `${count} more models`, `另有 ${count} 个模型`],
  hostedTools: ["Hosted tools", "托管工具"],
  yes: ["yes", "可用"],
  no: ["no", "不可用"],
  expired: [
    "It has already expired: the key could never be used.",
    "已经过期：此密钥永远不会生效。",
  ],
  wider: both`This allows more than the key's policy and would be refused:
    这比密钥现有策略更宽松，将被拒绝：`,
  allowsMore: ["Allows more than the key's policy", "比密钥现有策略更宽松"],
  cannotPreview: ["This cannot be saved:", "目前无法保存："],
});

/** The fields that have a name of their own. */
export type FieldName = keyof (typeof formMessages)["en"]["fields"];
