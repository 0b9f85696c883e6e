import { catalogue } from "./catalogue.ts";

/** Messages of a chosen time. */
export const rangeMessages = catalogue({
  time: ["Time", "时间"],
  any: ["Any time", "全部时间"],
  own: ["Custom", "自定义时段"],
  since: ["From", "从"],
  until: ["To", "至"],
  spans: {
    "1h": ["1 hour", "1 小时"],
    "24h": ["24 hours", "24 小时"],
    "7d": ["7 days", "7 天"],
    "30d": ["30 days", "30 天"],
  },
  last: {
    "1h": ["Last hour", "最近 1 小时"],
    "24h": ["Last 24 hours", "最近 24 小时"],
    "7d": ["Last 7 days", "最近 7 天"],
    "30d": ["Last 30 days", "最近 30 天"],
  },
  show: ["Show", "显示"],
});
