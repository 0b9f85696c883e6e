import { assert, assertEquals } from "@std/assert";
import { createTokenCounter } from "../../tokens/token_counter.ts";
import { writtenTokens } from "./written_tokens.ts";

const TEXTS = {
  English:
    "The gateway picks a model, survives the failures of providers, and bills what was used. ",
  German: "Die Vermittlung wählt ein Modell aus und rechnet genau ab, was verbraucht worden ist. ",
  Russian: "Служба выбирает модель, переживает сбои поставщиков и считает использованное. ",
  Chinese: "网关会选择一个模型，在供应商出现故障时继续工作，并且只对实际使用的部分收费。",
  Japanese: "このゲートウェイはモデルを選び、障害が起きても動き続け、使った分だけを請求します。",
  Korean: "게이트웨이는 모델을 선택하고 공급자의 장애를 견디며 사용한 만큼만 청구합니다. ",
  Thai: "เกตเวย์จะเลือกโมเดลและคิดค่าบริการเฉพาะส่วนที่ใช้งานจริงเท่านั้น ",
  code: "for (const [id, hold] of holds) books.holds.set(id, hold);\n  if (x < 10) return;\n",
  JSON: JSON.stringify({ name: "get_weather", arguments: { city: "Bern", days: [1, 2, 3] } }),
};

for (const [name, text] of Object.entries(TEXTS)) {
  Deno.test(`writtenTokens() of ${name} is no more than there are, and a fair share of them`, async () => {
    const counter = createTokenCounter();
    const sample = text.repeat(20);
    const share = writtenTokens(sample) / await counter.count(sample);
    assert(share <= 1 && share > 0.35, `${share}`);
  });
}

Deno.test("writtenTokens() of nothing is nothing", () => {
  assertEquals(writtenTokens(""), 0);
});
