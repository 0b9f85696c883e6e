import { catalogue } from "../../messages/catalogue.ts";

/** What the page of a rotation says. */
export const rotationMessages = catalogue({
  title: (name: string) => `Replace ${name}`,
  intro:
    "In six steps. You can leave at any time and go on later: where it stands is told by the keys and the request log.",
  steps: {
    copy: "Make a copy",
    store: "Store the new key",
    verify: "Make a call with it",
    confirm: "Find the call in the log",
    disable: "Disable the old key",
    revoke: "Revoke the old key",
  },
  done: "done",
  now: "next",
  later: "later",
  copyHint:
    "The copy has the same policy and shares the budget. The old key goes on serving beside it.",
  name: "Name of the copy",
  copySubmit: "Make the copy",
  cannotCopy: "A key that is disabled or has expired cannot be copied: the copy would serve.",
  copied: "Copy:",
  others: "Other copies can serve too:",
  lostCopy: (id: string) =>
    `Copy ${id} cannot serve any more: somebody has ended it, or it has expired.`,
  goOn: "I have put it into my secret store: go on",
  madeAlready:
    "The copy was made already, and its key is shown once only. Where it was lost, revoke the copy and make another.",
  storeHint:
    "Put the key that was shown into your server-side secret store and let your applications load it from there. Where it was lost, revoke the copy and begin again.",
  verifyHint:
    "Paste the key from your secret store: that shows it is there. The service calls itself with it at the public address, as an application would, and forgets it. Or call from an application with an X-Request-ID and reload this page.",
  key: "The new key",
  keyHint: (hint: string) => `It begins with ${hint}. The call costs a few tokens.`,
  requestId: "X-Request-ID of the call",
  verifySubmit: "Make the call",
  verified: (id: string, model: string, charged: string) =>
    `Request ${id} was answered by ${model} for ${charged} credits.`,
  confirmHint: "As soon as the log has a call of the new key that went well, it shows here.",
  confirmed: "The log has it, under the new key:",
  notYet: "The log does not have this call yet: reload the page.",
  reload: "Reload",
  disableHint: "Whoever still uses the old key is refused from then on. It can be enabled again.",
  unused: (since: string) => `The old key was not used since the call above, ${since}.`,
  inUse: (requests: string, last: string) =>
    `The old key may still be in use: ${requests} requests since that call, last used ${last}. Whoever uses it would be cut off.`,
  justUsed: (last: string) =>
    `The old key may still be in use: it was last used ${last}, less than an hour before the call above. Whoever uses it would be cut off.`,
  disableSubmit: "Disable the old key",
  disableAnyway: "Disable it all the same",
  revokeHint:
    "Look whether your applications still work. If they do, end the old key for good; if not, enable it again.",
  revoke: "Revoke the old key …",
  enable: "Enable it again",
  isDisabled: "The old key is disabled. Look whether your applications still work.",
  isEnabled: "The old key serves again.",
  complete: "The old key is replaced and has ended. This rotation is complete.",
  toCopy: "To the new key",
  revoked: "This key is revoked; nothing is left to replace.",
}, {
  zh: {
    title: (name) => `替换 ${name}`,
    intro: "共六步。可随时离开，稍后继续：进度由密钥和请求日志本身决定。",
    steps: {
      copy: "创建副本",
      store: "存放新密钥",
      verify: "用新密钥调用一次",
      confirm: "在日志中确认",
      disable: "停用旧密钥",
      revoke: "吊销旧密钥",
    },
    done: "已完成",
    now: "下一步",
    later: "稍后",
    copyHint: "副本策略相同，并共用预算。旧密钥在此期间继续有效。",
    name: "副本名称",
    copySubmit: "创建副本",
    cannotCopy: "已停用或已过期的密钥不能复制，否则副本会生效。",
    copied: "副本：",
    others: "另有可用的副本：",
    lostCopy: (id) => `副本 ${id} 已不能使用：它已被终止或已过期。`,
    goOn: "我已存入密钥库，继续",
    madeAlready: "副本已经创建过，其密钥只显示一次。若已丢失，请吊销该副本后重新创建。",
    storeHint:
      "请将显示过的密钥存入服务器端密钥库，并让应用从那里读取。若已丢失，请吊销副本并重新开始。",
    verifyHint:
      "请从密钥库中取出密钥并粘贴，以证明它已存好。服务会像应用一样通过公开地址用它调用自己一次，随后即忘。也可在应用中带上 X-Request-ID 调用，然后刷新本页。",
    key: "新密钥",
    keyHint: (hint) => `以 ${hint} 开头。此次调用只花费少量词元。`,
    requestId: "此次调用的 X-Request-ID",
    verifySubmit: "发起调用",
    verified: (id, model, charged) => `请求 ${id} 由 ${model} 应答，扣费 ${charged} 点。`,
    confirmHint: "一旦日志中有新密钥的成功调用，就会显示在这里。",
    confirmed: "日志中已有此调用，属于新密钥：",
    notYet: "日志中尚无此调用：请刷新本页。",
    reload: "刷新",
    disableHint: "此后仍使用旧密钥的调用将被拒绝。可重新启用。",
    unused: (since) => `自上述调用（${since}）以来，旧密钥未被使用。`,
    inUse: (requests, last) =>
      `旧密钥可能仍在使用：自该调用以来有 ${requests} 个请求，最近使用于 ${last}。停用会中断其使用者。`,
    justUsed: (last) =>
      `旧密钥可能仍在使用：最近使用于 ${last}，距上述调用不到一小时。停用会中断其使用者。`,
    disableSubmit: "停用旧密钥",
    disableAnyway: "仍然停用",
    revokeHint: "请检查应用是否正常。若正常，永久吊销旧密钥；若不正常，重新启用它。",
    revoke: "吊销旧密钥 …",
    enable: "重新启用",
    isDisabled: "旧密钥已停用。请检查应用是否正常。",
    isEnabled: "旧密钥已恢复使用。",
    complete: "旧密钥已被替换并终止。本次轮换完成。",
    toCopy: "查看新密钥",
    revoked: "此密钥已吊销，无需替换。",
  },
});
