import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the page of one request. */
export const requestPageMessages = catalogue({
  refund: ["Refund", "退款"],
  back: ["All requests", "全部请求"],
  none: ["There is no record of this request", "没有此请求的记录"],
  noneWhy: both`A request is recorded when it has ended, and kept for the retention time of the log
    请求在结束后才有记录，并在日志保留期内可查`,
  noneHint: ["If it is still in flight, try again shortly.", "如果它仍在进行，请稍后再看。"],
  lookAgain: ["Try again", "重试"],
  lookFor: ["Search for this id", "搜索此编号"],
  title: (id: string) => [`Request ${id}`, `请求 ${id}`],
  status: (status: number) => [`Status ${status}`, `状态码 ${status}`],
  same: ["Other requests with this id", "使用相同请求编号的其他请求"],
  rowId: ["Log entry", "记录编号"],
  requestId: ["Request id", "请求编号"],
  key: ["Key", "密钥"],
  wallet: ["Wallet", "钱包"],
  model: ["Model", "模型"],
  provider: ["Provider", "供应商"],
  tier: ["Tier", "档位"],
  beganOn: ["Began", "开始时间"],
  ended: ["Ended", "结束时间"],
  endpoint: ["Endpoint", "端点"],
  user: ["User", "用户"],
  safetyIdentifier: ["Safety identifier", "安全标识"],
  tags: ["Tags", "标签"],
  charged: ["Charged", "费用"],
  credits: ["credits", "点"],
  estimated: ["estimated: tokens were counted by the gateway", "估算：词元由网关计数"],
  usageNotTaken: both`An upstream reported impossible usage. The gateway counted it instead.
    上游报告的用量不可能属实，已改为由网关计数。`,
  duration: ["Time", "耗时"],
  firstByte: (time: string) => [`first byte after ${time}`, `首字节 ${time}`],
  tokens: ["Tokens", "词元"],
  inOut: (
    input: string,
    output: string,
  ) => [`${input} in, ${output} out`, `输入 ${input}，输出 ${output}`],
  cached: (count: string) => [`${count} of the input from a cache`, `输入中 ${count} 来自缓存`],
  attempts: ["Attempts", "尝试"],
  failed: (count: number) => [`${count} failed`, `${count} 次失败`],
  noneFailed: ["none failed", "无失败"],
  noAttempt: ["no model was called", "未调用任何模型"],
  summary: ["Summary", "摘要"],
  routing: ["Routing", "路由"],
  reason: ["Why this model", "选择此模型的原因"],
  considered: (count: number) =>
    both`${count} ${count === 1 ? "model was" : "models were"} considered.
    共考虑了 ${count} 个模型。`,
  ofTask: ["Task", "任务"],
  snapshot: ["Snapshot", "快照"],
  snapshotNone: ["before the first", "首个快照之前"],
  estimate: ["Estimated quality", "估计质量"],
  estimateText: (p: string, error: string, outcomes: number) => [
    `${p} ± ${error}, from ${outcomes} ${outcomes === 1 ? "outcome" : "outcomes"} at the task`,
    `${p} ± ${error}，基于该任务的 ${outcomes} 个结果`,
  ],
  dial: ["Dial", "旋钮"],
  decidedBy: ["Decided by", "决定方式"],
  decisions: {
    value: ["highest value", "价值最高"],
    conversation: ["model of the conversation", "沿用对话的模型"],
    exploration: ["tried to learn about it", "探索尝试"],
    verified: ["verified answer", "已验证的答复"],
  },
  candidates: [
    "Models with the reason of each choice or exclusion",
    "各模型及其被选用或排除的原因",
  ],
  verdict: ["Verdict", "结论"],
  chosen: ["Answered", "已答复"],
  partly: ["Answered in part", "部分答复"],
  tried: ["Tried", "已尝试"],
  spare: ["In reserve", "备用"],
  excluded: (stage: string) => [`Excluded: ${stage}`, `已排除：${stage}`],
  score: ["Score", "得分"],
  why: ["Reason", "原因"],
  whyChosen: ["answered the request", "答复了此请求"],
  whyPartly: ["began to answer; the answer was not completed", "已开始答复，但答复没有完成"],
  whyTried: ["was tried earlier; see the attempts", "此前已尝试，见尝试记录"],
  whySpare: ["would have been called after failures of the earlier ones", "若前面的失败，则轮到它"],
  noRouting: both`The request was refused before any model was chosen.
    在选择任何模型之前，请求已被拒绝。`,
  timeline: ["Attempts in time", "尝试的时间线"],
  timelineCaption: both`Upstream calls with start and duration
    上游调用的开始时间与耗时`,
  task: ["Task", "任务"],
  outcome: ["Outcome", "结果"],
  began: ["Began at", "开始于"],
  took: ["Took", "耗时"],
  tookFirst: ["To first byte", "至首字节"],
  onItsWay: ["Pale: the answer is being sent to the caller.", "浅色：答复正在送往调用方。"],
  words: (model: string) => [`Error text of the upstream of ${model}`, `${model} 的上游错误信息`],
  bar: ["In the request's time", "在请求时间中的位置"],
  scale: (time: string) => [`0 to ${time}`, `0 至 ${time}`],
  books: ["Hold and settlement", "冻结与结算"],
  booksCaption: ["Holds of this request with their outcomes", "此请求的冻结及其结束方式"],
  hold: ["Hold", "冻结"],
  state: ["State", "状态"],
  held: ["Held", "冻结额"],
  returned: ["Returned", "退回"],
  writtenOff: ["Written off", "核销"],
  price: ["Price version", "价格版本"],
  sum: ["Sum", "合计"],
  adds: (sum: string) =>
    both`Held = charged + returned; the charges sum to ${sum} credits, the cost of the request.
    冻结额 = 费用 + 退回；费用合计 ${sum} 点，即此请求的花费。`,
  addsNot: (sum: string, charged: string) =>
    both`The charges in the journal sum to ${sum} credits, but the request cost ${charged}. Run: svc ledger verify
    找到的费用合计 ${sum} 点，而请求花费 ${charged} 点。请运行：svc ledger verify`,
  incomplete:
    both`Not every hold was found in the journal, or one is still open: the list is not complete.
    并非每笔冻结都能在账本中找到，或仍有未结束的冻结：此列表不完整。`,
  noHolds: both`Nothing was held: the request did not reach an upstream.
    没有冻结：请求未到达上游调用。`,
  statement: ["Statement of the wallet", "钱包明细"],
  recovered: ["settled after a crash", "崩溃后结算"],
  plan: ["Plan", "计划"],
  planIntro: (tasks: number) => [
    `The request was split into ${tasks} ${
      tasks === 1 ? "task" : "tasks"
    }; arrows lead to the dependent tasks.`,
    `请求被拆分为 ${tasks} 个任务；箭头指向等待其结果的任务。`,
  ],
  planLost: (tasks: number, cost: string) => [
    `${tasks === 1 ? "One of them has" : `${tasks} of them have`} no result; ${
      tasks === 1 ? "it" : "they"
    } cost ${cost} credits.`,
    `其中 ${tasks} 个没有结果，花费 ${cost} 点。`,
  ],
  planUnfinished: (cost: string) =>
    both`The last task, which writes the answer, was not completed; the tasks still cost ${cost} credits.
    撰写答复的最后一个任务没有完成；各任务仍花费 ${cost} 点。`,
  planFailed: (model: string) =>
    both`The request was to be split, and ${model} was asked for a plan, but returned none that could be executed.
    此请求本应被拆分，并向 ${model} 请求了计划，但得到的内容无法执行。`,
  planUnasked: both`The request was to be split, but no model was available for a plan.
    此请求本应被拆分，但没有模型可用于制定计划。`,
  planWentOn: ["It was then answered as one request.", "随后作为单个请求得到了答复。"],
  planNoAnswer: both`It then continued as one request, which was not answered.
    随后作为单个请求继续，但未得到答复。`,
  planCost: (credits: string, { tokens, time }: { tokens: string; time: string }) =>
    both`The attempt to plan cost ${credits} credits, ${tokens} tokens and ${time}.
    制定计划的尝试花费 ${credits} 点、${tokens} 词元，用时 ${time}。`,
  planCaption: ["Tasks and the cost of each", "各任务及其费用"],
  planPicture: both`Tasks with their dependencies; the table below has the same content
    各任务及其所等待的任务；下表内容相同`,
  waitsFor: ["Waits for", "等待"],
  input: ["Input", "输入"],
  output: ["Output", "输出"],
  content: ["Prompt and answer", "对话内容"],
  contentBadge: ["Logged content", "已记录的内容"],
  contentMark:
    both`Content logging was on for this key by an operator's choice. Secrets were removed.
    操作员为此密钥开启了内容记录。机密信息已去除。`,
  contentCut: both`Shown in part: it exceeded the stored length.
    仅显示一部分：内容超出保留长度。`,
  prompt: ["Prompt", "提问"],
  answer: ["Answer", "答复"],
  contentHidden: both`Its texts are logged, and your role may not read them.
    已记录文本，但您的角色无权阅读。`,
  notLogged: both`Prompt and answer were not logged: content logging was off for this key.
    对话内容未保留：此密钥未开启内容记录。`,
});
