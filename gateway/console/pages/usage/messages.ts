import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the page of usage. */
export const usageMessages = catalogue({
  title: ["Usage", "用量"],
  intro: ["Tokens and credits of settled calls.", "已结算调用的词元与费用。"],
  caption: ["Sums", "汇总"],
  by: ["Group by", "分组"],
  byDay: ["Day", "日期"],
  groups: {
    key: ["Key", "密钥"],
    model: ["Model", "模型"],
    user: ["User", "用户"],
    tag: ["Tag", "标签"],
  },
  day: ["Day", "日期"],
  tagName: ["Name of the tag", "标签名称"],
  tag: ["Tag (name=value)", "标签（名称=值）"],
  user: ["User", "用户"],
  noTag: ["Enter the name of the tag to group by.", "请输入要分组的标签名称。"],
  kinds: {
    none: ["without", "无"],
    other: ["all others", "其余全部"],
  },
  requests: ["Requests", "请求"],
  input: ["Input tokens", "输入词元"],
  cached: ["Cached", "缓存"],
  output: ["Output tokens", "输出词元"],
  charged: ["Credits", "费用（点）"],
  writtenOff: ["Written off", "核销"],
  none: ["No usage in this time", "此时段没有用量"],
  noneHint: both`Choose a longer time, or remove a condition.
    请选择更长的时间，或减少条件。`,
});
