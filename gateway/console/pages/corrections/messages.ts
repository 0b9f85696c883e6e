import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the pages of corrections. */
export const correctionMessages = catalogue({
  title: ["Corrections", "更正"],
  intro: (limit: string) =>
    both`Corrections of more than ${limit} credits wait until another person approves them. This list has those that wait, and the last ones that did.
    超过 ${limit} 点的更正须由另一人批准。此处列出待批准的更正及最近结束的更正。`,
  none: ["No correction has waited", "没有待批准的更正"],
  noneHint: ["Smaller ones are in the statement of their wallet.", "较小的更正见钱包账单。"],
  correction: ["Correction", "更正"],
  state: ["State", "状态"],
  states: {
    applied: ["applied", "已执行"],
    waiting: ["waits", "待批准"],
    approved: ["approved", "已批准"],
    refused: ["refused", "已拒绝"],
    expired: ["expired", "已过期"],
  },
  kind: ["Kind", "类型"],
  kinds: {
    debit: ["debit", "扣减"],
    adjust: ["adjustment", "调整余额"],
    tier: ["tier", "变更档位"],
    close: ["closing", "关闭钱包"],
    move: ["moved key", "移动密钥"],
    refund: ["refund", "退款"],
  },
  wallet: ["Wallet", "钱包"],
  stake: ["At stake", "涉及额度"],
  by: ["Asked for by", "提出人"],
  expires: ["Until", "有效期至"],
  note: ["Note", "备注"],
  approve: ["Approve", "批准"],
  refuse: ["Refuse", "拒绝"],
  refuseNote: ["Reason of a refusal", "拒绝原因"],
  approved: ["The correction is applied.", "更正已执行。"],
  refused: ["The correction is refused.", "更正已拒绝。"],
  applied: ["The correction is applied.", "更正已执行。"],
  waits: both`Nothing has changed yet: another person approves the correction.
    尚未更改：须由另一人批准。`,
  noteHint: both`The reason, shown in the statement. At most 500 characters.
    原因，显示在账单中；最多 500 个字符。`,
  correct: ["Correct", "更正"],
  correctTitle: (id: string) => [`Correct wallet ${id}`, `更正钱包 ${id}`],
  debitTitle: (id: string) => [`Take credits out of ${id}`, `从 ${id} 扣减额度`],
  adjustTitle: (id: string) => [`Adjust the balance of ${id}`, `调整 ${id} 的余额`],
  tierTitle: (id: string) => [`Change the tier of ${id}`, `变更 ${id} 的档位`],
  closeTitle: (id: string) => [`Close wallet ${id}`, `关闭钱包 ${id}`],
  choose: both`Each is an entry in the journal with your name in the audit log.
    每项都会记入账本，并在审计日志中记录操作人。`,
  has: (balance: string, held: string) =>
    both`The balance is ${balance} credits, of which ${held} are held by calls in flight.
    当前余额 ${balance} 点，其中 ${held} 点被进行中的调用冻结。`,
  credits: ["Credits", "点数"],
  counted: ["Counted balance", "核定余额"],
  tier: ["Tier", "档位"],
  closeWarning:
    both`It cannot be opened again. The rest of its credits is given up, and calls with its keys are refused.
    关闭后不能重新开启；剩余额度作废，其密钥的调用将被拒绝。`,
  moveTitle: (name: string) => [`Move key ${name}`, `移动密钥 ${name}`],
  moveIntro: both`Calls in flight are charged to the present wallet. The key's budget goes along.
    进行中的调用仍由当前钱包付费；密钥预算随之转移。`,
  move: ["Move", "移动"],
  refundTitle: ["Refund this request", "退还此请求"],
  refundIntro: (charged: string) =>
    both`It was charged ${charged} credits. It is refunded once: all of it, or a part.
    该请求扣费 ${charged} 点。只能退款一次：全部或部分。`,
  refund: ["Refund", "退款"],
  refundCredits: ["Credits; empty: all", "点数；留空：全部"],
});
