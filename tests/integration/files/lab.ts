import { assertEquals, assertRejects } from "@std/assert";
import OpenAI, { toFile } from "openai";
import type { TestService } from "../../fixtures/service.ts";

/** Asserts that the room for files of a policy holds: the first file fits and the second does not. */
export async function assertRoomForOneFile(service: TestService): Promise<void> {
  const { key } = await service.newKey({ policy: { files: { files: 1 } } });
  const client = service.client({ apiKey: key });
  const upload = async (name: string) =>
    client.files.create({
      file: await toFile(new TextEncoder().encode(name), name),
      purpose: "user_data",
    });
  const first = await upload("first.txt");
  const refused = await assertRejects(() => upload("second.txt"), OpenAI.APIError);
  assertEquals(refused.status, 403);
  await client.files.delete(first.id);
  await upload("third.txt");
}
