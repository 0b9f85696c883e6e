import { assert, assertEquals, assertRejects } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { checkEditImages } from "../images/edit_images.ts";
import { dataUri, JPEG, PNG } from "../images/image_fixture.ts";
import { TURN_CHARS } from "../system/yield_to_event_loop.ts";
import { readImageEdit } from "./read_multipart.ts";
import { imageEditSchema } from "./schemas/images.ts";
import { validate } from "./validation.ts";

const URL_OF = "http://gateway.test/openai/v1/images/edits";

function post(body: BodyInit, headers: Record<string, string> = {}): Request {
  return new Request(URL_OF, { method: "POST", body, headers });
}

function formOf(fields: [string, string | Blob][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, "a.png");
  }
  return form;
}

function file(bytes: Uint8Array, type = "image/png"): Blob {
  return new Blob([new Uint8Array(bytes)], { type });
}

async function refusal(request: Request, options?: { maxBytes: number }): Promise<ServiceFault> {
  return await assertRejects(() => readImageEdit(request, options), ServiceFault);
}

Deno.test("A form becomes what the same JSON would be", async () => {
  const form = formOf([
    ["model", "auto"],
    ["prompt", "Make it blue"],
    ["n", "2"],
    ["size", "256x256"],
    ["response_format", "url"],
    ["stream", "false"],
    ["quality", "high"],
    ["user", "007"],
    ["mask", file(PNG)],
    ["image", file(PNG)],
  ]);
  const { value, text } = await readImageEdit(post(form));
  const json = {
    model: "auto",
    prompt: "Make it blue",
    n: 2,
    size: "256x256",
    response_format: "url",
    stream: false,
    quality: "high",
    user: "007",
    mask: dataUri("image/png", PNG),
    image: dataUri("image/png", PNG),
  };
  assertEquals(value, json);
  assertEquals(JSON.parse(text), json);
  validate(imageEditSchema, value);
  checkEditImages(value);
  const headers = { "content-type": "application/json" };
  assertEquals((await readImageEdit(post(JSON.stringify(json), headers))).value, json);
});

Deno.test("Several images become an array, in order, however they are named", async () => {
  const uris = [dataUri("image/png", PNG), dataUri("image/jpeg", JPEG)];
  const png = file(PNG);
  const jpeg = file(JPEG, "image/jpeg");
  for (const names of [["image[]", "image[]"], ["image", "image"], ["image[0]", "image[1]"]]) {
    const form = formOf([[names[0] ?? "", png], [names[1] ?? "", jpeg]]);
    assertEquals((await readImageEdit(post(form))).value["image"], uris);
  }
  assertEquals((await readImageEdit(post(formOf([["image[]", png]])))).value["image"], [uris[0]]);
  const address = formOf([["image", "https://images.example/a.png"]]);
  assertEquals((await readImageEdit(post(address))).value, {
    image: "https://images.example/a.png",
  });
});

Deno.test("a file without a type gets it from its bytes, and a wrong type is kept", async () => {
  for (const type of ["", "application/octet-stream"]) {
    const { value } = await readImageEdit(post(formOf([["image", file(JPEG, type)]])));
    assertEquals(value["image"], dataUri("image/jpeg", JPEG));
  }
  const { value } = await readImageEdit(post(formOf([["image", file(JPEG, "image/png")]])));
  assertEquals(value["image"], dataUri("image/png", JPEG));
  const odd = await readImageEdit(post(formOf([["image", file(new Uint8Array(3), "")]])));
  assertEquals(odd.value["image"], "data:application/octet-stream;base64,AAAA");
});

Deno.test("a value that is not a number or boolean stays text, so that it is refused by name", async () => {
  const form = formOf([["n", "two"], ["stream", "yes"], ["model", "auto"], ["prompt", "p"]]);
  const { value } = await readImageEdit(post(form));
  assertEquals([value["n"], value["stream"]], ["two", "yes"]);
  const edit = { ...value, image: "https://a.example/a.png" };
  let param: string | undefined;
  try {
    validate(imageEditSchema, edit);
  } catch (error) {
    param = error instanceof ServiceFault ? error.param : undefined;
  }
  assertEquals(param, "n");
});

