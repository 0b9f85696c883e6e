import * as ui from "../../components/mod.ts";
import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the pages of upstreams. */
export const upstreamMessages = catalogue({
  title: ["Upstreams", "上游"],
  intro: [
    "Connections to providers and servers, with the state that this process finds them in.",
    "与供应商和服务器的连接，以及此进程所见的状态。",
  ],
  introOf: (instance: number) => [
    "Connections to providers and servers. Their state and calls in flight are those of " +
    `instance ${instance}, which shows this page; other instances have their own.`,
    `与供应商和服务器的连接。状态和进行中的调用仅属于显示此页的实例 ${instance}；其他实例各有自己的状态。`,
  ],
  stateOf: (instance: number) => [`State at instance ${instance}`, `实例 ${instance} 的状态`],
  add: ["Add an upstream", "添加上游"],
  caption: ["Upstreams and their state", "上游及其状态"],
  id: ["Upstream", "上游"],
  kind: ["Kind", "类型"],
  provider: ["Provider", "供应商"],
  state: ["State", "状态"],
  states: {
    available: ["Available", "可用"],
    degraded: ["Partly available", "部分可用"],
    unavailable: ["Unavailable", "不可用"],
    unused: ["Unused", "未使用"],
    failing: ["Failing", "频繁失败"],
    unsteady: ["Unsteady", "不稳定"],
  },
  models: ["Models", "模型"],
  modelsGood: (good: number, all: number) => [`${good} of ${all}`, `${good}/${all}`],
  inFlight: ["In flight", "进行中"],
  failures: ["Error rate", "错误率"],
  failovers: ["Failovers", "故障转移"],
  failoversHint: (minutes: number) =>
    both`Failures of the last ${minutes} minutes that led to a call of another model
    最近 ${minutes} 分钟内失败后改为调用其他模型的次数`,
  failed: (
    failures: number,
    attempts: number,
  ) => [`${failures} of ${attempts}`, `${attempts} 次中 ${failures} 次`],
  failedLately: (failures: number, attempts: number, minutes: number) => [
    attempts === 0
      ? `no attempt in ${minutes} minutes`
      : `${ui.percentText(failures, attempts)}: ${failures} of ${attempts} in ${minutes} minutes`,
    attempts === 0
      ? `最近 ${minutes} 分钟没有尝试`
      : `${
        ui.percentText(failures, attempts)
      }：最近 ${minutes} 分钟 ${attempts} 次尝试中 ${failures} 次失败`,
  ],
  lastMinutes: (
    minutes: number,
  ) => [`Attempts of the last ${minutes} minutes`, `最近 ${minutes} 分钟的尝试`],
  latency: ["Time to first byte", "首字节时间"],
  address: ["Address", "地址"],
  key: ["Key", "密钥"],
  keyStored: ["stored in the catalog, never shown", "保存在目录中，不再显示"],
  keyNone: ["none", "无"],
  onDisconnect: ["When the caller disconnects", "调用方断开时"],
  onDisconnects: {
    cancel: ["The call is cancelled", "取消调用"],
    drain: ["The answer is read to its end", "读完回答"],
  },
  timeouts: {
    connectMs: ["Longest wait to connect", "连接最长等待"],
    firstByteMs: ["Longest wait for the first byte", "首字节最长等待"],
    idleMs: ["Longest wait between two reads", "两次读取之间最长等待"],
  },
  inMs: (name: string) => [`${name}, ms`, `${name}（毫秒）`],
  none: ["There is no upstream", "没有上游"],
  noneHint: [
    "Add one: requests need an upstream to answer them.",
    "请添加：请求需要有上游来回答。",
  ],
  noUpstream: (id: string) => [`The catalog has no upstream "${id}"`, `目录中没有上游“${id}”`],
  modelCaption: ["Models on this upstream", "此上游的模型"],
  noModels: ["It has no models", "其上没有模型"],
  noModelsHint: both`Probe it for its models, and add one.
    可探测它提供什么，然后添加模型。`,
  reason: ["Reason", "原因"],
  probe: ["Probe now", "立即探测"],
  probeHint:
    both`Requests its list of models over a separate connection, for ten seconds at most. No tokens are used.
    通过单独的连接请求其模型列表，最多十秒，不消耗词元。`,
  probeTitle: ["Probe", "探测"],
  answered: (count: number, ms: number) =>
    both`It answered in ${ms} ms and lists ${count} ${count === 1 ? "model" : "models"}
    ${ms} 毫秒内应答，列出 ${count} 个模型`,
  offered: ["Listed models", "列出的模型"],
  moreOffered: (count: number) => [`${count} more are not shown.`, `另有 ${count} 个未显示。`],
  offeredName: ["Name at the upstream", "上游名称"],
  inCatalog: ["In the catalog as", "在目录中为"],
  addModel: ["Add", "添加"],
  whatToDo: {
    upstream_timeout:
      both`No answer in time: is the address correct, and can this machine reach it? A proxy or a firewall may drop the connection.
      未及时应答：地址是否正确，本机能否访问？代理或防火墙可能丢弃了连接。`,
    upstream_error:
      both`If the key was refused, set the variable again and restart the gateway. If the connection was refused, check that the server runs at that address. If it has no list of models, calls may still work.
      若密钥被拒，请重设环境变量并重启网关；若连接被拒，请查看该地址的服务器是否在运行；若没有模型列表，调用仍可能正常。`,
  },
  editTitle: (id: string) => [`Edit upstream ${id}`, `编辑上游 ${id}`],
  where: ["Location", "位置"],
  cloud: ["Cloud (Bedrock, Vertex, Azure)", "云平台（Bedrock、Vertex、Azure）"],
  cloudKeys: ["Credentials of Bedrock and Vertex", "Bedrock 与 Vertex 的凭证"],
  keys: ["Credentials", "凭证"],
  keysHint:
    both`Names of environment variables of the gateway. A key itself can only be set in the catalog's JSON, and is not shown again.
    网关的环境变量名称。密钥本身只能写在目录的 JSON 中，且不再显示。`,
  storedKey: both`A key is stored in the catalog. It is kept while the address stays the same.
    目录中保存有密钥。地址不变时密钥保持不变。`,
  forgetKey: ["Delete the stored key", "删除所保存的密钥"],
  variables: {
    apiKeyEnv: ["Key", "密钥"],
    credentialsFileEnv: ["Path of a service account's file (Vertex)", "服务账号文件路径（Vertex）"],
    accessKeyIdEnv: ["Access key id (Bedrock)", "访问密钥编号（Bedrock）"],
    secretAccessKeyEnv: ["Its secret (Bedrock)", "访问密钥（Bedrock）"],
    sessionTokenEnv: ["Session token (Bedrock)", "会话令牌（Bedrock）"],
  },
  places: {
    region: ["Region (Bedrock, Vertex)", "区域（Bedrock、Vertex）"],
    project: ["Project (Vertex)", "项目（Vertex）"],
    resourceName: ["Resource (Azure)", "资源（Azure）"],
    apiVersion: ["Interface version (Azure)", "接口版本（Azure）"],
  },
  limits: ["Limits", "限制"],
  maxInFlight: ["Most requests at once", "最多同时请求数"],
  defaultHint: ["Empty: the default", "留空：默认值"],
});
