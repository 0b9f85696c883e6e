import { both, catalogue } from "../../messages/catalogue.ts";

/** Messages of the forms of the catalog, of the difference before it is applied, and of the history. */
export const editMessages = catalogue({
  editModel: (id: string) => [`Edit ${id}`, `编辑 ${id}`],
  newModel: ["Add a model", "添加模型"],
  editTier: (id: string) => [`Edit tier ${id}`, `编辑档位 ${id}`],
  newTier: ["Add a tier", "添加档位"],
  editIntro: both`Nothing changes yet: the next page shows the difference.
    此时不会有任何更改：下一页显示差异。`,
  jsonTitle: ["Catalog as JSON", "目录 JSON 全文"],
  jsonIntro:
    both`The whole catalog: upstreams, models, tiers, weights, search. Hidden keys stay unchanged.
    一次编辑全部内容：上游、模型、档位、权重、搜索。隐藏的密钥保持不变。`,
  jsonLabel: ["Catalog", "目录"],
  badJson: (
    problem: string,
  ) => [`This is not valid JSON: ${problem}`, `不是有效的 JSON：${problem}`],
  check: ["Show the difference", "显示差异"],
  id: ["Id", "编号"],
  idHint: ["1 to 128 of A-Z a-z 0-9 . _ / -", "1 到 128 个字符：A-Z a-z 0-9 . _ / -"],
  listHint: ["Separated by commas", "以逗号分隔"],
  english: ["English", "英文"],
  chinese: ["Chinese", "中文"],
  qualityHint: ["Expected quality of its answers, 0 to 1", "回答的预期质量，0 到 1"],
  disabled: ["Excluded from routing", "不参与路由"],
  remove: ["Remove it from the catalog", "从目录中移除"],
  modelsHint: ["Ids separated by commas, or * for all", "以逗号分隔的编号，或用 * 表示全部"],
  orchestrations: {
    off: ["Off", "关闭"],
    auto: ["When useful", "按需"],
    always: ["Always", "总是"],
  },
  basics: ["Basics", "基本信息"],
  morePrices: ["Other prices", "其他价格"],
  reviewTitle: ["Check the change", "核对更改"],
  reviewIntro: (
    version: number,
  ) => [
    `Compared with version ${version}, which is in force.`,
    `与当前生效的版本 ${version} 比较。`,
  ],
  difference: ["Difference", "差异"],
  nothing: ["Nothing differs from the version in force", "与当前生效的内容没有差异"],
  nothingHint: ["Go back to change something, or leave it unchanged.", "请返回修改，或保持不变。"],
  advice: ["Notes", "值得注意"],
  note: ["Note for the history", "历史备注"],
  noteHint: ["Reason, in a few words", "简要说明原因"],
  apply: ["Apply", "应用"],
  editFurther: ["Edit as JSON", "以 JSON 编辑"],
  force: ["Apply anyway", "仍然应用"],
  applied: (
    version: number,
  ) => [`Applied: version ${version} is in force`, `已应用：版本 ${version} 生效`],
  nothingApplied: ["Nothing differed, so no version was created", "没有差异，未生成新版本"],
  stale: (base: number, current: number) =>
    both`Version ${current} was created after you began with version ${base}. Your edit is kept and now based on it: check the difference again.
    您从版本 ${base} 开始编辑后，已有人生成版本 ${current}。您的编辑已保留并叠加其上，请重新核对差异。`,
  meanwhile: ["Changes in the meantime", "在此期间的更改"],
  conflicts: [
    "Both edits changed these; your value is used:",
    "双方都改动了以下内容，以您的为准：",
  ],
  start: ["There is nothing to apply yet", "还没有可应用的内容"],
  startHint: ["Edit a model, a tier or the whole catalog first.", "请先编辑模型、档位或整个目录。"],
  added: ["Added", "新增"],
  removed: ["Removed", "移除"],
  changed: ["Changed", "更改"],
  before: ["before:", "原为："],
  after: ["now:", "现为："],
  entries: {
    models: ["Model", "模型"],
    tiers: ["Tier", "档位"],
    upstreams: ["Upstream", "上游"],
    auto: ["Choice of models", "模型选择"],
    search: ["Web search", "网页搜索"],
    vectorStores: ["Vector stores", "向量库"],
    limits: ["Limits of the service", "服务限制"],
  },
  tierOrder: ["Order of the tiers", "档位顺序"],
  historyTitle: ["History of the catalog", "目录的历史版本"],
  historyIntro: both`Every version that was in force, newest first. None is ever changed.
    曾经生效的每个版本，最新在前。版本从不改动。`,
  historyCaption: ["Versions of the catalog", "目录的版本"],
  version: ["Version", "版本"],
  time: ["Time", "时间"],
  noteTitle: ["Note", "备注"],
  inForce: ["In force", "生效中"],
  older: (count: number) =>
    both`The newest ${count} are listed. The next older one is
    仅列出最新的 ${count} 个版本。更早的一个是`,
  noHistory: ["There are no versions yet", "还没有版本"],
  noHistoryHint: ["Applying a catalog creates one.", "应用一次目录即生成版本。"],
  compare: ["Compare two versions", "比较两个版本"],
  from: ["From", "从"],
  to: ["To", "到"],
  show: ["Compare", "比较"],
  versionTitle: (version: number) => [`Version ${version}`, `版本 ${version}`],
  versionIntro: (
    since: number,
    version: number,
  ) => [`Changes from version ${since} to ${version}`, `从版本 ${since} 到 ${version} 的更改`],
  same: ["These two versions are the same", "这两个版本相同"],
  sameHint: ["Choose two others to compare.", "请选择另外两个版本。"],
  first: ["The first version: there is nothing before it", "这是第一个版本，之前没有内容"],
  firstHint: ["Its whole content is below.", "其全文见下。"],
  content: ["Whole content", "全文"],
  rollBack: ["Roll back to it", "回滚到此版本"],
  rollBackTitle: (version: number) => [`Roll back to version ${version}`, `回滚到版本 ${version}`],
  rollBackIntro: (current: number) =>
    both`Creates a new version with the same content. Below are the changes from version ${current}.
    将生成一个与其相同的新版本。下面是与版本 ${current} 的差异。`,
  rollBackNote: (version: number) => [`Back to version ${version}`, `回到版本 ${version}`],
  sameAsNow: (
    version: number,
  ) => [`Version ${version} equals the version in force`, `版本 ${version} 与当前生效的内容相同`],
  staleRollback: both`Another version was created in the meantime: check the difference again.
    在此期间生成了另一个版本：请重新核对差异。`,
});
