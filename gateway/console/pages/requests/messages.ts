import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the list of requests. */
export const requestMessages = catalogue({
  title: ["Requests", "请求"],
  intro: ["Every call with its outcome and cost.", "每次调用、其结果与花费。"],
  search: ["Request id", "请求编号"],
  requestId: ["this id", "此编号"],
  csv: ["Download as CSV", "下载 CSV"],
  key: ["Key", "密钥"],
  anyKey: ["Any key", "全部密钥"],
  keyText: ["Key, by name or id", "密钥名称或编号"],
  whichKey: (
    count: number,
  ) => {
    if (count === 0) return ["No key of this name was found.", "没有找到使用此名称的密钥。"];
    if (count === 1) return ["One key has this name.", "有 1 个密钥使用此名称。"];
    return [`${count} keys have this name. Which one?`, `有 ${count} 个密钥使用此名称。是哪一个？`];
  },
  olderKeys:
    both`There are too many keys to look at all: older ones may have this name too. Enter the key's id instead.
    密钥太多，无法全部查看：更早的密钥也可能使用此名称。请改为输入密钥编号。`,
  model: ["Model", "模型"],
  anyModel: ["Any model", "全部模型"],
  outcome: ["Outcome", "结果"],
  anyOutcome: ["Any outcome", "全部结果"],
  outcomes: {
    ok: ["Answered", "已答复"],
    error: ["Refused or failed", "被拒绝或失败"],
    client_left: ["Caller disconnected", "调用方离开"],
    cut: ["Cut off", "中断"],
    killed: ["Killed", "网关中止"],
  },
  endpoint: ["Endpoint", "端点"],
  anyEndpoint: ["Any endpoint", "全部端点"],
  endpoints: {
    chat: ["Chat", "对话"],
    responses: ["Responses", "Responses"],
    "images.generations": ["Images", "图像生成"],
    "images.edits": ["Image edits", "图像编辑"],
    embeddings: ["Embeddings", "向量"],
  },
  status: ["Status", "状态码"],
  error: ["Error code", "错误码"],
  minCharged: ["Charged at least", "最低费用"],
  task: ["Task (8 digits or more)", "任务（至少 8 位）"],
  tag: ["Tag (name=value)", "标签（名称=值）"],
  user: ["User", "用户"],
  more: ["More conditions", "更多条件"],
  at: ["Ended", "结束时间"],
  request: ["Request", "请求"],
  tokens: ["Tokens", "词元"],
  tokensHint: ["Input → output", "输入 → 输出"],
  duration: ["Time", "耗时"],
  charged: ["Credits", "费用（点）"],
  streamed: ["streamed", "流式"],
  none: ["No request has been made yet", "还没有任何请求"],
  noneHint: both`Make one with one of your keys; it appears here shortly after:
    用您的密钥发起一次调用，稍后即会显示在这里：`,
  noneFound: ["No request matches", "没有符合条件的请求"],
  noneFoundHint: both`Remove a condition, or choose a longer time.
    请减少条件，或选择更长的时间。`,
  clear: ["Show all requests", "显示全部请求"],
  call: ["A call to paste", "可粘贴的调用"],
  live: ["Live", "实时"],
  liveStart: ["Follow live", "实时跟踪"],
  liveStop: ["Stop", "停止"],
  pause: ["Pause", "暂停"],
  resume: ["Resume", "继续"],
  liveCaption: ["Requests as they end, newest first", "实时请求，最新在前"],
  liveWaiting: ["Waiting for the next request that matches", "正在等待下一个符合条件的请求"],
  liveSeen: ["New requests so far:", "目前的新请求："],
  liveHeld: ["Paused. Waiting to be shown:", "已暂停。等待显示："],
  liveLost: ["Not shown, too many at once:", "同时到达过多而未显示："],
  liveGap: both`Some requests that ended while the connection was lost are not shown.
    连接断开期间结束的部分请求未显示。`,
  liveBroken: ["The connection is lost; trying again", "连接已断开，正在重试"],
  liveEnded:
    both`The live view has ended. Reload the page; if that does not help, close other live views.
    实时显示已结束。请重新加载页面；若仍无效，请关闭其他实时页面。`,
});
