/**
 * Decides whether a request gains from being split into tasks: it asks for at least two things that
 * can be answered independently, each worth an answer of several sentences.
 *
 * A sum of named signals; from {@linkcode COMPOUND_THRESHOLD} on, the request is compound.
 *
 * | signal | weight |
 * |---|---|
 * | `asks` | 0.5 for each question or instruction after the first, at most 1.5 |
 * | `open_asks` | 0.4 if at least two of these ask for an explanation, not for a fact |
 * | `subjects` | 0.4 for each item of its longest list after the second, at most 0.8 (0.4 if nothing is to be made) |
 * | `pieces` | 0.5 if an instruction lists things to be made ("a speech, a toast, and …") |
 * | `comparison` | 0.5 if it asks to compare, weigh or evaluate |
 * | `criteria` | 0.4 if it names criteria or perspectives |
 * | `large_work` | 0.5 if it asks for a report, a plan, a design or the like |
 * | `announced` | 0.5 if it counts or orders its parts ("three questions", "separately") |
 * | `each` | 0.3 if something is asked of each of several |
 * | `given_text` | -1.5 if a quoted text is to be worked on |
 * | `one_piece` | -0.6 if one story, letter, function or the like is wanted |
 * | `small_answer` | -1 if the answer is one small text, or is to be brief |
 *
 * Text in quotation marks and in code blocks is not the request's own and is ignored. Only the
 * first and the last 500 characters of a text are read, so that a decision takes less than 0.2 ms,
 * as `deno task eval:gate` prints. English and Chinese; in other languages only punctuation counts.
 *
 * @module
 */

/** Smallest sum of a request that is split. */
export const COMPOUND_THRESHOLD = 0.75;

/** A reason for or against a split. */
export type CompoundSignal =
  | "asks"
  | "open_asks"
  | "subjects"
  | "pieces"
  | "comparison"
  | "criteria"
  | "large_work"
  | "announced"
  | "each"
  | "given_text"
  | "one_piece"
  | "small_answer";

/** The decision about a request, with its reasons. */
export interface CompoundJudgement {
  readonly compound: boolean;
  readonly score: number;
  /** Detected signals with their weights. */
  readonly signals: readonly (readonly [CompoundSignal, number])[];
}

/** Characters read at each end. */
const READ_CHARS = 500;
/** Minimum length of a request with two questions: a shorter one has one. */
const SHORTEST_CHARS = 14;

