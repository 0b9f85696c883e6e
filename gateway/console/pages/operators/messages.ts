import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the pages of operators and of their sessions. */
export const operatorMessages = catalogue({
  title: ["Operators", "操作员"],
  intro:
    both`People and programs with a role and tokens of their own. Nobody changes their own rights.
    拥有各自角色与令牌的人员和程序。任何人都不能更改自己的权限。`,
  caption: ["Operators and their roles", "操作员及其角色"],
  none: ["There is no operator with a name yet", "还没有具名操作员"],
  noneHint: both`The admin token has every right: keep it for emergencies, and create operators.
    管理员令牌拥有全部权限：请仅在紧急时使用，并创建操作员。`,
  new: ["New operator", "新建操作员"],
  newIntro: both`The operator signs in with a token, which you create on the next page.
    操作员使用令牌登录，令牌在下一页创建。`,
  name: ["Name", "名称"],
  role: ["Role", "角色"],
  rights: ["Rights", "权限"],
  grants: ["Grants", "附加权限"],
  content: ["May read logged texts of requests", "可阅读记录的请求文本"],
  state: ["State", "状态"],
  states: { active: ["active", "启用"], disabled: ["disabled", "已停用"] },
  tokens: ["Tokens", "令牌"],
  token: ["The token", "令牌"],
  tokenOnce: both`The token is shown once. Give it to the operator over a safe channel.
    令牌仅显示一次，请通过安全渠道交给操作员。`,
  tokenName: ["Name of the token", "令牌名称"],
  days: ["Days until it expires", "有效天数"],
  expires: ["Expires", "到期"],
  isExpired: ["expired", "已过期"],
  noTokens: ["No token yet", "还没有令牌"],
  create: ["Create the operator", "创建操作员"],
  created: (name: string) => [`${name} is an operator now.`, `${name} 现已成为操作员。`],
  createToken: ["Create a token", "创建令牌"],
  revoke: ["Revoke", "吊销"],
  revoked: ["The token no longer opens anything.", "该令牌已失效。"],
  setRole: ["Change the role", "更改角色"],
  roleSet: ["The role is in force at once.", "角色已立即生效。"],
  disable: ["Disable", "停用"],
  enable: ["Enable", "启用"],
  endSessions: ["End all sessions", "结束所有会话"],
  changed: ["The change is in force at once.", "更改已立即生效。"],
  back: ["To the operator", "返回操作员"],
  sessions: ["Sessions", "会话"],
  sessionsIntro: both`Browsers that have signed in to this console.
    已登录此控制台的浏览器。`,
  who: ["Who", "操作者"],
  allRights: ["all rights", "全部权限"],
  address: ["Address", "地址"],
  began: ["Began", "开始"],
  used: ["Last used", "最近使用"],
  end: ["End", "结束"],
  ended: ["The session has ended.", "会话已结束。"],
});
