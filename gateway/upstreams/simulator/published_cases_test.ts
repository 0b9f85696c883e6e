/**
 * Tool cases as providers' guides and the test suites of other clients have them: the question, the
 * tool as it is declared there, and the call that is expected.
 */

import { assertEquals } from "@std/assert";
import type { JsonRecord } from "./chat_request.ts";
import { ask, complete } from "./chat_fixture.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const unit = { type: "string", enum: ["celsius", "fahrenheit"] };

function tool(name: string, properties: JsonRecord, more: JsonRecord = {}) {
  const { required = Object.keys(properties), strict, ...rest } = more;
  const parameters = { type: "object", properties, required, ...rest };
  return { type: "function", function: { name, parameters, ...(strict ? { strict } : {}) } };
}

async function callsFor(question: string, tools: readonly unknown[], more: JsonRecord = {}) {
  const { choices: [choice] } = await complete({ ...ask(question), tools, ...more });
  return (choice?.message.tool_calls ?? []).map(({ function: { name, arguments: args } }) =>
    `${name}${args}`
  );
}

const weather = tool("get_weather", { location: text });
const current = tool("get_current_weather", { location: text, unit }, { required: ["location"] });
const strictWeather = tool("get_weather", { location: text, units: unit }, {
  strict: true,
  additionalProperties: false,
});
const email = tool("send_email", { to: text, subject: text, body: text });
const add = tool("add", { a: integer, b: integer });
const multiply = tool("multiply", { a: integer, b: integer });
const delivery = tool("get_delivery_date", { order_id: text });
const knowledge = tool("search_knowledge_base", {
  query: text,
  options: {
    type: "object",
    properties: {
      num_results: number,
      domain_filter: { type: ["string", "null"] },
      sort_by: { type: ["string", "null"], enum: ["relevance", "date", "popularity", null] },
    },
    required: ["num_results", "domain_filter", "sort_by"],
    additionalProperties: false,
  },
}, { strict: true, additionalProperties: false });

