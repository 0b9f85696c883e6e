import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the pages about learned routing. */
export const routingMessages = catalogue({
  title: ["Routing", "路由"],
  intro: both`How requests were divided among models, by task, and what that saved.
    各任务的请求如何分配给各模型，以及由此节省了多少。`,
  none: ["Routing has not learned anything yet", "路由尚未学到任何内容"],
  noneHint: both`Statistics appear within a minute of the first answered request.
    首个请求得到答复后一分钟内会出现统计。`,
  wallet: ["Wallet", "钱包"],
  allWallets: ["All wallets", "全部钱包"],
  narrow: ["Show", "显示"],
  totals: ["In all", "合计"],
  requests: ["Requests", "请求"],
  ofTasks: (count: number) => [
    count === 1 ? "of 1 task" : `of ${count} tasks`,
    `共 ${count} 个任务`,
  ],
  quality: ["Estimated quality", "估计质量"],
  qualityHint: [
    "share of good answers at requests of typical difficulty, 95 % interval",
    "典型难度请求下良好答复的比例，95% 区间",
  ],
  interval: (low: string, high: string) => [`${low} to ${high}`, `${low} 至 ${high}`],
  cost: ["Cost", "费用"],
  credits: ["credits", "点"],
  alwaysBest: ["Always the best", "始终用最佳模型"],
  alwaysCheapest: ["Always the cheapest", "始终用最便宜模型"],
  saving: ["Saving", "节省"],
  savingHint: ["beside always the best model", "与始终用最佳模型相比"],
  wouldHave: ["would have cost", "本应花费"],
  shares: ["Requests by model", "各模型的请求"],
  tasks: ["Tasks", "任务"],
  tasksCaption: ["Tasks with their cost and estimated quality", "各任务的费用与估计质量"],
  tasksHint: [
    "A task is a kind of request: the same wallet, endpoint, instructions, tools and " +
    "schema. Only its fingerprint is stored.",
    "任务是一类请求：相同的钱包、端点、指令、工具与模式。仅存储其指纹。",
  ],
  moreTasks: (count: number) => [
    `${count} further tasks cost less and are not listed.`,
    `另有 ${count} 个费用更低的任务未列出。`,
  ],
  task: ["Task", "任务"],
  lastUsed: ["Last request", "最近请求"],
  models: ["Models", "模型"],
  model: ["Model", "模型"],
  share: ["Share", "占比"],
  outcomes: ["Outcomes", "结果"],
  dial: ["Try the dial", "试用旋钮"],
  dialHint: (samples: number) =>
    both`Repeats ${samples} recorded decisions at another position, with quality at their own difficulty. Nothing changes until it is applied.
    在另一位置重演 ${samples} 个已记录的决定，质量按其自身难度估计。应用之前不会有任何改变。`,
  noSamples:
    both`There are no recorded decisions yet: they need priced models and a choice between two.
    尚无已记录的决定：需要有价格的模型，且至少两个可选。`,
  dialField: ["Position, 0 (economy) to 1 (best)", "位置，0（经济）至 1（最佳）"],
  badDial: ["Give a number from 0 to 1", "请输入 0 到 1 之间的数"],
  try: ["Try", "试用"],
  tried: (dial: string) => [`At ${dial}`, `在 ${dial}`],
  inForce: (dial: string) => [`In force: ${dial}`, `当前：${dial}`],
  dialCaption: ["The recorded decisions at several positions", "已记录的决定在不同位置的结果"],
  way: ["Routing", "路由方式"],
  costShare: ["Cost beside the best", "相对最佳模型的费用"],
  divided: ["Divided among", "分配"],
  verified: ["verified answers", "已验证的答复"],
  apply: (dial: string) => [`Apply ${dial} to the catalog …`, `将 ${dial} 应用到目录…`],
  applyHint: [
    "The next page shows the difference before it becomes a version. Tiers and keys " +
    "with a dial of their own keep it.",
    "下一页会先显示差异，再成为新版本。自有旋钮设置的档位与密钥不受影响。",
  ],
  dialNote: (dial: string) => [`Dial ${dial}`, `旋钮 ${dial}`],
  curve: ["Quality over cost", "质量与费用"],
  curveCaption: ["Expected quality and cost by position", "各位置的预期质量与费用"],
  curveSummary: both`Expected quality over cost, plotted; the numbers are in the table below
    预期质量随费用的变化图；数字见下表`,
  asTable: ["As a table", "以表格显示"],
  position: ["Position", "位置"],
  audits: ["Audit budget", "审核预算"],
  auditsHint:
    both`An audit asks the best model and cheap ones for the same answer, after the caller has its own.
    审核在调用方得到答复后，向最佳模型与便宜模型询问同一请求。`,
  auditsField: ["Credits a day", "每日点数"],
  compute: ["Compute", "计算"],
  badCredits: ["Give an amount of credits, as 5 or 0.50", "请输入点数，如 5 或 0.50"],
  auditCost: ["Cost of one audit", "每次审核费用"],
  basis: {
    audits: ["mean of the recorded audits", "已记录审核的均值"],
    samples: ["estimated from prices", "按价格估算"],
  },
  auditsPerDay: ["Audits a day", "每日审核数"],
  limits: {
    budget: ["as many as the budget buys", "受预算限制"],
    share: ["5 % of the requests, the most allowed", "请求的 5%，为上限"],
  },
  errorAfterWeek: ["Standard error after a week", "一周后的标准误差"],
  errorHint: ["of the quality over all tasks", "全部任务的质量"],
  noAudits: ["There is no traffic to audit yet", "尚无可审核的流量"],
  snapshots: ["Snapshots", "快照"],
  snapshotsHint:
    both`Decisions rest on a numbered snapshot of the statistics. A frozen one decides for ever the same.
    决定基于带编号的统计快照。冻结的快照永远作出相同的决定。`,
  following: (number: number) => [
    `Routing follows the newest snapshot, ${number}.`,
    `路由采用最新快照 ${number}。`,
  ],
  frozenAt: (number: number, newest: number) => [
    `Routing is frozen at snapshot ${number}; the newest is ${newest}.`,
    `路由已冻结在快照 ${number}；最新为 ${newest}。`,
  ],
  snapshot: ["Snapshot", "快照"],
  taken: ["Taken", "时间"],
  state: ["State", "状态"],
  freeze: (number: number) => [`Freeze at ${number}`, `冻结在 ${number}`],
  isFrozen: ["frozen", "已冻结"],
  unfreeze: ["Follow the newest again", "恢复采用最新快照"],
  froze: (
    number: number,
  ) => [`Routing is frozen at snapshot ${number}`, `路由已冻结在快照 ${number}`],
  unfroze: ["Routing follows the newest snapshot", "路由采用最新快照"],
  back: ["All tasks", "全部任务"],
  taskTitle: (digits: string) => [`Task ${digits}`, `任务 ${digits}`],
  taskRequests: ["Its requests", "其请求"],
  taskModels: ["Models at this task", "此任务的模型"],
  sources: ["Outcomes by source", "按来源的结果"],
  sourceNames: {
    feedback: ["feedback", "反馈"],
    audit: ["audit", "审核"],
    implicit: ["implicit", "隐式"],
  },
  sourceText: (name: string, weight: string, good: string) => [
    `${name}: ${weight}, ${good} good`,
    `${name}：${weight}，${good} 良好`,
  ],
  plans: ["Plans of verified answers", "已验证答复的方案"],
  plansHint: [
    "Cheap models are asked side by side; the better one answers where no two of them " +
    "agree. The record is that of audits, replayed.",
    "同时询问便宜模型；若没有两个一致，则由更好的模型答复。记录来自审核的重演。",
  ],
  noPlans: ["Too few audits to compare plans", "审核过少，无法比较方案"],
  together: ["Asked together", "同时询问"],
  better: ["Else", "否则"],
  equal: ["Equal answers", "一致的答复"],
  relativeCost: ["Cost beside it alone", "相对单独使用的费用"],
  auditCount: ["Audits", "审核"],
});
