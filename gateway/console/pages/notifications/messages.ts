import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the pages of notifications. */
export const noticeMessages = catalogue({
  title: ["Notifications", "通知"],
  intro: both`Targets that receive incidents, and what reached them
    谁会收到事件通知，以及已通知的内容`,
  targets: ["Targets", "通知目标"],
  noTargets: ["No target receives anything", "尚无人接收通知"],
  noTargetsHint: both`Add a webhook, a Slack hook or a mail address
    请添加 Webhook、Slack 挂钩或邮箱`,
  add: ["Add target", "添加目标"],
  name: ["Name", "名称"],
  kind: ["Kind", "类型"],
  kinds: {
    webhook: ["Webhook", "Webhook"],
    slack: ["Slack-compatible hook", "Slack 兼容挂钩"],
    email: ["E-mail", "电子邮件"],
  },
  place: ["Place", "地址"],
  actions: ["Actions", "操作"],
  test: ["Send test", "发送测试"],
  testOk: (name: string) => [`${name} accepted the test`, `${name} 已接受测试`],
  testFailed: (name: string, problem: string) => [
    `The test to ${name} failed: ${problem}`,
    `发送给 ${name} 的测试失败：${problem}`,
  ],
  remove: ["Remove", "移除"],
  removeTitle: (name: string) => [`Remove ${name}?`, `移除 ${name}？`],
  removeWarning: both`It receives nothing more, and what is on its way to it is dropped.
    它不会再收到通知，尚未送达的消息将被丢弃。`,
  removed: (name: string) => [`${name} was removed`, `已移除 ${name}`],
  incidents: ["Incidents", "事件"],
  noIncidents: ["There were no incidents", "没有事件"],
  noIncidentsHint: ["They appear here when they begin", "事件发生后会显示在这里"],
  incident: ["Incident", "事件"],
  began: ["Began", "开始"],
  ended: ["Ended", "结束"],
  open: ["open", "进行中"],
  dead: ["Given up", "已放弃"],
  noDead: ["Every message arrived or is on its way", "所有消息均已送达或正在发送"],
  noDeadHint: both`A message that does not arrive for two days is listed here
    两天内未能送达的消息会列在这里`,
  message: ["Message", "消息"],
  attempts: ["Attempts", "尝试次数"],
  problem: ["Problem", "问题"],
  retry: ["Send again", "重新发送"],
  retried: ["The message is sent again", "消息正在重新发送"],
  newIntro: both`It receives every incident that begins from now on, and its end
    此后开始的每个事件及其结束都会通知它`,
  url: ["URL", "URL"],
  urlHint: both`Of a webhook or a Slack hook; https, on a public address
    Webhook 或 Slack 挂钩的地址；https，公网地址`,
  host: ["Mail server", "邮件服务器"],
  port: ["Port", "端口"],
  security: ["Encryption", "加密"],
  user: ["User", "用户名"],
  password: ["Password", "密码"],
  from: ["From", "发件人"],
  to: ["To", "收件人"],
  toHint: ["Addresses with commas between them", "多个地址以逗号分隔"],
  mailOnly: ["For e-mail only", "仅用于电子邮件"],
  save: ["Add", "添加"],
  added: (name: string) => [`${name} was added`, `已添加 ${name}`],
  secret: ["Secret of the signatures", "签名密钥"],
  secretOnce:
    both`Verify messages with this secret, as Standard Webhooks says. It is not shown again.
    请按 Standard Webhooks 用此密钥验证消息。它不会再次显示。`,
  done: ["Done", "完成"],
});
