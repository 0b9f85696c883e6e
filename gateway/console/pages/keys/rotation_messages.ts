import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the page of a rotation. */
export const rotationMessages = catalogue({
  title: (name: string) => [`Replace ${name}`, `替换 ${name}`],
  intro:
    both`Six steps. You can interrupt it at any time and continue later: the keys and the request log hold the progress.
    共六步。可随时离开，稍后继续：进度由密钥和请求日志本身决定。`,
  steps: {
    copy: ["Create a copy", "创建副本"],
    store: ["Store the new key", "存放新密钥"],
    verify: ["Make a call with it", "用新密钥调用一次"],
    confirm: ["Find the call in the log", "在日志中确认"],
    disable: ["Disable the old key", "停用旧密钥"],
    revoke: ["Revoke the old key", "吊销旧密钥"],
  },
  done: ["done", "已完成"],
  now: ["next", "下一步"],
  later: ["later", "稍后"],
  copyHint:
    both`The copy has the same policy and shares the budget. The old key remains usable in the meantime.
    副本策略相同，并共用预算。旧密钥在此期间继续有效。`,
  name: ["Name of the copy", "副本名称"],
  copySubmit: ["Create the copy", "创建副本"],
  cannotCopy: both`A key that is disabled or has expired cannot be copied: the copy would be usable.
    已停用或已过期的密钥不能复制，否则副本会生效。`,
  copied: ["Copy:", "副本："],
  others: ["Other usable copies:", "另有可用的副本："],
  lostCopy: (id: string) =>
    both`Copy ${id} is no longer usable: it was disabled or revoked, or has expired.
    副本 ${id} 已不能使用：它已被终止或已过期。`,
  goOn: ["I have stored it in my secret store: continue", "我已存入密钥库，继续"],
  madeAlready:
    both`The copy was already created, and its key is shown only once. If it was lost, revoke the copy and create another.
    副本已经创建过，其密钥只显示一次。若已丢失，请吊销该副本后重新创建。`,
  storeHint:
    both`Store the key that was shown in your server-side secret store, and let your applications load it from there. If it was lost, revoke the copy and start again.
    请将显示过的密钥存入服务器端密钥库，并让应用从那里读取。若已丢失，请吊销副本并重新开始。`,
  verifyHint:
    both`Paste the key from your secret store, as proof that it is stored. The service makes one call with it at its public address, as an application does, and does not store it. Or make a call from an application with an X-Request-ID and reload this page.
    请从密钥库中取出密钥并粘贴，以证明它已存好。服务会像应用一样通过公开地址用它调用自己一次，随后即忘。也可在应用中带上 X-Request-ID 调用，然后刷新本页。`,
  key: ["The new key", "新密钥"],
  keyHint: (hint: string) =>
    both`It begins with ${hint}. The call costs a few tokens.
    以 ${hint} 开头。此次调用只花费少量词元。`,
  requestId: ["X-Request-ID of the call", "此次调用的 X-Request-ID"],
  verifySubmit: ["Make the call", "发起调用"],
  verified: (id: string, model: string, charged: string) =>
    both`Request ${id} was answered by ${model} for ${charged} credits.
    请求 ${id} 由 ${model} 应答，扣费 ${charged} 点。`,
  confirmHint: both`A successful call of the new key appears here once it is in the log.
    一旦日志中有新密钥的成功调用，就会显示在这里。`,
  confirmed: ["The log contains the call, under the new key:", "日志中已有此调用，属于新密钥："],
  notYet: both`The log does not contain this call yet: reload the page.
    日志中尚无此调用：请刷新本页。`,
  reload: ["Reload", "刷新"],
  disableHint: both`Calls with the old key are refused from then on. It can be enabled again.
    此后仍使用旧密钥的调用将被拒绝。可重新启用。`,
  unused: (since: string) =>
    both`The old key was not used since the call above, ${since}.
    自上述调用（${since}）以来，旧密钥未被使用。`,
  inUse: (requests: string, last: string) =>
    both`The old key may still be in use: ${requests} requests since that call, last used ${last}. Its users would be refused.
    旧密钥可能仍在使用：自该调用以来有 ${requests} 个请求，最近使用于 ${last}。停用会中断其使用者。`,
  justUsed: (last: string) =>
    both`The old key may still be in use: it was last used ${last}, less than an hour before the call above. Its users would be refused.
    旧密钥可能仍在使用：最近使用于 ${last}，距上述调用不到一小时。停用会中断其使用者。`,
  disableSubmit: ["Disable the old key", "停用旧密钥"],
  disableAnyway: ["Disable it anyway", "仍然停用"],
  revokeHint:
    both`Check that your applications still work. If they do, revoke the old key permanently; if not, enable it again.
    请检查应用是否正常。若正常，永久吊销旧密钥；若不正常，重新启用它。`,
  revoke: ["Revoke the old key …", "吊销旧密钥 …"],
  enable: ["Enable it again", "重新启用"],
  isDisabled: both`The old key is disabled. Check that your applications still work.
    旧密钥已停用。请检查应用是否正常。`,
  isEnabled: ["The old key can be used again.", "旧密钥已恢复使用。"],
  complete: both`The old key is replaced and revoked. This rotation is complete.
    旧密钥已被替换并终止。本次轮换完成。`,
  revoked: ["This key is revoked; nothing is left to replace.", "此密钥已吊销，无需替换。"],
});
