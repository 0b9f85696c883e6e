import { catalogue } from "./catalogue.ts";

/** What is said of a chosen time. */
export const rangeMessages = catalogue({
  time: "Time",
  any: "Any time",
  own: "Custom",
  since: "From",
  until: "To",
  spans: { "1h": "1 hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days" },
  last: {
    "1h": "Last hour",
    "24h": "Last 24 hours",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
  },
  show: "Show",
}, {
  zh: {
    time: "时间",
    any: "全部时间",
    own: "自定义时段",
    since: "从",
    until: "至",
    spans: { "1h": "1 小时", "24h": "24 小时", "7d": "7 天", "30d": "30 天" },
    last: {
      "1h": "最近 1 小时",
      "24h": "最近 24 小时",
      "7d": "最近 7 天",
      "30d": "最近 30 天",
    },
    show: "显示",
  },
});