Deno.test("invalid, too large and odd forms are refused by name", async () => {
  const multipart = { "content-type": "multipart/form-data; boundary=x" };
  const whole = post(formOf([["image", file(new Uint8Array(10_000))]]));
  assertEquals((await refusal(whole, { maxBytes: 5_000 })).code, "body_too_large");
  const rows: [Request, string, string | undefined][] = [
    [post("nothing", multipart), "invalid_request", undefined],
    [post("--x\r\nbroken", multipart), "invalid_request", undefined],
    [
      post("a", { "content-type": "multipart/form-data; charset=utf-8" }),
      "invalid_request",
      undefined,
    ],
    [post("a", { "content-type": "text/plain" }), "unsupported_media_type", undefined],
    [post("{}", { "content-type": "multipart/form-data" }), "unsupported_media_type", undefined],
    [post(formOf([["prompt", "a"], ["prompt", "b"]])), "invalid_request", "prompt"],
    [post(formOf([["mask", file(PNG)], ["mask", file(PNG)]])), "invalid_request", "mask"],
    [post(formOf([["prompt", file(PNG)]])), "invalid_request", "prompt"],
    [
      post(formOf(Array.from({ length: 65 }, (_, n) => [`f${n}`, "x"]))),
      "invalid_request",
      undefined,
    ],
  ];
  for (const [request, code, param] of rows) {
    const fault = await refusal(request);
    assertEquals([fault.code, fault.param], [code, param], fault.message);
  }
});

Deno.test("A form of half a million parts is refused before the platform parses it", async () => {
  const part = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  const body = part.repeat(500_000) + "--x--\r\n";
  const parse = Response.prototype.formData;
  let parsed = 0;
  Response.prototype.formData = function () {
    parsed++;
    return parse.call(this);
  };
  try {
    for (const boundary of ["x", '"x"', "x; charset=utf-8"]) {
      const fault = await refusal(
        post(body, { "content-type": `multipart/form-data; boundary=${boundary}` }),
      );
      assertEquals(fault.message, "The form has more than 64 fields");
    }
    assertEquals(parsed, 0);
    const most = post(formOf(Array.from({ length: 64 }, (_, n) => [`f${n}`, "x"])));
    assertEquals(Object.keys((await readImageEdit(most)).value).length, 64);
    assertEquals(parsed, 1);
  } finally {
    Response.prototype.formData = parse;
  }
});

Deno.test("Delimiters are found where they stand across two pieces, and each once", async () => {
  const head = '--xyz\r\nContent-Disposition: form-data; name="prompt"\r\n\r\n';
  const type = { "content-type": "multipart/form-data; boundary=xyz" };
  for (let before = 0; before < 8; before++) {
    const prompt = "a".repeat(TURN_CHARS - head.length - 2 - before);
    const { value } = await readImageEdit(post(`${head}${prompt}\r\n--xyz--\r\n`, type));
    assertEquals(value, { prompt });
    const cut = await refusal(post(`${head}${prompt}\r\n--xy`, type));
    assertEquals(cut.message, "The multipart form has no field");
  }
});

Deno.test("A boundary that two readers could read as two is refused", async () => {
  const body = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n';
  for (const boundary of ["", '""', '"x', "x".repeat(71), 'x"', '"x"y', "x,y"]) {
    const type = `multipart/form-data; boundary=${boundary}`;
    const fault = await refusal(post(body, { "content-type": type }));
    assertEquals(fault.code, "invalid_request", type);
  }
});

Deno.test("A field may have any name", async () => {
  const { value } = await readImageEdit(post(formOf([["__proto__", "x"], ["constructor", "y"]])));
  assertEquals(Object.keys(value), ["__proto__", "constructor"]);
  assert(Object.getPrototypeOf(value) === Object.prototype);
});