const CASES: readonly (readonly [question: string, tools: readonly unknown[], calls: string[]])[] =
  [
    ["What is the weather like in Paris today?", [weather], ['get_weather{"location":"Paris"}']],
    ["weather in San Francisco", [weather], ['get_weather{"location":"San Francisco"}']],
    ["what's the weather in san francisco?", [weather], [
      'get_weather{"location":"san francisco"}',
    ]],
    ["What's the weather like in Boston, MA today?", [current], [
      'get_current_weather{"location":"Boston, MA"}',
    ]],
    ["What's the weather like in Paris, France in Celsius?", [current], [
      'get_current_weather{"location":"Paris, France","unit":"celsius"}',
    ]],
    ["What's the weather like in San Francisco, Tokyo, and Paris?", [current], [
      'get_current_weather{"location":"San Francisco"}',
      'get_current_weather{"location":"Tokyo"}',
      'get_current_weather{"location":"Paris"}',
    ]],
    ["What is the temperature in Oslo and Bergen?", [weather], [
      'get_weather{"location":"Oslo"}',
      'get_weather{"location":"Bergen"}',
    ]],
    ["How's the weather in Hangzhou, Zhejiang?", [weather], [
      'get_weather{"location":"Hangzhou, Zhejiang"}',
    ]],
    ["Could you tell me the weather in Bogotá, in fahrenheit?", [strictWeather], [
      'get_weather{"location":"Bogotá","units":"fahrenheit"}',
    ]],
    ["What is the weather in San Francisco?", [tool("weather", { location: text })], [
      'weather{"location":"San Francisco"}',
    ]],
    ["What attractions should I visit in San Francisco?", [
      tool("weather", { location: text }),
      tool("cityAttractions", { city: text }),
    ], ['cityAttractions{"city":"San Francisco"}']],
    ["Can you send an email to ilan@example.com and katia@example.com saying hi?", [email], [
      'send_email{"to":"ilan@example.com","subject":"hi","body":"hi"}',
      'send_email{"to":"katia@example.com","subject":"hi","body":"hi"}',
    ]],
    ["Can you find information about ChatGPT in the AI knowledge base?", [knowledge], [
      'search_knowledge_base{"query":"ChatGPT","options":' +
      '{"num_results":0,"domain_filter":null,"sort_by":null}}',
    ]],
    ["Hi, what is the delivery date for order_12345?", [delivery], [
      'get_delivery_date{"order_id":"order_12345"}',
    ]],
    ["What is my horoscope? I am an Aquarius.", [tool("get_horoscope", { sign: text })], [
      'get_horoscope{"sign":"Aquarius"}',
    ]],
    ["What is 3 * 12? Also, what is 11 + 49?", [add, multiply], [
      'multiply{"a":3,"b":12}',
      'add{"a":11,"b":49}',
    ]],
    ["What is 1231 * 2331?", [multiply], ['multiply{"a":1231,"b":2331}']],
    ["Multiply 6 by 7, please", [multiply], ['multiply{"a":6,"b":7}']],
    ["What is the value of magic_function(3)?", [tool("magic_function", { input: integer })], [
      'magic_function{"input":3}',
    ]],
    ["What's the stock price of AAPL right now?", [tool("get_stock_price", { ticker: text })], [
      'get_stock_price{"ticker":"AAPL"}',
    ]],
    ["What time is it in New York?", [tool("get_current_time", { city: text })], [
      'get_current_time{"city":"New York"}',
    ]],
    ["Find the area of a triangle with a base of 10 units and a height of 5 units.", [
      tool("calculate_triangle_area", { base: integer, height: integer }),
    ], ['calculate_triangle_area{"base":10,"height":5}']],
    ["Find the area of a triangle with a height of 5 and a base of 10.", [
      tool("calculate_triangle_area", { base: integer, height: integer }),
    ], ['calculate_triangle_area{"base":10,"height":5}']],
    ["Book a flight from London to Paris on 2026-03-04", [
      tool("book_flight", { origin: text, destination: text, date: { ...text, format: "date" } }),
    ], ['book_flight{"origin":"London","destination":"Paris","date":"2026-03-04"}']],
    ["Convert 100 USD to EUR", [
      tool("convert_currency", { amount: number, from_currency: text, to_currency: text }),
    ], ['convert_currency{"amount":100,"from_currency":"USD","to_currency":"EUR"}']],
    ["Add the numbers 1, 2 and 3", [
      tool("add_numbers", { numbers: { type: "array", items: number } }),
    ], ['add_numbers{"numbers":[1,2,3]}']],
    ["Create a calendar event with Alice and Bob on 2026-05-01", [
      tool("create_calendar_event", {
        date: text,
        participants: { type: "array", items: text },
      }),
    ], ['create_calendar_event{"date":"2026-05-01","participants":["Alice","Bob"]}']],
    ["Is it raining in Seattle?", [weather], ['get_weather{"location":"Seattle"}']],
    ["What is the capital of France?", [tool("get_capital", { country: text })], [
      'get_capital{"country":"France"}',
    ]],
    ["Search for flights from SFO to JFK", [
      tool("search_flights", { origin: text, destination: text }),
    ], ['search_flights{"origin":"SFO","destination":"JFK"}']],
    ["Set a timer for 5 minutes", [tool("set_timer", { minutes: integer })], [
      'set_timer{"minutes":5}',
    ]],
    ["Create a customer named '你好啊集团' (Hello Group)", [
      tool("create_customer", { customer_name: text }),
    ], ['create_customer{"customer_name":"你好啊集团"}']],
    ["What is 1 + 2?", [tool("my_adder_tool", { a: integer, b: integer })], [
      'my_adder_tool{"a":1,"b":2}',
    ]],
    // Nothing plain is asked for, or an argument is not known: a model would answer, or ask back.
    ["Hello", [weather, add, email], []],
    ["What's the weather like?", [weather], []],
    ["What is a sea shell?", [tool("shell", { command: text })], []],
    ["Tell me a joke about Paris", [weather, delivery], []],
    ["I like the weather in Paris.", [weather], []],
  ];

for (const [question, tools, calls] of CASES) {
  Deno.test(`"${question}" calls ${calls.length > 0 ? calls.join(", ") : "nothing"}`, async () => {
    assertEquals(await callsFor(question, tools), calls);
    assertEquals(await callsFor(question, tools), calls);
  });
}

Deno.test("a list of names is one call at a time where calls may not be parallel", async () => {
  const calls = await callsFor("What's the weather in Rome and Oslo?", [weather], {
    parallel_tool_calls: false,
  });
  assertEquals(calls, ['get_weather{"location":"Rome"}']);
});

Deno.test("a forced tool is called once, and filled from the question as far as that goes", async () => {
  const tool_choice = { type: "function", function: { name: "get_weather" } };
  assertEquals(await callsFor("Paris and Rome", [strictWeather], { tool_choice }), [
    'get_weather{"location":"Rome","units":"celsius"}',
  ]);
});

Deno.test("a forced tool that extracts is filled from a statement", async () => {
  const user = tool("User", { name: text, age: integer });
  const tool_choice = { type: "function", function: { name: "User" } };
  assertEquals(await callsFor("Jason is 25 years old", [user], { tool_choice }), [
    'User{"name":"Jason","age":25}',
  ]);
});

Deno.test("strict arguments fit their schema, for any question", async () => {
  const calls = (object: string) => callsFor(`call get_weather with ${object}`, [strictWeather]);
  assertEquals(await calls('{"location": "Oslo", "units": "kelvin", "more": true}'), [
    'get_weather{"location":"Oslo","units":"celsius"}',
  ]);
  assertEquals(await calls('{"units": "fahrenheit", "location": 5}'), [
    'get_weather{"location":"simulated","units":"fahrenheit"}',
  ]);
  const loose = [{ ...weather }];
  assertEquals(await callsFor('call get_weather with {"more": true}', loose), [
    'get_weather{"more": true}',
  ]);
});
