import { both, catalogue } from "./catalogue.ts";

/** Messages of the sign-in page. */
export const signInMessages = catalogue({
  title: ["Sign in", "登录"],
  intro: [
    "With an admin token, the same as for the command line.",
    "使用管理员令牌，与命令行相同。",
  ],
  token: ["Admin token", "管理员令牌"],
  tokenHint: both`It was printed at the first start. Lost? Run: svc admin-token rotate
    首次启动时打印过。丢失了？请运行：svc admin-token rotate`,
  submit: ["Sign in", "登录"],
  signOn: ["Sign in with your organisation", "使用组织账号登录"],
  refused: [
    "The sign-in of your organisation was refused; the audit log says why. Try again, or ask an " +
    "administrator for a role.",
    "组织账号登录被拒绝，原因见审计日志。请重试，或请管理员为您分配角色。",
  ],
  wrong: ["This is not an admin token of this service", "这不是本服务的管理员令牌"],
  missing: ["Enter an admin token", "请输入管理员令牌"],
  wait: (seconds: number) =>
    both`Too many wrong tokens came from this address; wait ${seconds} s and try again
    此地址提交的错误令牌过多；请等待 ${seconds} 秒后重试`,
  full: both`There are too many sessions. An administrator can end some on the page Operators.
    会话过多。管理员可以在“操作员”页面结束部分会话。`,
  signedOut: ["You are signed out.", "您已退出登录。"],
  signedOutEverywhere: ["All sessions have ended.", "所有会话均已结束。"],
  ended: both`Your session had ended. Nothing was changed: sign in and try again.
    您的会话已结束，未作任何更改：请登录后重试。`,
});
