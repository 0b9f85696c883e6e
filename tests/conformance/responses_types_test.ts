/**
 * The wire types of Responses held against OpenAI's own: what does not fit does not compile.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { assertType } from "@std/testing/types";
import type {
  ResponseAnnotation,
  ResponseError,
  ResponseOutputItem,
  ResponseResource,
  ResponsesRequest,
  ResponseStreamEvent,
  ResponseUsage,
} from "@svc/sdk/protocol";
import type OpenAI from "openai";

type Theirs = OpenAI.Responses.Response;
type TheirEvent = OpenAI.Responses.ResponseStreamEvent;
type TheirParams = OpenAI.Responses.ResponseCreateParams;
type TheirInput = Exclude<TheirParams["input"], string | undefined>;

/** True when a value of one type can be used as the other. */
type Fits<From, To> = [From] extends [To] ? true : false;

/** An interface as a plain type: only such a one may have members that are not named. */
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;

/**
 * Members in which OpenAI's types differ from its wire format: clients derive `output_text`; the
 * standard sends `null` for an unset `user` and for usage that is not known yet. And members that
 * are open on purpose: the service's metadata, and request fields that are repeated as they came.
 */
type OpenField =
  | "output_text"
  | "user"
  | "usage"
  | "metadata"
  | "tools"
  | "tool_choice"
  | "text"
  | "reasoning"
  | "service_tier";

type Same<T> = { [Key in keyof T as Key extends OpenField ? never : Key]: T[Key] };

/** The fields that are named. */
type Closed<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

type WithoutResponse<T> = T extends { response: unknown }
  ? { type: T["type" & keyof T]; sequence_number: T["sequence_number" & keyof T] }
  : T;

Deno.test("our resource is OpenAI's", () => {
  assertType<Fits<Closed<ResponseResource>, Same<Theirs>>>(true);
  assertType<Fits<ResponseUsage, OpenAI.Responses.ResponseUsage>>(true);
  assertType<Fits<ResponseError, OpenAI.Responses.ResponseError>>(true);
  assertType<Fits<ResponseOutputItem, OpenAI.Responses.ResponseOutputItem>>(true);
  assertType<
    Fits<ResponseAnnotation, OpenAI.Responses.ResponseOutputText["annotations"][number]>
  >(true);
});

Deno.test("each of our events is one of OpenAI's", () => {
  assertType<Fits<WithoutResponse<ResponseStreamEvent>, WithoutResponse<TheirEvent>>>(true);
  assertType<Fits<ResponseStreamEvent["type"], TheirEvent["type"]>>(true);
});

Deno.test("their requests are ours", () => {
  assertType<Fits<Plain<TheirInput[number]>, NonNullable<ResponsesRequest["input"]>[number]>>(true);
  assertType<
    Fits<Plain<Omit<TheirParams, "input" | "model">>, Omit<ResponsesRequest, "input" | "model">>
  >(true);
});

Deno.test("an answer of ours continues a conversation of theirs", () => {
  const output: ResponseOutputItem[] = [{
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "f",
    arguments: "{}",
    status: "completed",
  }];
  const request: TheirParams = { model: "auto", input: [...output] };
  assertEquals(request.input?.length, 1);
});
