import { both, catalogue } from "./catalogue.ts";

/** Messages that every page and component may use. */
export const sharedMessages = catalogue({
  product: ["Gateway console", "网关控制台"],
  ownProduct: ["My key", "我的密钥"],
  skip: ["Skip to the content", "跳到正文"],
  navigation: ["Sections", "栏目"],
  language: ["Language", "语言"],
  theme: ["Colours", "配色"],
  themes: { auto: ["System", "跟随系统"], light: ["Light", "浅色"], dark: ["Dark", "深色"] },
  signOut: ["Sign out", "退出登录"],
  signOutEverywhere: ["Sign out everywhere", "在所有设备上退出"],
  filter: ["Filter", "筛选"],
  clear: ["Clear", "清除"],
  cancel: ["Cancel", "取消"],
  back: ["Back", "返回"],
  next: ["Next", "下一页"],
  first: ["Back to the start", "回到开头"],
  cut: both`The search reached the limit of a page before its end: there may be more.
    搜索已达到单页允许的范围，尚未结束：后面可能还有更多。`,
  cutEmpty: both`Nothing so far. The search reached the limit of a page before its end.
    目前没有找到。搜索已达到单页允许的范围，尚未结束。`,
  noneLeft: both`Nothing more: the search has reached its end.
    没有更多了：搜索已结束。`,
  goOn: ["Continue the search", "继续搜索"],
  pages: ["Pages", "分页"],
  range: (
    from: number,
    to: number,
    all: number,
  ) => [`${from}–${to} of ${all}`, `第 ${from}–${to} 条，共 ${all} 条`],
  sortBy: (column: string) => [`Sort by ${column}`, `按${column}排序`],
  none: ["none", "无"],
  fixThese: ["Please correct the marked fields.", "请更正下面标出的内容。"],
  requestId: ["Request id", "请求编号"],
  copy: ["Copy", "复制"],
  copied: ["Copied", "已复制"],
  copyWhat: (what: string) => [`Copy ${what}`, `复制${what}`],
  searchRequests: ["Search requests by id", "按编号搜索请求"],
  refreshes: (seconds: number) => [`Refreshes every ${seconds} s`, `每 ${seconds} 秒刷新`],
  refreshed: ["Refreshed at", "刷新于"],
  refreshEnded: ["No longer refreshed: reload the page", "已停止刷新：请重新加载页面"],
  pause: ["Pause", "暂停"],
  resume: ["Resume", "继续"],
  notFound: ["This page does not exist", "没有这个页面"],
  notFoundHint: both`Check the address, or choose a section above.
    请检查地址，或从上方选择一个栏目。`,
  refused: ["The service refused this", "服务拒绝了此操作"],
  failed: ["Something went wrong", "出错了"],
  failedHint:
    both`Nothing indicates that a change was made. Try again; if it fails again, search the service's log for the request id.
    没有迹象表明有任何更改。请重试；若仍然出错，请用请求编号在服务日志中查找。`,
  foreign: ["This change did not come from a page of this console", "此更改并非来自本控制台的页面"],
  foreignHint:
    both`Nothing was changed. Open the console in this tab and try again. Behind a proxy, have it pass on the Host header.
    未作任何更改。请在本标签页中打开控制台后重试。若前面有代理，请让它传递 Host 标头。`,
  badForm: ["The form could not be read", "无法读取表单"],
});
