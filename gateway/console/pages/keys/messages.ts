import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the pages of keys. */
export const keyMessages = catalogue({
  title: ["Keys", "密钥"],
  intro:
    both`Credentials of applications, with their limits. A policy can only be narrowed; a key is shown once.
    应用的凭证及其限制。策略只能收紧；密钥仅显示一次。`,
  caption: ["Keys and their policies", "密钥及其策略"],
  count: (shown: number, all: number) => [
    shown === all ? `${all} ${all === 1 ? "key" : "keys"}` : `${shown} of ${all} keys`,
    shown === all ? `共 ${all} 个密钥` : `${all} 个密钥中的 ${shown} 个`,
  ],
  name: ["Key", "密钥"],
  wallet: ["Wallet", "钱包"],
  state: ["State", "状态"],
  policy: ["Policy", "策略"],
  lastUsed: ["Last used", "最近使用"],
  created: ["Created", "创建时间"],
  never: ["never", "从未"],
  anyState: ["Any state", "全部状态"],
  filterName: ["Name or id contains", "名称或编号包含"],
  states: {
    active: ["active", "有效"],
    disabled: ["disabled", "已停用"],
    revoked: ["revoked", "已吊销"],
    expired: ["expired", "已过期"],
  },
  open: ["no limits", "不限"],
  new: ["New key", "新建密钥"],
  none: ["There is no key yet", "还没有密钥"],
  noneHint: both`An application calls with a key; a wallet pays for it.
    应用使用密钥调用，由钱包付费。`,
  noneFound: ["No key matches", "没有符合条件的密钥"],
  noneFoundHint: ["Try a shorter name, or clear the filter.", "请缩短名称，或清除筛选条件。"],
  noWallet: ["There is no wallet to pay from", "没有可付费的钱包"],
  noWalletHint: ["A key belongs to a wallet: create one first.", "密钥属于钱包：请先创建钱包。"],
  newWallet: ["New wallet", "新建钱包"],
  newIntro: both`All limits are optional. Later they can be made stricter, never looser.
    所有限制均可不填。以后只能收紧，不能放宽。`,
  madeTitle: ["The key was created", "密钥已创建"],
  copiedTitle: ["The copy was created", "副本已创建"],
  once: both`This is the only time the key is shown. Store it in your secret store now.
    密钥仅在此显示这一次。请立即存入您的密钥库。`,
  theKey: ["The key", "密钥"],
  tryIt: ["A first call", "首次调用"],
  tryHint:
    both`Paste the key at the prompt of the first line: the shell's history then does not contain it.
    第一行等待粘贴密钥，避免留在命令历史中。`,
  store: ["In the environment", "写入环境变量"],
  curl: ["With curl", "使用 curl"],
  sdk: ["With the SDK", "使用 SDK"],
  openai: ["With OpenAI's client, in Python", "使用 OpenAI 的 Python 客户端"],
  toKey: ["To the key", "查看密钥"],
  madeAlready:
    both`That key was already created, and a key is shown only once. If it was lost, revoke it and create another.
    该密钥已经创建过，且只显示一次。若已丢失，请吊销后另建一个。`,
  narrow: ["Narrow", "收紧"],
  rotate: ["Rotate", "轮换"],
  disable: ["Disable", "停用"],
  enable: ["Enable", "启用"],
  revoke: ["Revoke", "吊销"],
  link: ["Sign-in link", "登录链接"],
  linkTitle: (name: string) => [`Sign-in link for ${name}`, `${name} 的登录链接`],
  linkIntro: both`It opens the key's own pages, to read only: policy, budgets, usage and requests.
    打开此密钥的专属页面，仅可读取：策略、预算、用量和请求。`,
  linkOnce: both`Give it to the holder of the key. It signs in once, and is not shown again.
    请交给密钥的持有者。只能登录一次，且不会再次显示。`,
  linkEnds: ["It can be used until", "可使用至"],
  move: ["Move", "移动"],
  disabled: (
    name: string,
  ) => [`Key "${name}" is disabled. It can be enabled again.`, `密钥“${name}”已停用，可重新启用。`],
  enabled: (name: string) => [`Key "${name}" can be used again.`, `密钥“${name}”已恢复使用。`],
  revoked: (name: string) => [`Key "${name}" is permanently revoked.`, `密钥“${name}”已永久吊销。`],
  isRevoked: (name: string) =>
    both`Key "${name}" is permanently revoked: it can no longer be changed.
    密钥“${name}”已永久吊销，不能再作任何更改。`,
  narrowed: (
    name: string,
  ) => [`The policy of key "${name}" is narrowed.`, `密钥“${name}”的策略已收紧。`],
  about: ["About this key", "关于此密钥"],
  id: ["Id", "编号"],
  hint: ["Begins with", "开头"],
  replaces: ["Replaces", "替换自"],
  spent: ["Spent", "已用"],
  spentHint: both`By this key and those that it replaced, by UTC.
    包括此密钥及其所替换的密钥，按 UTC 计。`,
  windows: { day: ["Today", "今日"], month: ["This month", "本月"], total: ["In all", "总计"] },
  held: ["Held", "冻结"],
  ofBudget: (budget: string) => [`of ${budget}`, `预算 ${budget}`],
  noBudget: ["no budget", "无预算"],
  ofUser: (user: string) => [`User ${user}`, `用户 ${user}`],
  ofTag: (tag: string) => [`Tag ${tag}`, `标签 ${tag}`],
  recent: ["Latest requests", "最近的请求"],
  allRequests: ["All its requests", "全部请求"],
  noRequests: ["It has not been called yet", "尚未被调用"],
  noRequestsHint: ["Its requests appear here once they have ended.", "请求结束后会显示在这里。"],
  time: ["Time", "时间"],
  request: ["Request id", "请求编号"],
  model: ["Model", "模型"],
  status: ["Status", "状态"],
  tokens: ["Tokens in / out", "输入 / 输出词元"],
  charged: ["Charged", "扣费"],
  narrowTitle: (name: string) => [`Narrow ${name}`, `收紧 ${name}`],
  narrowIntro: both`Only the same or a stricter policy is accepted, and the change cannot be undone.
    只接受相同或更严格的策略，且不可撤回。`,
  narrowSubmit: ["Narrow the policy", "收紧策略"],
  changedMeanwhile:
    both`This key was changed after you opened this form. Your entries are kept; compare them with the key before you save.
    您打开此表单后，密钥已被更改。您填写的内容已保留；保存前请与密钥现状核对。`,
  revokeTitle: (name: string) => [`Revoke ${name}?`, `吊销 ${name}？`],
  revokeWarning: (hint: string) =>
    both`Calls with ${hint} are refused from now on, permanently. Its past charges stay in the journal.
    从此刻起，使用 ${hint} 的调用将被永久拒绝。其已用额度仍保留在账本中。`,
  revokeSubmit: ["Revoke permanently", "永久吊销"],
  content: ["Content logging", "内容记录"],
  contentOn: ["on", "开"],
  contentOff: ["off", "关"],
  contentOffHint:
    both`Off: the log records time, route and cost, never prompts or answers. Switch it on to look into a problem.
    关：日志只记录时间、去向和用量，从不记录内容。排查问题时可打开。`,
  contentOnHint:
    both`On: prompts and answers of this key are stored with its requests, without known secrets, and readable by every operator.
    开：此密钥的提示和回答随请求保存，已知机密会被去除，所有运营者均可阅读。`,
  switchOn: ["Switch on", "打开"],
  switchOff: ["Switch off", "关闭"],
  contentTitle: (
    name: string,
  ) => [`Log prompts and answers of ${name}?`, `保存 ${name} 的对话内容？`],
  contentWarning:
    both`From now on prompts and answers of this key are stored in the request log, readable with any admin token. Known secrets are removed, personal data is not. Inform the users of this key. A copy created by a rotation starts with content logging off.
    从现在起，此密钥的提示和回答将保存在请求日志中，所有持有管理员令牌的人都能看到。已知机密会被去除，个人数据不会。使用此密钥的人应当知情。轮换产生的副本默认不记录。`,
  contentSubmit: ["Log prompts and answers", "保存内容"],
  contentIsOn: both`Prompts and answers of this key are logged from now on.
    从现在起保存此密钥的对话内容。`,
  contentIsOff:
    both`Prompts and answers of this key are no longer logged. Earlier ones stay in the log.
    不再保存此密钥的对话内容。此前保存的仍会保留。`,
});
