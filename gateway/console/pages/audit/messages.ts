import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the page of the audit log. */
export const auditMessages = catalogue({
  title: ["Audit log", "审计日志"],
  intro: both`Every change by an operator, every sign-in, and every reading of logged texts.
    操作员的每次更改、每次登录，以及每次阅读所记录的文本。`,
  caption: ["Entries of the audit log, newest first", "审计日志条目，最新在前"],
  none: ["No entry matches", "没有符合条件的条目"],
  noneHint: ["Clear the filters to see all.", "清除筛选条件可查看全部。"],
  export: ["Export all", "导出全部"],
  at: ["Time", "时间"],
  who: ["Who", "操作者"],
  whoFilter: ["Name or id contains", "名称或编号包含"],
  address: ["From", "来源"],
  action: ["Action", "操作"],
  actionFilter: ["Action is", "操作为"],
  subject: ["Subject", "对象"],
  subjectFilter: ["Subject contains", "对象包含"],
  stage: ["Stage", "阶段"],
  stages: {
    begun: ["begun", "开始"],
    done: ["done", "完成"],
    refused: ["refused", "被拒绝"],
    noted: ["noted", "记录"],
  },
  change: ["Change", "更改"],
});