const QUOTED =
  /```[\s\S]*?(?:```|$)|`[^`\n]{1,200}`|"[^"\n]*"|“[^“”]*”|「[^「」]*」|(?<!\w)'[^'\n]*'(?!\w)/g;
const SENTENCES = /[^?？.!。！\n]*[?？.!。！\n]|[^?？.!。！\n]+$/g;
const CLAUSE_ENDS =
  /(?<![.,;:?!\n，。；：？！])[.,;:?!\n，。；：？！]+(?=\s|$|\P{ASCII})|[，。；：？！]|\b(?:and|then|as well as)\s/u;
const OPENERS =
  /^(?:\s|[-*•(（]|\d{1,2}[.)、]|(?:and|or|also|then|next|finally|lastly|first(?:ly)?|second(?:ly)?|third(?:ly)?|please|separately|secondly|in addition|additionally|besides|plus|i (?:would like|want|need) (?:you )?to|can you|could you|would you|help me(?: to)?|now|after that|for each)\b|请你?|帮(?:我们?|忙)|麻烦|我想(?:知道|了解)?|先|再|然后|接着|最后|并且?|以及|另外|此外|还(?:有|要|想)?|同时|其次|第[一二三四五]|[一二三四五][、是]|也|又|分别|给我们?|顺便|接下来)+/i;
const INSTRUCTION =
  /^(?:explain|describe|compare|contrast|analy[sz]e|assess|evaluate|review|discuss|outline|list|write|draft|compose|prepare|create|make|build|develop|design|plan|propose|suggest|recommend|advise|give|provide|show|tell me|summari[sz]e|set up|apply|research|investigate|identify|estimate|document|define|introduce|map|present|produce|name|cover|teach|work out|come up with|argue|judge|rank|trace|examine|illustrate|add)\b/i;
const QUESTION =
  /^(?:what|why|how|which|who|when|where|is|are|was|were|do|does|did|can|could|should|would|will|has|have)\b/i;
/** Matches within a sentence; "who", "when" and "where" may open a relative clause there. */
const WH_QUESTION = /^(?:what|why|how|which|whether)\b/i;
const HAN_INSTRUCTION =
  /^.{0,8}?(?:解释|介绍|比较|对比|分析|评估|评价|评述|讨论|列出|列举|写|起草|撰写|准备|制定|制作|设计|规划|提出|建议|推荐|给出|提供|总结|归纳|概述|调研|研究|说明|描述|谈谈|讲讲|说说|搭建?|出[一二三四五六七八九十几]|附上|拟|做[一个份]|画|整理|梳理|判断|提.{0,3}建议|预测|论述|阐述|汇总|配)/;
const HAN_QUESTION =
  /为什么|为何|怎么|怎样|如何|哪些|哪种|哪个|哪里|什么|多少|是否|能否|几[个种]|有何|呢$|吗$/;
const MAKING =
  /\b(?:write|make|create|prepare|draft|produce|design|give|develop|put together|need)\b/i;
const PIECE =
  /^(?:and )?(?:an?|the|our|my|two|three|four|five|six|seven|ten|some|\w+s (?:for|on|of|about))\s\w/i;
const OPEN =
  /^(?:why|how(?! (?:are you|long|many|much|often|old|far|big|tall|fast|late))|explain|describe|compare|discuss|analy[sz]e|write|design|draft|develop)\b|为什么|为何|怎么|怎样|如何|解释|介绍|比较|分析|讨论|设计|写/i;
const COMPARISON =
  /\b(?:compar(?:e|ison|ing)|contrast|versus|vs\.?|pros and cons|advantages and disadvantages|strengths and (?:weaknesses|costs)|weigh|evaluate|trade-?offs?|differences? between|analy[sz]e)\b|比较|对比|优缺点|优劣|利弊|异同|区别|差异|权衡|评估|评价/i;
const CRITERIA =
  /\b(?:in terms of|with regard to|with respect to|regarding|according to|based on|by (?:cost|price)|on (?:cost|price)|cover(?:ing)?|including|from the (?:perspective|point of view|side)s?|criteria|each with)\b|包括|包含|涵盖|从.{1,30}(?:方面|角度|来看|来谈|入手)|(?:几个|各个?|等)方面|重点(?:看|讲|是)|内容有/i;
const LARGE_WORK =
  /\b(?:report|market analysis|business plan|feasibility|literature review|white ?paper|proposal|programme|program for|curriculum|syllabus|course|lesson plan|strategy|strategies|roadmap|architecture|design (?:an?|the)|guidelines?|handbook|manual|runbook|playbook|test plan|training|onboarding|campaign|itinerary|migration plan|nutrition plan|documents|case study|essay|guide|kit|specification|dossier)\b|报告|方案|计划书|可行性|综述|调研|教案|课程|大纲|手册|指南|规划|攻略|提纲|制度|白皮书|策划|体系|标书|培训|设计.{0,12}系统/i;
const ANNOUNCED =
  /\b(?:(?:two|three|four|five|six|several|some|few) (?:\w+ )?(?:questions|things|parts|topics|tasks|documents|options|requests|pieces)|first(?:ly)?\b[\s\S]{0,400}\bsecond(?:ly)?|separately|on the one hand|in two parts|another (?:question|thing|topic)|unrelated|also,|on top of that|part (?:one|1|a)\b)|[两二三四五六几][个件项道方]{1,2}(?:问题|事|任务|部分|方面|选择|方案)|另外|此外|顺便|先[\s\S]{1,200}?(?:再|然后|最后)|第一[\s\S]{1,200}?第二|一是[\s\S]{1,200}?二是|分别|以及|还有|最后/i;
const EACH =
  /\b(?:for each|each (?:of|with|one)|apply each|respectively|of both|of either)\b|各(?:有|自|采|地|家|需|是)|每[个项种章条]|分别/i;
const GIVEN_TEXT =
  /^\W*(?:(?:please|can you|could you|kindly)\s+)?(?:translate|fix|correct|proofread|rewrite|rephrase|reword|paraphrase|shorten|edit|polish|turn (?:this|these|the)|convert|classify|categori[sz]e|label|tag|sort|order|rank the following|arrange|put (?:the|these|this)|extract|format|reformat|summari[sz]e (?:this|the following|these|the text|my)|make this|make the following|simplify|count|find the (?:error|mistake|bug)s? in|explain this (?:error|code|message)|complete the|reply to|answer (?:this|the) e-?mail|read the (?:following|text)|decide for each|mark)\b|\b(?:(?:from|in|of|with) (?:this|these) (?:lists?|texts?|sentences?|words?|numbers?)|the following (?:text|passage|paragraph|sentences?|steps|list|words|e-?mail|notes|messages|lines)|in (?:one|two|three) (?:sentences?|words?|lines?)|one word (?:a|per) line|act as|what(?:'s| is) wrong|doesn't work|throws|not working)\b|^\W*请?(?:你)?(?:帮我)?(?:把|将|翻译|改正|修改|改写|润色|纠正|校对|缩写|扩写|判断下列|从下面|阅读|提取|统计|续写)|下面(?:的|这)|以下(?:的?文字|文本|句子|内容|步骤|邮件|列表)|下列|这(?:段|几?句|封|篇|些|串|组)(?:话|文字|代码|邮件|笔记|文章|句子|数字|词)?|用[一两二三]句话|请?扮演|(?:哪里|哪儿)(?:错|有问题)|这个(?:错误|报错)|提交说明/i;
const ONE_PIECE =
  /^\W*(?:(?:please|can you|could you|kindly)\s+)?(?:write|tell|create|compose|draft|suggest|recommend|give|find|implement)\s(?:me\s)?(?:an?|one)\s(?:\w+\s){0,2}?(?:story|poem|e-?mail|letter|function|script|query|program|recipe|gift|song|message|book|film|movie|name|password|dish)\b|^请?(?:你|帮我|给我)?[写讲编做]一(?:封|首|个.{0,10}(?:函数|脚本|程序|故事|笑话|段子))|请假/i;
const SMALL_ANSWER =
  /\b(?:commit message|haiku|limerick|slogan|tweet|headline|caption|subject line|joke|riddle|synonyms?|regular expression|regex|one-?liner|text message|sms|(?:thank-you|birthday|condolence) (?:note|card|message)|polite (?:decline|refusal|reply|reminder)|invitation|out-of-office|sentence|paragraph|briefly|in short|in a word|solve for|calculate|convert|how many|how much is|what time|small example|short(?:er)? (?:poem|note|reply|answer|story|example))\b|绝句|律诗|俳句|对联|标题|口号|短信|正则|一句话|简单(?:解释|说|介绍)|简短|简要|笑话|谜语|祝福语|请假条|解方程|计算|等于|起.{0,3}个名字|小例子|举.{0,3}例子?[。？]?$/i;
const LIST_MARK = /[,;、，；]/;
const HAN = /\p{Script=Han}/u;

/** Decides about the text of a request. Deterministic; linear in the text that is read. */
export function judgeCompound(text: string): CompoundJudgement {
  const whole = ends(text.trim());
  const own = whole.replace(QUOTED, " ");
  if (own.trim().length < SHORTEST_CHARS) return { compound: false, score: 0, signals: [] };
  const signals: [CompoundSignal, number][] = [];
  const add = (signal: CompoundSignal, weight: number) => {
    if (weight !== 0) signals.push([signal, weight]);
  };
  const asks = asksIn(own);
  add("asks", Math.min(1.5, 0.5 * Math.max(0, asks.length - 1)));
  if (asks.filter((ask) => OPEN.test(ask)).length > 1) add("open_asks", 0.4);
  // Self-descriptions and thanks have commas, too.
  const most = asks.some((ask) => OPEN.test(ask) || isInstruction(ask)) ? 0.8 : 0.4;
  add("subjects", Math.min(most, 0.4 * Math.max(0, longestList(own) - 2)));
  if (listsPieces(own)) add("pieces", 0.5);
  if (COMPARISON.test(own)) add("comparison", 0.5);
  if (CRITERIA.test(own)) add("criteria", 0.4);
  if (LARGE_WORK.test(own)) add("large_work", 0.5);
  if (ANNOUNCED.test(own)) add("announced", 0.5);
  if (EACH.test(own)) add("each", 0.3);
  if (GIVEN_TEXT.test(own)) add("given_text", -1.5);
  if (ONE_PIECE.test(own)) add("one_piece", -0.6);
  if (SMALL_ANSWER.test(own)) add("small_answer", -1);
  const score = signals.reduce((sum, [, weight]) => sum + weight, 0);
  return { compound: score >= COMPOUND_THRESHOLD, score, signals };
}

/** Returns questions and instructions without their openings. */
function asksIn(text: string): readonly string[] {
  const asks: string[] = [];
  for (const sentence of text.match(SENTENCES) ?? []) {
    const clauses = sentence.split(CLAUSE_ENDS).map((clause) => clause.replace(OPENERS, "").trim());
    const matches = clauses.filter((clause, at) => isAsk(clause, at === 0));
    if (matches.length > 0) asks.push(...matches);
    else if (/[?？]\s*$/.test(sentence)) asks.push(clauses[0] ?? "");
  }
  return asks;
}

function isInstruction(ask: string): boolean {
  return INSTRUCTION.test(ask) || HAN_INSTRUCTION.test(ask);
}

function isAsk(clause: string, isFirst: boolean): boolean {
  if (HAN.test(clause)) return HAN_INSTRUCTION.test(clause) || HAN_QUESTION.test(clause);
  return INSTRUCTION.test(clause) || (isFirst ? QUESTION : WH_QUESTION).test(clause);
}

/** True when an instruction to make something is followed by several things. */
function listsPieces(text: string): boolean {
  const latin = MAKING.test(text) &&
    text.split(/[.?!:]\s|\n/).some((sentence) =>
      MAKING.test(sentence.slice(0, 200)) &&
      sentence.split(/[,;]\s|\sand\s/).slice(1).filter((part) => PIECE.test(part)).length >= 2
    );
  return latin || text.includes("、") &&
      text.split(/[，。；：？！]/).some((clause) =>
        clause.includes("、") && HAN_INSTRUCTION.test(clause.replace(OPENERS, ""))
      );
}

/** Returns the length of the longest list within a sentence. */
function longestList(text: string): number {
  if (!LIST_MARK.test(text)) return 0;
  let most = 0;
  for (const sentence of text.split(/[.?!。？！]\s|[.?!。？！]$|[。？！：:]/m)) {
    const han = Math.max(0, ...sentence.split(/[，,；;]/).map(hanItems));
    // In Chinese most commas separate clauses, few of them items.
    const clauses = HAN.test(sentence) ? Math.min(3, sentence.split(/[，；]/).length - 1) : 0;
    most = Math.max(most, han, clauses, latinItems(sentence));
  }
  return most;
}

function hanItems(part: string): number {
  const marks = part.split("、").length;
  return marks < 2 ? 0 : marks + (/(?:和|与|及|以及).{1,12}$/.test(part) ? 1 : 0);
}

function latinItems(sentence: string): number {
  const commas = sentence.split(/[,;]\s/).length;
  return commas < 2 ? 0 : commas + (/[^,;]\s(?:and|or)\s/.test(sentence) ? 1 : 0);
}

function ends(text: string): string {
  if (text.length <= 2 * READ_CHARS) return text;
  return `${text.slice(0, READ_CHARS)}\n${text.slice(-READ_CHARS)}`;
}
